package setup

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/host/launch"
)

// qwenSystem is the variable that names the settings of Qwen Code that count for more
// than all others.
const qwenSystem = "QWEN_CODE_SYSTEM_SETTINGS_PATH"

// qwen finds whom Qwen Code asks: a provider of its settings, or what variables say.
func qwen(s *Setup, env Env) error {
	if v := flag(env.Args, "--openai-base-url"); v != "" {
		return fmt.Errorf("--openai-base-url leads qwen past the gateway; set OPENAI_BASE_URL=%s in its place", v)
	}
	settings, err := familySettings(".qwen", qwenSystem, "qwen-code", "QwenCode", env)
	if err != nil {
		return err
	}
	if proxy := cmp.Or(flag(env.Args, "--proxy"), textAt(settings, "proxy")); proxy != "" && env.Getenv("HTTPS_PROXY") != proxy && env.Getenv("https_proxy") != proxy {
		return fmt.Errorf("qwen's own settings or its command line name a proxy: the gateway goes to the provider in its place and needs it, too; set HTTPS_PROXY in its place")
	}
	outer := env
	if path := nearestEnv(".qwen", env); path != "" {
		vars, err := dotenv(path)
		if err != nil {
			return err
		}
		env = env.withFile(vars)
	}
	for _, path := range []string{filepath.Join(env.Home, ".qwen", ".env"), filepath.Join(env.Home, ".env")} { // these count beside that of the project
		vars, err := dotenv(path)
		if err != nil {
			return err
		}
		env = env.withFile(vars)
	}
	vars := map[string]string{}
	for name := range tableAt(settings, "env") {
		vars[name] = textAt(settings, "env", name)
	}
	env = env.withFile(vars)
	auth := cmp.Or(flag(env.Args, "--auth-type"), textAt(settings, "security", "auth", "selectedType"))
	if auth == "qwen-oauth" || auth == "" && env.Getenv("QWEN_OAUTH") != "" {
		return fmt.Errorf("qwen is logged in with Qwen OAuth, whose address no setting of a run can change; choose a key with /auth, or name a provider in modelProviders")
	}
	providers := s.qwenProviders(settings, env)
	switch auth {
	case "anthropic":
		s.Env["ANTHROPIC_BASE_URL"] = "{url}/s/{session}"
		s.other("anthropic", cmp.Or(env.Getenv("ANTHROPIC_BASE_URL"), textAt(settings, "security", "auth", "baseUrl")), env)
		s.HasKey = s.HasKey || env.Getenv("ANTHROPIC_API_KEY") != ""
	case "gemini":
		s.Env["GOOGLE_GEMINI_BASE_URL"] = "{url}/s/{session}"
		s.other("gemini", env.Getenv("GOOGLE_GEMINI_BASE_URL"), env)
		s.HasKey = s.HasKey || env.Getenv("GEMINI_API_KEY") != ""
	case "vertex-ai":
		return fmt.Errorf("qwen asks Vertex AI here (security.auth.selectedType), which the gateway of a run does not lead through; choose a key with /auth")
	default:
		s.other("openai", cmp.Or(env.Getenv("OPENAI_BASE_URL"), textAt(settings, "security", "auth", "baseUrl")), env)
		s.HasKey = s.HasKey || env.Getenv("OPENAI_API_KEY") != "" || textAt(settings, "security", "auth", "apiKey") != ""
	}
	if len(providers) == 0 {
		return nil
	}
	system, err := readJSON(qwenSystemFile(outer))
	if err != nil {
		return err
	}
	s.Files = append(s.Files, host.File{Name: "system.json", Text: compact(launch.Merge(system, map[string]any{"modelProviders": providers}))})
	s.Env[qwenSystem] = "{dir}/system.json"
	return nil
}

// other takes an upstream of the person's in place of a provider's usual one.
func (s *Setup) other(provider, base string, env Env) {
	if base != "" && !env.ours(base) {
		s.Upstreams[provider] = base
	}
}

// qwenProviders are the models of the settings, each at the gateway.
func (s *Setup) qwenProviders(settings map[string]any, env Env) map[string]any {
	all := map[string]any{}
	for kind, v := range tableAt(settings, "modelProviders") {
		list, _ := v.([]any)
		models := slices.Clone(list)
		led := false
		for i, one := range models {
			base := textAt(one, "baseUrl")
			if !plainURL(base) || env.ours(base) {
				continue
			}
			model := maps.Clone(one.(map[string]any))
			model["baseUrl"] = "{url}/s/{session}" + s.name(s.nameFor(kind, base), base)
			models[i], led = model, true
		}
		if led {
			all[kind], s.HasKey = models, true
		}
	}
	return all
}

// nameFor is a name for an upstream, the same for the same address.
func (s *Setup) nameFor(kind, base string) string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s-%d", kind, i)
		if have, ok := s.Named[name]; !ok || have == base {
			return name
		}
	}
}

func qwenSystemFile(env Env) string {
	root := env.machine("/etc/qwen-code", "/Library/Application Support/QwenCode", `C:\ProgramData\qwen-code`)
	return cmp.Or(env.Getenv(qwenSystem), filepath.Join(root, "settings.json"))
}
