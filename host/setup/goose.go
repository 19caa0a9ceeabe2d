package setup

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
)

// gooseHosts are goose's providers whose address a variable names, and that address.
var gooseHosts = map[string][2]string{
	"openai": {"OPENAI_HOST", "https://api.openai.com"}, "anthropic": {"ANTHROPIC_HOST", "https://api.anthropic.com"},
	"google": {"GOOGLE_HOST", "https://generativelanguage.googleapis.com"}, "openrouter": {"OPENROUTER_HOST", "https://openrouter.ai"},
	"litellm": {"LITELLM_HOST", "http://localhost:4000"}, "ollama": {"OLLAMA_HOST", "http://localhost:11434"},
	"xai": {"XAI_HOST", "https://api.x.ai/v1"},
}

// goose finds the provider that goose asks. Variables count for more than its settings,
// so the run names the address there.
func goose(s *Setup, env Env) error {
	folder := filepath.Join(cmp.Or(env.Getenv("XDG_CONFIG_HOME"), filepath.Join(env.Home, ".config")), "goose")
	if root := env.Getenv("GOOSE_PATH_ROOT"); root != "" {
		folder = filepath.Join(root, "config")
	}
	file := filepath.Join(folder, "config.yaml")
	vars, err := yamlScalars(file)
	if err != nil {
		return err
	}
	env = env.withFile(vars)
	provider := cmp.Or(flag(env.Args, "--provider"), env.Getenv("GOOSE_PROVIDER"))
	if base := env.Getenv("OPENAI_BASE_URL"); base != "" && provider == "openai" && !env.ours(base) {
		if !plainURL(base) {
			return fmt.Errorf("OPENAI_BASE_URL leads goose to %s, which is not a plain http or https address", shown(base))
		}
		s.Env["OPENAI_BASE_URL"] = "{url}" + s.name("openai-base", base)
		return nil
	}
	if _, known := gooseHosts[provider]; provider != "" && !known {
		where := "of its own"
		if doc, err := readJSON(filepath.Join(folder, "custom_providers", provider+".json")); err == nil && doc != nil {
			where = "of " + filepath.Join(folder, "custom_providers", provider+".json")
		}
		return fmt.Errorf("goose is to ask the provider %s, whose address (%s) no variable of a run can change; choose openai with OPENAI_HOST set to that address, or write the address of trimtab serve address goose into that file", provider, where)
	}
	asked := map[string]bool{provider: true}
	for _, variable := range []string{"GOOSE_LEAD_PROVIDER", "GOOSE_PLANNER_PROVIDER", "GOOSE_SUBAGENT_PROVIDER"} {
		name := env.Getenv(variable)
		if _, known := gooseHosts[name]; name != "" && !known {
			s.note("goose's provider %s (%s) is not steered in this run: no variable of a run can change its address", name, variable)
		}
		asked[name] = true
	}
	for name, row := range gooseHosts {
		base := env.Getenv(row[0])
		if base != "" && !strings.Contains(base, "://") {
			base = "http://" + base // as goose itself takes it
		}
		switch {
		case env.ours(base):
			base = ""
		case base != "" && !plainURL(base):
			return fmt.Errorf("%s leads goose to %s, which is not a plain http or https address", row[0], shown(base))
		}
		switch {
		case name == "openai" || name == "anthropic": // the gateway's own
			s.other(name, base, env)
		case asked[name]:
			s.Env[row[0]] = "{url}" + s.name(name, cmp.Or(base, row[1]))
		}
	}
	return nil
}

// yamlScalars are the plain values at the top of a YAML file. That is all that goose's
// settings have of providers.
func yamlScalars(path string) (map[string]string, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if line[0] == ' ' || line[0] == '\t' || line[0] == '#' || line[0] == '-' {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if quote := value[:min(1, len(value))]; quote == `"` || quote == "'" {
			value, _, _ = strings.Cut(value[1:], quote)
		} else {
			value, _, _ = strings.Cut(value, " #")
		}
		all[strings.Trim(strings.TrimSpace(name), `"'`)] = strings.TrimSpace(value)
	}
	return all, nil
}
