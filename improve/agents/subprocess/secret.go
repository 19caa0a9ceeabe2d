package subprocess

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host"
)

// secrets are what a person keeps below the home that opens something elsewhere, or
// tells what the person did. Nobody who works on a project needs them.
var secrets = []string{
	".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".local/share/kwalletd",
	".netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/tea", ".config/hub",
	".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/containers/auth.json", ".terraform.d", ".vault-token", ".pgpass",
	".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml",
	".mozilla", ".config/google-chrome", ".config/chromium", ".thunderbird",
	".bash_history", ".zsh_history", ".python_history", ".local/share/fish",
	".config/trimtab",
}

// elsewhere are variables by which such a place is another one.
var elsewhere = []struct{ name, below string }{
	{"GNUPGHOME", ""},
	{"KUBECONFIG", ""},
	{"DOCKER_CONFIG", ""},
	{"NETRC", ""},
	{"AWS_SHARED_CREDENTIALS_FILE", ""},
	{"AWS_CONFIG_FILE", ""},
	{"GOOGLE_APPLICATION_CREDENTIALS", ""},
	{"CLOUDSDK_CONFIG", ""},
	{"AZURE_CONFIG_DIR", ""},
	{"PASSWORD_STORE_DIR", ""},
	{"NPM_CONFIG_USERCONFIG", ""},
	{"GH_CONFIG_DIR", ""},
	{"CARGO_HOME", "credentials"},
	{"CARGO_HOME", "credentials.toml"},
}

// Logins are the places below a home where agents keep their logins.
func Logins() []string {
	var all []string
	for _, h := range host.All() {
		all = append(all, h.Private...)
	}
	return all
}

// Secrets are the full paths of what a program must not read, whether they exist or
// not: a person's secrets, by the HOME of the environment and by the variables that
// put one of them elsewhere, and the logins of agents. Those in but, by their path
// below the home, are left out: the login of the agent that is about to run.
func Secrets(lookup Lookup, but ...string) []string {
	var out []string
	if home := Person(lookup); home != "" {
		for _, s := range slices.Concat(secrets, Logins()) {
			if slices.Contains(but, s) {
				continue
			}
			out = append(out, filepath.Join(home, filepath.FromSlash(s)))
			for name, below := range map[string]string{"XDG_CONFIG_HOME": ".config/", "XDG_DATA_HOME": ".local/share/", "XDG_STATE_HOME": ".local/state/"} {
				rest, ok := strings.CutPrefix(s, below)
				if dir := value(lookup, name); ok && filepath.IsAbs(dir) {
					out = append(out, filepath.Join(dir, filepath.FromSlash(rest)))
				}
			}
		}
	}
	for _, e := range elsewhere {
		for _, path := range filepath.SplitList(value(lookup, e.name)) {
			if path = filepath.Join(path, e.below); filepath.IsAbs(path) && !holds(path, Person(lookup)) && !holds("/dev", path) {
				out = append(out, path)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// holds reports whether path is dir or lies below it. A variable may name all of a
// home, which cannot be hidden, or the empty device for no file at all.
func holds(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// Person is the home of the person whose environment it is, "" where it says none.
func Person(lookup Lookup) string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if v := value(lookup, name); filepath.IsAbs(v) {
			return v
		}
	}
	return ""
}
