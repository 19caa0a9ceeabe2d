package setup

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host"
)

// piDefaults are the addresses of the providers that pi has built in and that the
// gateway reads.
var piDefaults = map[string]string{
	"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1", "google": "https://generativelanguage.googleapis.com/v1beta",
	"openai-codex": "https://chatgpt.com/backend-api", "openrouter": "https://openrouter.ai/api/v1", "groq": "https://api.groq.com/openai/v1",
	"xai": "https://api.x.ai/v1", "deepseek": "https://api.deepseek.com", "cerebras": "https://api.cerebras.ai/v1",
	"mistral": "https://api.mistral.ai", "moonshotai": "https://api.moonshot.ai/v1", "zai": "https://api.z.ai/api/coding/paas/v4", "together": "https://api.together.ai/v1",
	"minimax": "https://api.minimax.io/anthropic", "huggingface": "https://router.huggingface.co/v1", "nvidia": "https://integrate.api.nvidia.com/v1",
}

// own takes the address of one of the gateway's own providers, where it is another one
// than the usual.
func (s *Setup) own(name, base string) {
	if base != piDefaults[name] {
		s.Upstreams[name] = base
	}
}

// pi leads each provider of pi's settings, and the usual ones, through the gateway with
// an extension for the run.
func pi(s *Setup, env Env) error {
	folder := cmp.Or(env.Getenv("PI_CODING_AGENT_DIR"), filepath.Join(env.Home, ".pi", "agent"))
	models, err := readJSON(filepath.Join(folder, "models.json"))
	if err != nil {
		return err
	}
	settings, err := readJSON(filepath.Join(folder, "settings.json"))
	if err != nil {
		return err
	}
	named, _, both := strings.Cut(flag(env.Args, "--model", "-m"), "/")
	if !both {
		named = ""
	}
	chosen := cmp.Or(flag(env.Args, "--provider"), named, textAt(settings, "defaultProvider"))
	bases := maps.Clone(piDefaults)
	for name := range tableAt(models, "providers") {
		if base := textAt(models, "providers", name, "baseUrl"); base != "" {
			bases[name] = base
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(bases)) {
		base := bases[name]
		switch {
		case env.ours(base):
			return fmt.Errorf("pi's provider %s is a gateway of trimtab already; start pi without trimtab run", name)
		case !plainURL(base):
			s.note("pi's provider %s is not steered in this run: its baseUrl %s is not a plain http or https address", name, shown(base))
			continue
		}
		path := ""
		switch name {
		case "anthropic": // the gateway's own, which --upstream may name
			s.own(name, base)
		case "openai":
			s.own(name, base)
			path = "/v1"
		default:
			path = s.name(name, base)
		}
		quoted, _ := json.Marshal(name) // a string can be written
		fmt.Fprintf(&text, "  pi.registerProvider(%s, { baseUrl: \"{url}/s/{session}%s\" });\n", quoted, path)
	}
	if chosen != "" && !plainURL(bases[chosen]) {
		return fmt.Errorf("pi is to ask the provider %s, whose address is not known here; give it a baseUrl in %s, or choose another with --provider", chosen, filepath.Join(folder, "models.json"))
	}
	s.Main = withProviders(text.String())
	return nil
}

// withProviders is the extension of a run with other providers than the usual ones.
func withProviders(lines string) string {
	h, _ := host.Find("pi")
	head, rest, _ := strings.Cut(h.Launch.File.Text, "\n")
	for strings.HasPrefix(rest, "  pi.registerProvider(") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return head + "\n" + lines + rest
}
