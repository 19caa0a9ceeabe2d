//go:build e2e

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// ownSetup is one way in which a person has set up an agent. {up} is the address of the
// provider that they mean, {office} one that only their proxy reaches.
type ownSetup struct {
	client  string // a recipe of package client
	what    string
	files   map[string]string // below the home folder; work/ is where the agent is started
	env     []string
	without []string // variables of the recipe that this person does not have
	args    []string // before the recipe's own
	end     []string // behind them
	below   string   // the path at which the provider is
	proxy   bool     // there is a proxy, and the provider is behind it
	want    func(*http.Request) string
	refused string // what is said where the run is refused
	leaves  string // a file that the run leaves in the home folder: a hook of the person's ran
}

const oauth = `{"claudeAiOauth":{"accessToken":"sk-ant-oat01-fake","refreshToken":"sk-ant-ort01-fake","expiresAt":4102444800000,"scopes":["user:inference","user:profile"],"subscriptionType":"max"}}`

// A token of three parts, as Codex takes it apart: with an account and an end far away.
const (
	idToken    = "eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImFAZXhhbXBsZS5jb20iLCJleHAiOjQxMDI0NDQ4MDAsImh0dHBzOi8vYXBpLm9wZW5haS5jb20vYXV0aCI6eyJjaGF0Z3B0X3BsYW5fdHlwZSI6InBsdXMiLCJjaGF0Z3B0X2FjY291bnRfaWQiOiJhY2MtMSIsImNoYXRncHRfdXNlcl9pZCI6InUtMSJ9fQ.c2ln"
	codexLogin = `{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"tokens":{"id_token":"` + idToken + `","access_token":"` + idToken + `","refresh_token":"r","account_id":"acc-1"},"last_refresh":"2026-11-16T00:00:00Z"}`
)

func header(name, want string) func(*http.Request) string {
	return func(r *http.Request) string {
		if got := r.Header.Get(name); got != want {
			return fmt.Sprintf("%s is %q, want %q", name, got, want)
		}
		return ""
	}
}

func ownSetups() []ownSetup {
	const opencodeFake = `"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":"{up}/v1","apiKey":"sk-mine"},"models":{"fake-model":{"name":"Fake","limit":{"context":200000,"output":8000}}}}`
	const codexMine = "[model_providers.mine]\nname = \"Mine\"\nbase_url = \"{up}/v1\"\nwire_api = \"responses\"\nenv_key = \"MINE_KEY\"\nhttp_headers = { \"X-Mine\" = \"yes\" }\nquery_params = { \"api-version\" = \"7\" }\n"
	mine := func(r *http.Request) string {
		if r.Method == http.MethodPost && (r.Header.Get("X-Mine") != "yes" || r.URL.Query().Get("api-version") != "7" || r.Header.Get("Authorization") != "Bearer sk-mine") {
			return fmt.Sprintf("the provider's own settings are missing: %s %v", r.URL, r.Header)
		}
		return ""
	}
	return []ownSetup{
		{client: "claude", what: "base URL in own settings", below: "/llm", files: map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"{up}","ANTHROPIC_AUTH_TOKEN":"tok-1"}}`}, without: []string{"ANTHROPIC_API_KEY"}, want: header("Authorization", "Bearer tok-1")},
		{client: "claude", what: "base URL in the project's settings", below: "/llm", files: map[string]string{"work/.claude/settings.local.json": `{"env":{"ANTHROPIC_BASE_URL":"{up}"}}`}},
		{client: "claude", what: "apiKeyHelper", files: map[string]string{".claude/settings.json": `{"apiKeyHelper":"echo helped","env":{"ANTHROPIC_BASE_URL":"{up}"}}`}, without: []string{"ANTHROPIC_API_KEY"}},
		{client: "claude", what: "own provider (Bedrock)", env: []string{"CLAUDE_CODE_USE_BEDROCK=1"}, refused: "CLAUDE_CODE_USE_BEDROCK"},
		{client: "claude", what: "office proxy", proxy: true, env: []string{"ANTHROPIC_BASE_URL={office}"}},
		{client: "claude", what: "own --settings", files: map[string]string{"mine.json": `{"env":{"ANTHROPIC_BASE_URL":"{up}"},"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch $HOME/hooked"}]}]}}`}, args: []string{"--settings", "{home}/mine.json"}, leaves: "hooked"},
		{client: "claude", what: "login (token)", env: []string{"CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-fake", "ANTHROPIC_BASE_URL={up}"}, without: []string{"ANTHROPIC_API_KEY"}, want: header("Authorization", "Bearer sk-ant-oat01-fake")},
		{client: "claude", what: "login (credentials file)", files: map[string]string{".claude/.credentials.json": oauth}, env: []string{"ANTHROPIC_BASE_URL={up}"}, without: []string{"ANTHROPIC_API_KEY"}, want: header("Authorization", "Bearer sk-ant-oat01-fake")},

		{client: "codex", what: "base URL in own settings", files: map[string]string{".codex/config.toml": "openai_base_url = \"{up}/v1\"\n"}},
		{client: "codex", what: "own provider", below: "/team", files: map[string]string{".codex/config.toml": "model_provider = \"mine\"\n" + codexMine}, env: []string{"MINE_KEY=sk-mine"}, without: []string{"OPENAI_API_KEY"}, want: mine},
		{client: "codex", what: "own provider by -c", below: "/team", files: map[string]string{".codex/config.toml": codexMine}, args: []string{"-c", "model_provider=mine"}, env: []string{"MINE_KEY=sk-mine"}, want: mine},
		{client: "codex", what: "own provider (local)", args: []string{"--oss"}, refused: "--oss"},
		{client: "codex", what: "office proxy", proxy: true, files: map[string]string{".codex/config.toml": "openai_base_url = \"{office}/v1\"\n"}},
		{client: "codex", what: "login (ChatGPT)", below: "/backend-api/codex", files: map[string]string{".codex/auth.json": codexLogin, ".codex/config.toml": "chatgpt_base_url = \"{root}/backend-api/\"\nopenai_base_url = \"{up}\"\n"}, without: []string{"OPENAI_API_KEY"}, want: header("Chatgpt-Account-Id", "acc-1")},

		{client: "opencode", what: "base URL in own settings", below: "/llm", files: map[string]string{".config/opencode/opencode.json": `{"provider":{"anthropic":{"options":{"baseURL":"{up}/v1"}}}}`}},
		{client: "opencode:chat", what: "own provider", below: "/team", files: map[string]string{"work/opencode.jsonc": "{ // mine\n\"provider\":{" + opencodeFake + "},}"}, want: header("Authorization", "Bearer sk-mine")},
		{client: "opencode:chat", what: "own config in a variable", below: "/team", env: []string{`OPENCODE_CONFIG_CONTENT={"provider":{` + opencodeFake + `}}`}, want: header("Authorization", "Bearer sk-mine")},
		{client: "opencode", what: "office proxy", proxy: true, env: []string{"ANTHROPIC_BASE_URL={office}/v1"}},
		{client: "opencode:responses", what: "login (ChatGPT)", files: map[string]string{".local/share/opencode/auth.json": `{"openai":{"type":"oauth","refresh":"r","access":"a","expires":4102444800000}}`}, without: []string{"OPENAI_API_KEY"}, refused: "opencode is to ask the provider openai"},

		{client: "gemini", what: "base URL in own settings", below: "/llm", files: map[string]string{"work/.gemini/.env": "GEMINI_API_KEY=sk-file\nGOOGLE_GEMINI_BASE_URL={up}\n"}, without: []string{"GEMINI_API_KEY"}, want: header("X-Goog-Api-Key", "sk-file")},
		{client: "gemini", what: "own provider (Vertex AI)", files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"vertex-ai"}}}`}, env: []string{"GOOGLE_API_KEY=sk-v", "GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_VERTEX_BASE_URL={up}"}, without: []string{"GEMINI_API_KEY"}},
		{client: "gemini", what: "office proxy", proxy: true, env: []string{"GOOGLE_GEMINI_BASE_URL={office}"}},
		{client: "gemini", what: "login (Google)", files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"oauth-personal"}}}`}, env: []string{"GOOGLE_GENAI_USE_GCA=true", "GOOGLE_CLOUD_ACCESS_TOKEN=ya29.fake", "CODE_ASSIST_ENDPOINT={up}"}, without: []string{"GEMINI_API_KEY"}, want: header("Authorization", "Bearer ya29.fake")},

		{client: "qwen", what: "base URL in own settings", below: "/llm", files: map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}},"env":{"OPENAI_BASE_URL":"{up}/v1","OPENAI_API_KEY":"sk-file"}}`}, without: []string{"OPENAI_API_KEY"}, want: header("Authorization", "Bearer sk-file")},
		{client: "qwen", what: "own provider", below: "/team", files: map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}},"model":{"name":"fake-model"},"modelProviders":{"openai":[{"id":"fake-model","name":"Mine","baseUrl":"{up}/v1","envKey":"MINE_KEY"}]}}`}, env: []string{"MINE_KEY=sk-mine"}, without: []string{"OPENAI_API_KEY", "OPENAI_MODEL"}, want: header("Authorization", "Bearer sk-mine")},
		{client: "qwen", what: "office proxy", proxy: true, env: []string{"OPENAI_BASE_URL={office}/v1"}},
		{client: "qwen", what: "login (Qwen)", files: map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"qwen-oauth"}}}`}, without: []string{"OPENAI_API_KEY"}, refused: "Qwen OAuth"},

		{client: "goose", what: "base URL in own settings", below: "/llm", files: map[string]string{".config/goose/config.yaml": "GOOSE_PROVIDER: openai\nGOOSE_MODEL: fake-model\nOPENAI_HOST: {up}\n"}, without: []string{"GOOSE_PROVIDER", "GOOSE_MODEL"}},
		{client: "goose", what: "own provider", files: map[string]string{".config/goose/custom_providers/mine.json": `{"name":"mine","engine":"openai","display_name":"Mine","api_key_env":"MINE_KEY","base_url":"{up}/v1/chat/completions","models":[{"name":"fake-model","context_limit":100000}]}`}, env: []string{"MINE_KEY=sk-mine", "GOOSE_PROVIDER=mine"}, without: []string{"GOOSE_PROVIDER"}, refused: "custom_providers"},
		{client: "goose", what: "office proxy", proxy: true, env: []string{"OPENAI_HOST={office}"}},

		{client: "pi", what: "base URL in own settings", below: "/llm", files: map[string]string{".pi/agent/models.json": `{"providers":{"anthropic":{"baseUrl":"{up}"}}}`}},
		{client: "pi:chat", what: "own provider", below: "/team", files: map[string]string{".pi/agent/models.json": `{"providers":{"fake":{"baseUrl":"{up}/v1","api":"openai-completions","apiKey":"sk-mine","models":[{"id":"fake-model","name":"Fake","reasoning":false,"input":["text"],"contextWindow":200000,"maxTokens":8000,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}]}}}`}, want: header("Authorization", "Bearer sk-mine")},
		{client: "pi", what: "office proxy", proxy: true, files: map[string]string{".pi/agent/models.json": `{"providers":{"anthropic":{"baseUrl":"{office}"}}}`}},
		{client: "pi", what: "login (Claude)", files: map[string]string{".pi/agent/models.json": `{"providers":{"anthropic":{"baseUrl":"{up}"}}}`, ".pi/agent/auth.json": `{"anthropic":{"type":"oauth","access":"sk-ant-oat01-fake","refresh":"r","expires":4102444800000}}`}, without: []string{"ANTHROPIC_API_KEY"}, want: header("Authorization", "Bearer sk-ant-oat01-fake")},
	}
}

// TestH9_ARealAgentsOwnSetupIsHonouredAndSteered: whatever a person has set up, the
// requests are steered and reach the provider that they mean, and no other; or the run is
// refused with a reason. TRIMTAB_E2E_TABLE names a file for what was seen.
func TestH9_ARealAgentsOwnSetupIsHonouredAndSteered(t *testing.T) {
	trimtab := built(t)
	var table strings.Builder
	for _, s := range ownSetups() {
		t.Run(strings.ReplaceAll(s.client, ":", "-")+"/"+s.what, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			name, _, _ := strings.Cut(s.client, ":")
			paths, err := client.Install(ctx, name)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			fmt.Fprintf(&table, "| %s | %s | %s |\n", s.client, s.what, runOwnSetup(ctx, t, trimtab, s, name, paths))
		})
	}
	if file := os.Getenv("TRIMTAB_E2E_TABLE"); file != "" {
		if err := os.WriteFile(file, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// asked is what came to a provider or a proxy.
type asked struct {
	mu  sync.Mutex
	all []string
	bad []string
}

func (a *asked) note(r *http.Request, bad string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, r.Method+" "+r.URL.String())
	if bad != "" {
		a.bad = append(a.bad, bad)
	}
}

// office is a provider below a path, a proxy that reaches one under another name, and a
// server that stands for every other address.
func office(t *testing.T, s ownSetup, model *fakemodel.Model) (up, proxy, wrong string, seen, elsewhere *asked) {
	t.Helper()
	seen, elsewhere = &asked{}, &asked{}
	serve := func(h http.HandlerFunc) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	logins := model.Logins()
	answer := func(w http.ResponseWriter, r *http.Request, path string) {
		bad := ""
		if s.want != nil && r.Method == http.MethodPost {
			bad = s.want(r)
		}
		seen.note(r, bad)
		r.URL.Path = path
		logins.ServeHTTP(w, r)
	}
	up = serve(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if !strings.HasPrefix(s.below, "/backend-api") {
			path = strings.TrimPrefix(path, s.below)
		}
		if strings.HasPrefix(r.URL.Path, s.below) {
			answer(w, r, strings.Replace(path, "/v1beta1/publishers/google/models/", "/v1beta/models/", 1))
			return
		}
		http.NotFound(w, r)
	})
	proxy = serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Hostname() == "model.office.test" {
			answer(w, r, r.URL.Path)
			return
		}
		if host, _, _ := strings.Cut(r.Host, ":"); host == "127.0.0.1" || host == "localhost" {
			elsewhere.note(r, "")
		}
		http.Error(w, "the proxy knows no such host", http.StatusBadGateway)
	})
	wrong = serve(func(w http.ResponseWriter, r *http.Request) {
		elsewhere.note(r, "")
		http.NotFound(w, r)
	})
	return up, proxy, wrong, seen, elsewhere
}

func runOwnSetup(ctx context.Context, t *testing.T, trimtab string, s ownSetup, name string, paths client.Paths) string {
	model := fakemodel.New(fakemodel.Options{Script: fakemodel.ToolThenText("All done here.", fakemodel.Run("echo step"))})
	up, proxy, wrong, seen, elsewhere := office(t, s, model)
	agent, err := client.Command(s.client, "", "please tidy this folder")
	if err != nil {
		t.Fatal(err)
	}
	agent.Home = t.TempDir()
	fill := strings.NewReplacer("{up}", up+s.below, "{root}", up, "{office}", "http://model.office.test", "{home}", agent.Home).Replace
	agent.Env = slices.DeleteFunc(agent.Env, func(e string) bool { k, _, _ := strings.Cut(e, "="); return slices.Contains(s.without, k) })
	for _, e := range s.env {
		agent.Env = append(agent.Env, fill(e))
	}
	if s.proxy {
		agent.Env = append(agent.Env, "HTTP_PROXY="+proxy, "HTTPS_PROXY="+proxy, "http_proxy="+proxy, "https_proxy="+proxy)
	}
	config, _ := json.Marshal(map[string]any{"gateway": map[string]any{"upstreams": map[string]string{"anthropic": wrong, "openai": wrong, "gemini": wrong, "codeassist": wrong}}})
	agent.Files[".config/trimtab/trimtab.json"] = string(config)
	for path, text := range s.files {
		agent.Files[path] = fill(text)
	}
	args := []string{}
	for _, a := range slices.Concat(s.args, agent.Args, s.end) {
		args = append(args, fill(a))
	}
	agent.Args = args
	cmd, err := agent.Prepare(ctx, paths)
	if err != nil {
		t.Fatal(err)
	}
	known, _ := launch.Find(name)
	bin := t.TempDir()
	if err := os.Symlink(paths.Bin, filepath.Join(bin, known.Command)); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(ctx, trimtab, append([]string{"run", "--mode", "planning", "--data", t.TempDir(), name}, agent.Args...)...)
	run.Dir, run.WaitDelay = cmd.Dir, 5*time.Second
	for _, e := range cmd.Env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			e = "PATH=" + bin + string(os.PathListSeparator) + path
		}
		run.Env = append(run.Env, e)
	}
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	err = run.Run()
	told := fmt.Sprintf("%v\nstdout: %s\nstderr: %s\nat the provider: %q\nelsewhere: %q", err, tail(stdout.String()), tail(stderr.String()), seen.all, elsewhere.all)
	if s.refused != "" {
		if err == nil || !strings.Contains(stderr.String(), s.refused) || len(seen.all)+len(elsewhere.all) > 0 {
			t.Fatalf("not refused with %q: %s", s.refused, told)
		}
		return "refused: " + strings.TrimPrefix(strings.TrimSpace(stderr.String()), "trimtab: ")
	}
	steered := 0
	for _, r := range model.Main() {
		if strings.Contains(r.Transcript(), "PLANNING MODE") {
			steered++
		}
	}
	if steered == 0 || steered != len(model.Main()) || !strings.Contains(stdout.String(), "All done here.") {
		t.Fatalf("%d of %d requests were steered: %s", steered, len(model.Main()), told)
	}
	if len(elsewhere.all) > 0 {
		t.Errorf("requests went elsewhere: %s", told)
	}
	for _, bad := range seen.bad {
		t.Errorf("%s", bad)
	}
	if strings.Contains(stderr.String(), "no request of") {
		t.Errorf("said that nothing came: %s", told)
	}
	if s.leaves != "" {
		if _, err := os.Stat(filepath.Join(agent.Home, s.leaves)); err != nil {
			t.Errorf("the person's own did not happen: %v", err)
		}
	}
	return fmt.Sprintf("%d of %d steered, 0 elsewhere", steered, len(model.Main()))
}
