package secret

import "strings"

// FromEnviron returns the values of the environment's variables that hold a
// secret, by their name or by their look, for Options.Known. The argument has
// the form of os.Environ: "NAME=value".
func FromEnviron(environ []string) []string {
	var out []string
	for _, line := range environ {
		name, value, ok := strings.Cut(line, "=")
		if !ok || len(value) < 8 || placeholder(value) || pathLike(value) && !strings.Contains(value, "@") {
			continue
		}
		if secretName(name) && !number(value) || len(Find(value)) > 0 {
			out = append(out, value)
		}
	}
	return out
}

// secretName reports a variable whose name says that it holds a secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, w := range []string{"SOCK", "PATH", "FILE", "DIR", "URL", "NAME", "HOST", "PORT", "AGENT", "COUNT", "LIMIT", "MAX", "TYPE"} {
		if strings.HasSuffix(name, w) {
			return false
		}
	}
	for _, w := range []string{"KEY", "TOKEN", "SECRET", "PASS", "PWD", "CREDENTIAL", "AUTH", "PRIVATE", "COOKIE", "SIGNATURE", "CERT", "DSN", "WEBHOOK"} {
		if strings.Contains(name, w) && name != "PWD" && name != "OLDPWD" {
			return true
		}
	}
	return false
}

func number(v string) bool { return strings.Trim(v, "0123456789.") == "" }
