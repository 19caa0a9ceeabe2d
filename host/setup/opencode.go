package setup

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host/launch"
)

// opencodeDefaults are the addresses of providers whose packages have them built in.
var opencodeDefaults = map[string]string{
	"anthropic": "https://api.anthropic.com/v1", "openai": "https://api.openai.com/v1", "google": "https://generativelanguage.googleapis.com/v1beta",
	"openrouter": "https://openrouter.ai/api/v1", "groq": "https://api.groq.com/openai/v1", "mistral": "https://api.mistral.ai/v1",
	"xai": "https://api.x.ai/v1", "deepseek": "https://api.deepseek.com", "cerebras": "https://api.cerebras.ai/v1",
	"togetherai": "https://api.together.xyz/v1", "deepinfra": "https://api.deepinfra.com/v1/openai", "perplexity": "https://api.perplexity.ai",
	"opencode": "https://opencode.ai/zen/v1",
}

// opencodeKeys are the variables with which a provider is there though no file says so.
var opencodeKeys = map[string][]string{
	"anthropic": {"ANTHROPIC_API_KEY"}, "openai": {"OPENAI_API_KEY"}, "google": {"GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"},
	"openrouter": {"OPENROUTER_API_KEY"}, "groq": {"GROQ_API_KEY"}, "mistral": {"MISTRAL_API_KEY"}, "xai": {"XAI_API_KEY"}, "deepseek": {"DEEPSEEK_API_KEY"},
	"cerebras": {"CEREBRAS_API_KEY"}, "togetherai": {"TOGETHER_API_KEY"}, "deepinfra": {"DEEPINFRA_API_KEY"}, "perplexity": {"PERPLEXITY_API_KEY"}, "opencode": {"OPENCODE_API_KEY"},
}

// opencodeVariable is the variable with the address of a provider, where its package
// reads one.
var opencodeVariable = map[string]string{"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}

// opencode leads each provider that the person has through the gateway, with settings
// in the environment that count for more than its files.
func opencode(s *Setup, env Env) error {
	doc, content, err := opencodeConfig(env)
	if err != nil {
		return err
	}
	data := cmp.Or(env.Getenv("XDG_DATA_HOME"), filepath.Join(env.Home, ".local", "share"))
	logins, err := readJSON(filepath.Join(data, "opencode", "auth.json"))
	if err != nil {
		return err
	}
	catalogue, _ := readJSON(filepath.Join(cmp.Or(env.Getenv("XDG_CACHE_HOME"), filepath.Join(env.Home, ".cache")), "opencode", "models.json")) // its own copy of a list; it may be anything
	chosen, _, _ := strings.Cut(cmp.Or(flag(env.Args, "-m", "--model"), textAt(doc, "model"), opencodeLast(env)), "/")
	providers := map[string]any{}
	for _, name := range opencodeProviders(doc, logins, chosen, env) {
		if slices.Contains(listAt(doc, "disabled_providers"), name) {
			continue
		}
		base, why := opencodeBase(name, doc, catalogue, env)
		if textAt(logins, name, "type") == "oauth" && (name == "openai" || name == "github-copilot") {
			why = "after a login opencode sends its requests to an address of its own, whatever its settings say; use a key, or another provider"
		}
		switch {
		case why == "" && env.ours(base):
			return fmt.Errorf("opencode's provider %s is a gateway of trimtab already; start opencode without trimtab run", name)
		case why == "":
			providers[name] = map[string]any{"options": map[string]any{"baseURL": "{url}" + s.opencodePath(name, base)}}
		case name == chosen:
			return fmt.Errorf("opencode is to ask the provider %s, which does not pass the gateway: %s", name, why)
		default:
			s.note("opencode's provider %s is not steered in this run: %s", name, why)
		}
	}
	if len(providers) > 0 {
		s.Env["OPENCODE_CONFIG_CONTENT"] = compact(launch.Merge(content, map[string]any{"provider": providers}))
	}
	return nil
}

// opencodeLast is the model that was chosen last, which opencode goes on with.
func opencodeLast(env Env) string {
	state := cmp.Or(env.Getenv("XDG_STATE_HOME"), filepath.Join(env.Home, ".local", "state"))
	doc, _ := readJSON(filepath.Join(state, "opencode", "model.json")) // written by opencode alone, and only a hint
	list, _ := at(doc, "recent").([]any)
	if len(list) == 0 {
		return ""
	}
	return textAt(list[0], "providerID") + "/"
}

// opencodePath is where a provider is at the gateway: one of the gateway's own, which
// --upstream may name, where its address has the usual form.
func (s *Setup) opencodePath(name, base string) string {
	if base = strings.TrimSuffix(base, "/"); opencodeVariable[name] == "" || !strings.HasSuffix(base, "/v1") {
		return s.name(name, base)
	}
	if base != opencodeDefaults[name] {
		s.Upstreams[name] = base
	}
	return "/v1"
}

// opencodeProviders are those of which the person has anything, sorted.
func opencodeProviders(doc, logins map[string]any, chosen string, env Env) []string {
	all := map[string]bool{}
	for name := range tableAt(doc, "provider") {
		all[name] = true
	}
	for name, login := range logins {
		if kind := textAt(login, "type"); kind == "api" || kind == "oauth" {
			all[name] = true
		}
	}
	for name, keys := range opencodeKeys {
		for _, key := range keys {
			if env.Getenv(key) != "" {
				all[name] = true
			}
		}
	}
	if chosen != "" {
		all[chosen] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// opencodeBase is the address of a provider, or why it is not known.
func opencodeBase(name string, doc, catalogue map[string]any, env Env) (base, why string) {
	base = cmp.Or(textAt(doc, "provider", name, "options", "baseURL"), textAt(doc, "provider", name, "api"))
	if base == "" && opencodeVariable[name] != "" {
		base = env.Getenv(opencodeVariable[name])
	}
	base = cmp.Or(base, opencodeDefaults[name], textAt(catalogue, name, "api"))
	base = opencodeFill(base, env)
	switch {
	case base == "":
		return "", "its address is not known here; set provider." + name + ".options.baseURL in opencode.json"
	case !plainURL(base) || strings.ContainsAny(base, "{}$"):
		return "", "its address " + shown(base) + " is not a plain http or https address"
	}
	for _, list := range []map[string]any{tableAt(doc, "provider", name, "models"), tableAt(catalogue, name, "models")} {
		for model, v := range list {
			if own := textAt(v, "provider", "api"); own != "" && strings.TrimSuffix(own, "/") != strings.TrimSuffix(base, "/") {
				return "", "its model " + model + " has an address of its own"
			}
		}
	}
	return base, ""
}

var opencodeVar = regexp.MustCompile(`\{env:([^}]+)\}`)

// opencodeFill puts in variables as opencode does.
func opencodeFill(text string, env Env) string {
	return opencodeVar.ReplaceAllStringFunc(text, func(m string) string { return env.Getenv(opencodeVar.FindStringSubmatch(m)[1]) })
}

// opencodeConfig is what opencode would work with, and what of it comes from the
// environment already.
func opencodeConfig(env Env) (doc, content map[string]any, err error) {
	doc = map[string]any{}
	var files []string
	both := func(dir string) []string {
		return []string{filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc")}
	}
	global := filepath.Join(cmp.Or(env.Getenv("XDG_CONFIG_HOME"), filepath.Join(env.Home, ".config")), "opencode")
	files = append(append(files, filepath.Join(global, "config.json")), both(global)...)
	if path := env.Getenv("OPENCODE_CONFIG"); path != "" {
		files = append(files, path)
	}
	dirs := upwards(env.Dir)
	slices.Reverse(dirs)
	for _, dir := range dirs {
		files = append(files, both(dir)...)
	}
	for _, dir := range append(dirs, env.Home) {
		files = append(files, both(filepath.Join(dir, ".opencode"))...)
	}
	if dir := env.Getenv("OPENCODE_CONFIG_DIR"); dir != "" {
		files = append(files, both(dir)...)
	}
	for _, path := range files {
		more, err := readJSON(path)
		if err != nil {
			return nil, nil, err
		}
		doc = launch.Merge(doc, more)
	}
	if text := env.Getenv("OPENCODE_CONFIG_CONTENT"); text != "" {
		if content, err = parseJSON("OPENCODE_CONFIG_CONTENT", []byte(text)); err != nil {
			return nil, nil, err
		}
		doc = launch.Merge(doc, content)
	}
	return doc, content, nil
}

// listAt is the list of strings below names.
func listAt(v any, names ...string) []string {
	var all []string
	list, _ := at(v, names...).([]any)
	for _, one := range list {
		if text, ok := one.(string); ok {
			all = append(all, text)
		}
	}
	return all
}
