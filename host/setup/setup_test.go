package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/host/setup"
)

// person is a home folder with a project in it.
type person struct {
	files map[string]string // below the home folder; work/ is the project
	env   map[string]string
	args  []string
}

// The root of the machine is the home folder, too: etc/ is below it.

func (p person) read(t *testing.T, host string) (setup.Setup, error) {
	t.Helper()
	home := t.TempDir()
	env := setup.Env{
		Getenv: func(name string) string { return p.env[name] }, Home: home, Dir: filepath.Join(home, "work"), Args: p.args, System: "linux", Root: home,
		Ours: func(u string) bool { return strings.Contains(u, "/k/") },
	}
	for name, text := range p.files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(env.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return setup.Read(host, env)
}

// told is all that an agent would be told.
func told(s setup.Setup) string {
	text := strings.Join(s.Args, "\n") + s.Main
	for k, v := range s.Env {
		text += "\n" + k + "=" + v
	}
	for _, f := range s.Files {
		text += "\n" + f.Text
	}
	return text
}

const (
	codexMine = "[model_providers.mine]\nbase_url = \"https://gw.example/team/v1\"\nenv_key = \"K\"\n"
	chatGPT   = `{"auth_mode":"chatgpt","tokens":{"access_token":"SECRET-TOKEN","account_id":"a"}}`
)

// TestH9_WhatAPersonHasSetUpIsWhereRequestsGo: for each agent and each place where it
// looks, the upstream that it would have had itself, and nothing of a key.
func TestH9_WhatAPersonHasSetUpIsWhereRequestsGo(t *testing.T) {
	for _, c := range []struct {
		name, host string
		person
		upstreams, named map[string]string
		tells            []string
		settings         any
	}{
		{name: "claude: a variable alone is known to every run", host: "claude", person: person{env: map[string]string{"ANTHROPIC_BASE_URL": "https://env.example"}}},
		{
			name: "claude: the person's settings", host: "claude",
			person:    person{env: map[string]string{"ANTHROPIC_BASE_URL": "https://env.example"}, files: map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://gw.example/llm/x"}}`}},
			upstreams: map[string]string{"anthropic": "https://gw.example/llm/x"}, settings: map[string]any{"env": map[string]any{"ANTHROPIC_BASE_URL": "{url}"}},
		},
		{
			name: "claude: the project's local settings count for more", host: "claude",
			person:    person{files: map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://user.example"}}`, "work/.claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://project.example"}}`, "work/.claude/settings.local.json": `{"env":{"ANTHROPIC_BASE_URL":"https://local.example"}}`}},
			upstreams: map[string]string{"anthropic": "https://local.example"}, settings: map[string]any{"env": map[string]any{"ANTHROPIC_BASE_URL": "{url}"}},
		},
		{
			name: "claude: --settings count for more still", host: "claude",
			person:    person{args: []string{"-p", `--settings={"env":{"ANTHROPIC_BASE_URL":"https://flag.example"}}`}, files: map[string]string{"work/.claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://project.example"}}`}},
			upstreams: map[string]string{"anthropic": "https://flag.example"}, settings: map[string]any{"env": map[string]any{"ANTHROPIC_BASE_URL": "{url}"}},
		},
		{name: "claude: sources that are left out", host: "claude", person: person{args: []string{"--setting-sources", "project,local"}, files: map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://user.example"}}`}}},
		{
			name: "claude: a gateway of ours is not gone through twice", host: "claude",
			person:   person{files: map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:8787/k/ABC"}}`}},
			settings: map[string]any{"env": map[string]any{"ANTHROPIC_BASE_URL": "{url}"}},
		},
		{
			name: "codex: an own provider keeps all but its address", host: "codex",
			person: person{files: map[string]string{".codex/config.toml": "model_provider = \"mine\"\n" + codexMine}},
			named:  map[string]string{"mine": "https://gw.example/team/v1"},
			tells:  []string{`model_providers.mine.base_url="{origin}/u/mine"`, `model_providers.mine.env_http_headers.X-Trimtab-Key="TRIMTAB_RUN_KEY"`},
		},
		{name: "codex: -c chooses it", host: "codex", person: person{args: []string{"exec", "-c", "model_provider=mine", "x"}, files: map[string]string{".codex/config.toml": codexMine}}, named: map[string]string{"mine": "https://gw.example/team/v1"}},
		{name: "codex: a profile chooses it", host: "codex", person: person{args: []string{"--profile", "work"}, files: map[string]string{".codex/config.toml": codexMine + "[profiles.work]\nmodel_provider = \"mine\"\n"}}, named: map[string]string{"mine": "https://gw.example/team/v1"}},
		{name: "codex: a profile in a file of its own", host: "codex", person: person{args: []string{"--profile=work"}, files: map[string]string{".codex/config.toml": codexMine, ".codex/work.config.toml": "model_provider = \"mine\"\n"}}, named: map[string]string{"mine": "https://gw.example/team/v1"}},
		{
			name: "codex: a login with ChatGPT", host: "codex", person: person{env: map[string]string{"OPENAI_API_KEY": "k"}, files: map[string]string{".codex/auth.json": chatGPT}},
			named: map[string]string{"chatgpt": "https://chatgpt.com/backend-api/codex"}, tells: []string{`base_url="{origin}/u/chatgpt"`, "requires_openai_auth=true"},
		},
		{name: "codex: a key that it keeps", host: "codex", person: person{files: map[string]string{".codex/auth.json": `{"OPENAI_API_KEY":"SECRET-TOKEN"}`}}, tells: []string{`base_url="{origin}/v1"`, "requires_openai_auth=true"}},
		{name: "codex: another address of the usual provider", host: "codex", person: person{env: map[string]string{"CODEX_API_KEY": "SECRET-TOKEN"}, files: map[string]string{".codex/config.toml": "openai_base_url = \"https://eu.example/v1\"\n"}}, upstreams: map[string]string{"openai": "https://eu.example/v1"}, tells: []string{`env_key="CODEX_API_KEY"`}},
		{
			name: "opencode: every provider at its own address", host: "opencode",
			person: person{files: map[string]string{
				".config/opencode/opencode.json": `{"provider":{"mine":{"options":{"baseURL":"{env:BASE}/v1","apiKey":"SECRET-TOKEN"}}}}`, "work/opencode.jsonc": "{ // a comment\n\"provider\":{\"anthropic\":{\"options\":{\"baseURL\":\"https://gw.example/v1\"}},}, }",
				".local/share/opencode/auth.json": `{"openrouter":{"type":"api","key":"SECRET-TOKEN"}}`,
			}, env: map[string]string{"BASE": "https://mine.example"}},
			upstreams: map[string]string{"anthropic": "https://gw.example/v1"}, named: map[string]string{"mine": "https://mine.example/v1", "openrouter": "https://openrouter.ai/api/v1"},
			tells: []string{`"mine":{"options":{"baseURL":"{url}/u/mine"}}`, `"anthropic":{"options":{"baseURL":"{url}/v1"}}`},
		},
		{name: "opencode: settings in a variable stay", host: "opencode", person: person{env: map[string]string{"OPENCODE_CONFIG_CONTENT": `{"theme":"x","provider":{"mine":{"options":{"baseURL":"https://mine.example"}}}}`}}, named: map[string]string{"mine": "https://mine.example"}, tells: []string{`"theme":"x"`, `"baseURL":"{url}/u/mine"`}},
		{name: "gemini: a file of variables", host: "gemini", person: person{files: map[string]string{"work/.env": "# mine\nexport GEMINI_API_KEY='SECRET-TOKEN'\nGOOGLE_GEMINI_BASE_URL=https://gw.example # office\n"}}, upstreams: map[string]string{"gemini": "https://gw.example"}},
		{name: "gemini: a login with Google", host: "gemini", person: person{files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"oauth-personal"}}}`}}, tells: []string{"CODE_ASSIST_ENDPOINT={url}/s/{session}"}},
		{name: "gemini: Vertex AI in a place", host: "gemini", person: person{env: map[string]string{"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "europe-west1"}}, named: map[string]string{"vertex": "https://europe-west1-aiplatform.googleapis.com"}, tells: []string{"GOOGLE_VERTEX_BASE_URL={url}/s/{session}/u/vertex"}},
		{name: "qwen: settings", host: "qwen", person: person{files: map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai","apiKey":"SECRET-TOKEN","baseUrl":"https://gw.example/v1"}}}`}}, upstreams: map[string]string{"openai": "https://gw.example/v1"}},
		{
			name: "qwen: models of providers", host: "qwen", person: person{files: map[string]string{".qwen/settings.json": `{"modelProviders":{"openai":[{"id":"a","baseUrl":"https://a.example/v1"},{"id":"b","baseUrl":"https://b.example/v1"},{"id":"c","baseUrl":"https://a.example/v1"}]}}`}},
			named: map[string]string{"openai-1": "https://a.example/v1", "openai-2": "https://b.example/v1"}, tells: []string{"QWEN_CODE_SYSTEM_SETTINGS_PATH={dir}/system.json", `"baseUrl":"{url}/s/{session}/u/openai-2","id":"b"`},
		},
		{name: "goose: settings", host: "goose", person: person{files: map[string]string{".config/goose/config.yaml": "extensions:\n  OPENAI_HOST: no\nGOOSE_PROVIDER: \"openai\"\nOPENAI_HOST: https://gw.example # office\n"}}, upstreams: map[string]string{"openai": "https://gw.example"}},
		{name: "codex: what the machine has", host: "codex", person: person{env: map[string]string{"OPENAI_API_KEY": "k"}, files: map[string]string{"etc/codex/config.toml": "openai_base_url = \"https://eu.example/v1\"\n"}}, upstreams: map[string]string{"openai": "https://eu.example/v1"}},
		{name: "codex: a project that is not trusted says nothing", host: "codex", person: person{env: map[string]string{"OPENAI_API_KEY": "k"}, files: map[string]string{"work/.codex/config.toml": "openai_base_url = \"https://evil.example/v1\"\n"}}},
		{name: "goose: a second provider", host: "goose", person: person{env: map[string]string{"GOOSE_PROVIDER": "openai", "GOOSE_LEAD_PROVIDER": "google"}}, named: map[string]string{"google": "https://generativelanguage.googleapis.com"}, tells: []string{"GOOGLE_HOST={url}/u/google"}},
		{name: "goose: another provider", host: "goose", person: person{env: map[string]string{"GOOSE_PROVIDER": "openrouter"}}, named: map[string]string{"openrouter": "https://openrouter.ai"}, tells: []string{"OPENROUTER_HOST={url}/u/openrouter"}},
		{name: "pi: models", host: "pi", person: person{files: map[string]string{".pi/agent/models.json": `{"providers":{"anthropic":{"baseUrl":"https://gw.example"}}}`}}, upstreams: map[string]string{"anthropic": "https://gw.example"}, tells: []string{`pi.registerProvider("anthropic", { baseUrl: "{url}/s/{session}" })`, `pi.registerProvider("openai-codex", { baseUrl: "{url}/s/{session}/u/openai-codex" })`}},
		{name: "an agent of which nothing is known", host: "gateway"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.read(t, c.host)
			if err != nil {
				t.Fatal(err)
			}
			if c.upstreams == nil {
				c.upstreams = map[string]string{}
			}
			if base, ok := got.Upstreams["openai"]; c.host == "codex" && !ok {
				t.Error("OPENAI_BASE_URL would count, which Codex does not read")
			} else if base == "" {
				delete(got.Upstreams, "openai")
			}
			if diff := cmp.Diff(c.upstreams, got.Upstreams); diff != "" {
				t.Errorf("upstreams: %s", diff)
			}
			if c.host != "pi" {
				if c.named == nil {
					c.named = map[string]string{}
				}
				if diff := cmp.Diff(c.named, got.Named); diff != "" {
					t.Errorf("named: %s", diff)
				}
			}
			text := told(got)
			for _, want := range c.tells {
				if !strings.Contains(text, want) {
					t.Errorf("the agent is not told %s: %s", want, text)
				}
			}
			var settings any
			if got.Settings != nil {
				settings = got.Settings
			}
			if diff := cmp.Diff(c.settings, settings); diff != "" {
				t.Errorf("settings: %s", diff)
			}
			if strings.Contains(strings.Join(got.Args, " ")+strings.Join(got.Notes, " "), "SECRET-TOKEN") || strings.Contains(strings.Join(got.Args, " "), "{url}") {
				t.Errorf("a secret on the command line: %q", got.Args)
			}
		})
	}
}

// TestH9_WhatCannotBeSteeredIsRefusedWithAReason: a run that would be unsteered, or go
// elsewhere, does not start.
func TestH9_WhatCannotBeSteeredIsRefusedWithAReason(t *testing.T) {
	for _, c := range []struct {
		host string
		person
		want string
	}{
		{"claude", person{env: map[string]string{"CLAUDE_CODE_USE_VERTEX": "1"}}, "trimtab install claude"},
		{"claude", person{files: map[string]string{".claude/settings.json": `{"env":{"CLAUDE_CODE_USE_BEDROCK":"1"}}`}}, "settings.json"},
		{"claude", person{files: map[string]string{".claude/settings.json": `{"env":{"HTTPS_PROXY":"http://p.example"}}`}}, "export HTTPS_PROXY"},
		{"claude", person{files: map[string]string{".claude/settings.json": `{"env":`}}, "settings.json is no JSON"},
		{"claude", person{files: map[string]string{"etc/claude-code/managed-settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://office.example"}}`, ".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://x"}}`}}, "managed settings of this machine lead Claude Code to https://office.example"},
		{"claude", person{files: map[string]string{"etc/claude-code/managed-settings.d/10-a.json": `{"env":{"CLAUDE_CODE_USE_BEDROCK":1}}`}}, "10-a.json"},
		{"codex", person{files: map[string]string{"etc/codex/managed_config.toml": "model_provider = \"x\"\n"}}, "managed configuration"},
		{"opencode", person{files: map[string]string{".local/state/opencode/model.json": `{"recent":[{"providerID":"github-copilot","modelID":"x"}]}`, ".local/share/opencode/auth.json": `{"github-copilot":{"type":"oauth"}}`}}, "after a login"},
		{"codex", person{}, "codex login"},
		{"codex", person{args: []string{"--oss"}}, "--oss"},
		{"codex", person{files: map[string]string{".codex/config.toml": "model_provider = \"ollama\"\n"}}, `"ollama"`},
		{"codex", person{files: map[string]string{".codex/config.toml": "model_provider = \"a.b\"\n[model_providers.\"a.b\"]\nbase_url = \"https://x\"\n"}}, "rename it"},
		{"codex", person{files: map[string]string{".codex/config.toml": "model_provider = \"x\"\n[model_providers.x]\nname = \"X\"\n"}}, "no base_url"},
		{"codex", person{files: map[string]string{".codex/config.toml": "cli_auth_credentials_store = \"keyring\"\n"}}, "keyring"},
		{"codex", person{files: map[string]string{".codex/config.toml": "a = = b"}}, "config.toml is no TOML"},
		{"codex", person{files: map[string]string{".codex/auth.json": "x"}}, "auth.json is no JSON"},
		{"opencode", person{args: []string{"run", "-m", "strange/model"}}, "strange"},
		{"opencode", person{args: []string{"-m", "openai/x"}, files: map[string]string{".local/share/opencode/auth.json": `{"openai":{"type":"oauth"}}`}}, "after a login"},
		{"gemini", person{}, "GEMINI_API_KEY"},
		{"gemini", person{files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"new-kind"}}}`}}, "new-kind"},
		{"qwen", person{files: map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"qwen-oauth"}}}`}}, "Qwen OAuth"},
		{"claude", person{files: map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://u:SECRET@gw.example/x?key=SECRET"}}`}}, "https://gw.example/x in "},
		{"codex", person{files: map[string]string{".codex/config.toml": "model_provider = \"x\"\n[model_providers.x]\nbase_url = \"https://gw.example?key=SECRET\"\n"}}, "https://gw.example is not"},
		{"opencode", person{args: []string{"-m", "mine/b"}, files: map[string]string{"work/opencode.json": `{"provider":{"mine":{"options":{"baseURL":"https://a.example"},"models":{"b":{"provider":{"api":"https://b.example"}}}}}}`}}, "model b has an address of its own"},
		{"qwen", person{files: map[string]string{".qwen/settings.json": `{"proxy":"http://p.example"}`}}, "HTTPS_PROXY"},
		{"qwen", person{args: []string{"--openai-base-url", "https://x"}}, "OPENAI_BASE_URL=https://x"},
		{"goose", person{files: map[string]string{".config/goose/config.yaml": "GOOSE_PROVIDER: mine\n", ".config/goose/custom_providers/mine.json": `{"base_url":"https://x"}`}}, "custom_providers"},
		{"pi", person{args: []string{"--provider", "amazon-bedrock"}}, "amazon-bedrock"},
	} {
		t.Run(c.host+" "+c.want, func(t *testing.T) {
			if _, err := c.read(t, c.host); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestH9_SettingsThatCannotBeReadAreSaid: a folder, a pipe, a huge file, one of somebody
// else's: the run says which, and waits for nothing.
func TestH9_SettingsThatCannotBeReadAreSaid(t *testing.T) {
	for _, file := range []struct{ host, path string }{{"claude", ".claude/settings.json"}, {"codex", ".codex/config.toml"}, {"opencode", ".config/opencode/opencode.json"}, {"gemini", ".gemini/settings.json"}, {"qwen", ".qwen/settings.json"}, {"goose", ".config/goose/config.yaml"}, {"pi", ".pi/agent/models.json"}} {
		for kind, spoil := range map[string]func(path string) error{
			"a folder":            func(path string) error { return os.Mkdir(path, 0o700) },
			"too large":           func(path string) error { return os.WriteFile(path, make([]byte, 9<<20), 0o600) },
			"a symlink to itself": func(path string) error { return os.Symlink(path, path) },
			"a pipe":              pipe,
		} {
			t.Run(file.host+" "+kind, func(t *testing.T) {
				home := t.TempDir()
				path := filepath.Join(home, file.path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := spoil(path); err != nil {
					t.Skip(err)
				}
				_, err := setup.Read(file.host, setup.Env{Getenv: func(string) string { return "" }, Home: home, Dir: home, System: "linux", Root: home})
				if err == nil || !strings.Contains(err.Error(), filepath.Base(path)) {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// TestH10_ARunOfPiKeepsItsCommands, whatever providers the person has: one file says both.
func TestH10_ARunOfPiKeepsItsCommands(t *testing.T) {
	home := t.TempDir()
	s, err := setup.Read("pi", setup.Env{Getenv: func(string) string { return "" }, Home: home, Dir: t.TempDir(), System: "linux"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"export default function (pi) {\n  pi.registerProvider(", `pi.on("input"`, `pi.registerCommand("trimtab:" + name`} {
		if strings.Count(s.Main, want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, s.Main)
		}
	}
	if strings.Count(s.Main, `registerProvider("anthropic"`) != 1 {
		t.Errorf("two addresses of one provider:\n%s", s.Main)
	}
}
