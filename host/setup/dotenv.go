package setup

import (
	"os"
	"path/filepath"
	"strings"
)

// dotenv reads a file of variables, as agents load them into their environment.
func dotenv(path string) (map[string]string, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		value = strings.TrimSpace(value)
		if quote := value[:min(1, len(value))]; quote == `"` || quote == "'" || quote == "`" {
			value, _, _ = strings.Cut(value[1:], quote)
		} else {
			value, _, _ = strings.Cut(value, " #")
			value = strings.TrimSpace(value)
		}
		all[name] = value
	}
	return all, nil
}

// withFile is the environment with a file of variables: what is set counts for more.
func (e Env) withFile(vars map[string]string) Env {
	getenv := e.Getenv
	e.Getenv = func(name string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return vars[name]
	}
	return e
}

// nearestEnv is the file of variables that agents of one family load: the nearest one
// upwards, in their own folder or beside it, else the person's.
func nearestEnv(own string, env Env) string {
	for _, dir := range upwards(env.Dir) {
		for _, path := range []string{filepath.Join(dir, own, ".env"), filepath.Join(dir, ".env")} {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	for _, path := range []string{filepath.Join(env.Home, own, ".env"), filepath.Join(env.Home, ".env")} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}
