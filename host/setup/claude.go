package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host/launch"
)

// claudeClouds are the switches by which Claude Code asks a cloud's own API, which is
// signed or addressed in ways that a gateway of ours does not speak.
var claudeClouds = []string{
	"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_MANTLE",
	"CLAUDE_CODE_USE_ANTHROPIC_AWS", "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", "CLAUDE_CODE_USE_GATEWAY",
}

// layer is the variables that one file of settings sets.
type layer struct {
	from    string
	env     map[string]any
	managed bool
}

// claude finds where Claude Code would send its requests. A variable in its settings
// counts for more than one of the environment, so the run hands it settings of its own,
// which count for more than the person's; those that a machine's owner set do not give way.
func claude(s *Setup, env Env) error {
	layers, err := claudeLayers(env)
	if err != nil {
		return err
	}
	find := func(name string) (value string, in layer) {
		for _, l := range layers {
			if v, ok := l.env[name]; ok {
				return fmt.Sprint(v), l
			}
		}
		return env.Getenv(name), layer{}
	}
	for _, name := range claudeClouds {
		if v, in := find(name); on(v) {
			return fmt.Errorf("claude asks a cloud's own API here (%s%s), which does not pass a gateway; to have it steered all the same use its hooks: trimtab install claude", name, in.named())
		}
	}
	if v, in := find("ANTHROPIC_UNIX_SOCKET"); v != "" {
		return fmt.Errorf("claude talks through a socket of another program (ANTHROPIC_UNIX_SOCKET%s), which does not pass a gateway; unset it for this run", in.named())
	}
	vars := map[string]any{}
	base, in := find("ANTHROPIC_BASE_URL")
	switch {
	case in.managed:
		return fmt.Errorf("the managed settings of this machine lead Claude Code to %s%s, and no run may change that; use its hooks: trimtab install claude", shown(base), in.named())
	case in.from != "" && base != "" && !plainURL(base):
		return fmt.Errorf("claude is led to %s%s, which is not a plain http or https address", shown(base), in.named())
	case in.from != "":
		vars["ANTHROPIC_BASE_URL"] = "{url}"
	}
	switch {
	case base == "" || in.from == "": // one of the environment is known to every run
	case env.ours(base):
		s.note("%s leads to a gateway of trimtab; this run has its own in its place", in.from)
	default:
		s.Upstreams["anthropic"] = base
		s.note("requests go on to %s, as %s says", shown(base), in.from)
	}
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if v, in := find(name); v != "" && in.from != "" {
			if in.managed {
				return fmt.Errorf("the managed settings of this machine send Claude Code through a proxy (%s%s), which the gateway of a run cannot follow; use its hooks: trimtab install claude", name, in.named())
			}
			if env.Getenv(name) != v {
				return fmt.Errorf("%s is set%s and not in your environment: the gateway goes to the provider in the place of Claude Code and needs it, too; export %s and start again", name, in.named(), name)
			}
		}
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if v, in := find(name); in.from != "" {
			vars[name] = launch.NoProxy(v)
		}
	}
	if len(vars) > 0 {
		s.Settings = map[string]any{"env": vars}
	}
	return nil
}

func (l layer) named() string {
	if l.from == "" {
		return ""
	}
	return " in " + l.from
}

// claudeLayers are the files that set variables, what counts most first.
func claudeLayers(env Env) ([]layer, error) {
	var all []layer
	add := func(path string, managed bool) error {
		doc, err := readJSON(path)
		if vars := tableAt(doc, "env"); vars != nil {
			all = append(all, layer{path, vars, managed})
		}
		return err
	}
	folder := env.machine("/etc/claude-code", "/Library/Application Support/ClaudeCode", `C:\Program Files\ClaudeCode`)
	parts, _ := filepath.Glob(filepath.Join(folder, "managed-settings.d", "*.json"))
	slices.Reverse(parts) // later names count for more
	for _, path := range append(parts, filepath.Join(folder, "managed-settings.json")) {
		if err := add(path, true); err != nil {
			return nil, err
		}
	}
	if given := flag(env.Args, "--settings"); strings.HasPrefix(strings.TrimSpace(given), "{") {
		doc, err := parseJSON("--settings", []byte(given))
		if err != nil {
			return nil, err
		}
		all = append(all, layer{"--settings", tableAt(doc, "env"), false})
	} else if given != "" {
		if !filepath.IsAbs(given) {
			given = filepath.Join(env.Dir, given)
		}
		if err := add(given, false); err != nil {
			return nil, err
		}
	}
	user := env.Getenv("CLAUDE_CONFIG_DIR")
	if user == "" {
		user = filepath.Join(env.Home, ".claude")
	}
	sources, only := flag(env.Args, "--setting-sources"), slices.ContainsFunc(env.Args, func(a string) bool { return strings.HasPrefix(a, "--setting-sources") })
	for _, f := range []struct{ source, path string }{
		{"local", filepath.Join(env.Dir, ".claude", "settings.local.json")}, {"project", filepath.Join(env.Dir, ".claude", "settings.json")}, {"user", filepath.Join(user, "settings.json")},
	} {
		if only && !slices.Contains(strings.Split(sources, ","), f.source) {
			continue
		}
		if err := add(f.path, false); err != nil {
			return nil, err
		}
	}
	return all, nil
}
