package setup

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/trimtab/trimtab/host/launch"
)

// The address that Codex asks after a login with ChatGPT.
const chatGPT = "https://chatgpt.com/backend-api/codex"

// codexKey is the header in which Codex sends the secret of the run: its base URL comes
// on the command line, which every user can read.
const codexKey = `"X-Trimtab-Key"="TRIMTAB_RUN_KEY"`

// codexName is a provider that can be named in an override on the command line, which
// Codex takes apart at its dots.
var codexName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// codex finds the provider that Codex would ask. One of the person's own keeps all that
// it has (keys, headers, queries, format) but its address; the built-in one takes no
// other address together with a header, so a provider of ours stands in for it.
func codex(s *Setup, env Env) error {
	s.Upstreams["openai"] = "" // not OPENAI_BASE_URL, which Codex does not read
	home := cmp.Or(env.Getenv("CODEX_HOME"), filepath.Join(env.Home, ".codex"))
	doc, err := codexConfig(home, env)
	if err != nil {
		return err
	}
	if local := flag(env.Args, "--local-provider"); local != "" || hasFlag(env.Args, "--oss") {
		return fmt.Errorf("codex --oss asks a model on this machine in a way that a run cannot lead through the gateway; describe it as a provider in %s and choose that with -c model_provider=NAME", filepath.Join(home, "config.toml"))
	}
	provider := cmp.Or(textAt(doc, "model_provider"), "openai")
	own := tableAt(doc, "model_providers", provider)
	base := textAt(own, "base_url")
	switch {
	case provider == "openai":
		return s.codexBuiltIn(home, doc, env)
	case own == nil:
		return fmt.Errorf("codex is to ask the provider %q, which does not pass the gateway of a run: only those of your own in %s and its usual one do", provider, filepath.Join(home, "config.toml"))
	case !codexName.MatchString(provider):
		return fmt.Errorf("codex is to ask the provider %q, whose name cannot be given on its command line; rename it in config.toml to letters, digits, - and _", provider)
	case base == "" && at(own, "requires_openai_auth") != true:
		return fmt.Errorf("codex is to ask the provider %q, which has no base_url in config.toml: where its requests would go is not known", provider)
	case base == "":
		login, err := codexLogin(home, doc)
		if err != nil {
			return err
		}
		base = map[bool]string{true: chatGPT, false: "https://api.openai.com/v1"}[login == "chatgpt"]
	case !plainURL(base):
		return fmt.Errorf("codex is to ask the provider %q, whose base_url %s is not a plain http or https address", provider, shown(base))
	}
	s.HasKey = true
	if env.ours(base) {
		return fmt.Errorf("codex is to ask the provider %q, which is a gateway of trimtab already; start codex without trimtab run, or choose another with -c model_provider=NAME", provider)
	}
	prefix := "model_providers." + provider + "."
	s.Args = []string{"-c", prefix + `base_url="{origin}` + s.name(provider, base) + `"`, "-c", prefix + `env_http_headers.X-Trimtab-Key="TRIMTAB_RUN_KEY"`}
	return nil
}

// codexBuiltIn leads the built-in provider through the gateway, with the credentials
// that it would use itself.
func (s *Setup) codexBuiltIn(home string, doc map[string]any, env Env) error {
	stand := func(base, auth string) []string {
		return []string{
			"-c", `model_provider="trimtab"`,
			"-c", `model_providers.trimtab={name="Trimtab",base_url="{origin}` + base + `",wire_api="responses",` + auth + `,env_http_headers={` + codexKey + `}}`,
		}
	}
	base := textAt(doc, "openai_base_url")
	if base != "" && !env.ours(base) {
		s.Upstreams["openai"] = base
	}
	if env.Getenv("CODEX_API_KEY") != "" {
		s.HasKey, s.Args = true, stand("/v1", `env_key="CODEX_API_KEY"`)
		return nil
	}
	login, err := codexLogin(home, doc)
	if err != nil {
		return err
	}
	const own = `requires_openai_auth=true,supports_websockets=false`
	switch {
	case login == "chatgpt":
		s.HasKey, s.Args = true, stand(s.name("chatgpt", cmp.Or(base, chatGPT)), own)
		s.Upstreams["openai"] = ""
	case login == "apikey":
		s.HasKey, s.Args = true, stand("/v1", own)
	case env.Getenv("OPENAI_API_KEY") != "":
	case textAt(doc, "cli_auth_credentials_store") == "keyring":
		return fmt.Errorf(`codex keeps its login in the system's keyring, which is not read here, so where its requests go is not known; set cli_auth_credentials_store = "file" in %s and log in again, or set OPENAI_API_KEY`, filepath.Join(home, "config.toml"))
	default:
		return fmt.Errorf("codex has no login in %s, and it talks to its model with OPENAI_API_KEY, which is not set; run codex login, or set it", filepath.Join(home, "auth.json"))
	}
	return nil
}

// codexLogin says what Codex has stored to identify itself with: "chatgpt", "apikey" or
// nothing. Of the file only what is there is looked at, not what it is.
func codexLogin(home string, doc map[string]any) (string, error) {
	auth, err := readJSON(filepath.Join(home, "auth.json"))
	if err != nil || auth == nil || textAt(doc, "cli_auth_credentials_store") == "keyring" {
		return "", err
	}
	mode, key := textAt(auth, "auth_mode"), textAt(auth, "OPENAI_API_KEY")
	switch {
	case mode == "apikey" || mode == "" && key != "":
		return "apikey", nil
	case len(tableAt(auth, "tokens")) > 0:
		return "chatgpt", nil
	case mode != "":
		return "", fmt.Errorf("codex is logged in in a way that is not known here (%s); set OPENAI_API_KEY, or log in with codex login", mode)
	}
	return "", nil
}

// codexConfig is the configuration that Codex would work with: the machine's, the
// person's, the project's, that of the profile, and what the command line says.
func codexConfig(home string, env Env) (map[string]any, error) {
	doc := map[string]any{}
	machine := env.machine("/etc/codex", "/etc/codex", `C:\ProgramData\OpenAI\Codex`)
	insisted, err := readTOML(filepath.Join(machine, "managed_config.toml"))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"model_provider", "model_providers", "openai_base_url"} {
		if insisted[name] != nil {
			return nil, fmt.Errorf("the managed configuration of this machine says whom codex asks (%s in %s), and no run may change that", name, filepath.Join(machine, "managed_config.toml"))
		}
	}
	for _, path := range []string{filepath.Join(machine, "config.toml"), filepath.Join(home, "config.toml")} {
		more, err := readTOML(path)
		if err != nil {
			return nil, err
		}
		doc = launch.Merge(doc, more)
	}
	project, err := codexProject(home, doc, env)
	if err != nil {
		return nil, err
	}
	doc = launch.Merge(doc, project)
	said := codexOverrides(env.Args)
	if name := cmp.Or(flag(env.Args, "--profile", "-p"), textAt(said, "profile"), textAt(doc, "profile")); name != "" {
		doc = launch.Merge(doc, tableAt(doc, "profiles", name))
		if codexName.MatchString(name) { // newer versions have a file for each
			more, err := readTOML(filepath.Join(home, name+".config.toml"))
			if err != nil {
				return nil, err
			}
			doc = launch.Merge(doc, more)
		}
	}
	return launch.Merge(doc, said), nil
}

// codexProject is what files of the folder say, where the person trusts it.
func codexProject(home string, doc map[string]any, env Env) (map[string]any, error) {
	all := map[string]any{}
	dirs := upwards(env.Dir)
	for i := len(dirs) - 1; i >= 0; i-- {
		path := filepath.Join(dirs[i], ".codex")
		if path == home || textAt(doc, "projects", dirs[i], "trust_level") != "trusted" {
			continue
		}
		more, err := readTOML(filepath.Join(path, "config.toml"))
		if err != nil {
			return nil, err
		}
		all = launch.Merge(all, more)
	}
	return all, nil
}

// codexOverrides are the values that the command line sets: -c a.b=VALUE, as TOML or as
// text.
func codexOverrides(args []string) map[string]any {
	all := map[string]any{}
	for i, a := range args {
		if a == "--" {
			break
		}
		text := ""
		switch {
		case (a == "-c" || a == "--config") && i+1 < len(args):
			text = args[i+1]
		case strings.HasPrefix(a, "--config="):
			text = strings.TrimPrefix(a, "--config=")
		case strings.HasPrefix(a, "-c") && len(a) > 2:
			text = strings.TrimPrefix(strings.TrimPrefix(a, "-c"), "=")
		}
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			continue
		}
		var parsed struct{ V any }
		if toml.Unmarshal([]byte("v="+value), &parsed) != nil {
			parsed.V = strings.Trim(strings.TrimSpace(value), `"'`)
		}
		one := parsed.V
		parts := strings.Split(strings.TrimSpace(name), ".")
		for j := len(parts) - 1; j >= 0; j-- {
			one = map[string]any{parts[j]: one}
		}
		more, _ := one.(map[string]any)
		all = launch.Merge(all, more)
	}
	return all
}

func readTOML(path string) (map[string]any, error) {
	text, err := read(path)
	if err != nil || len(text) == 0 {
		return nil, err
	}
	doc := map[string]any{}
	if err := toml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s is no TOML, so where the agent's requests go is not known: %w", path, err)
	}
	return doc, nil
}

func hasFlag(args []string, name string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if a == name {
			return true
		}
	}
	return false
}
