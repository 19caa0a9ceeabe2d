package client

import (
	"fmt"
	"slices"
	"strings"
)

// Cmd is one headless run of a client.
type Cmd struct {
	Name  string            // of the client
	API   string            // which of the provider formats it will speak
	Args  []string          // after the program
	Env   []string          // beside what every run gets
	Files map[string]string // settings, by path from the home folder
	Home  string            // the home folder of the run; Run makes what it needs in it
	Dir   string            // the working folder; "" is work in the home folder
}

// recipe is how one client is run with one API. {url} is the model's address and
// {prompt} what is asked. What points at the model stands apart, so that it can
// be left out.
type recipe struct {
	client string
	api    string
	args   []string // {point} is where pointArgs go
	env    []string
	files  map[string]string

	pointArgs  []string
	pointEnv   []string
	pointFiles map[string]string
}

// key is the credential of every run: none.
const key = "sk-test"

// recipes are the commands that were seen to work. The first of a client is the
// one that it runs with when no API is named.
func recipes() []recipe {
	geminiSettings := `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`
	qwenSettings := `{"security":{"auth":{"selectedType":"openai"}}}`
	opencodeEnv := []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"}
	opencodeRun := func(model string) []string {
		return []string{"run", "-m", model, "--format", "json", "{prompt}"}
	}
	piRun := func(provider, model string) []string {
		return []string{"--provider", provider, "--model", model, "-p", "{prompt}"}
	}
	gooseEnv := []string{"GOOSE_DISABLE_KEYRING=1", "GOOSE_MODE=auto"}
	gooseRun := []string{"run", "--with-builtin", "developer", "-t", "{prompt}"}
	return []recipe{
		{
			client: "claude", api: "anthropic",
			args:     []string{"-p", "{prompt}", "--output-format", "json", "--allowedTools", "Bash"},
			env:      []string{"ANTHROPIC_API_KEY=" + key},
			pointEnv: []string{"ANTHROPIC_BASE_URL={url}"},
		},
		{
			client: "codex", api: "responses",
			args: []string{"exec", "--skip-git-repo-check", "-m", "gpt-5.5", "{point}", "{prompt}"},
			env:  []string{"OPENAI_API_KEY=" + key},
			pointArgs: []string{
				"-c", "model_provider=steer",
				"-c", `model_providers.steer={name="Steer",base_url="{url}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`,
			},
		},
		{
			// The built-in provider and its newest model: it tries a WebSocket first, and
			// offers its tools as an item of the input.
			client: "codex", api: "responses-lite",
			args:      []string{"exec", "--skip-git-repo-check", "{point}", "{prompt}"},
			env:       []string{"CODEX_API_KEY=" + key},
			pointArgs: []string{"-c", `openai_base_url="{url}/v1"`},
		},
		{
			client: "opencode", api: "anthropic",
			args: opencodeRun("anthropic/claude-sonnet-4-5"), env: append(slices.Clone(opencodeEnv), "ANTHROPIC_API_KEY="+key),
			pointEnv: []string{"ANTHROPIC_BASE_URL={url}/v1"},
		},
		{
			client: "opencode", api: "chat",
			args: opencodeRun("fake/fake-model"), env: opencodeEnv,
			pointFiles: map[string]string{".config/opencode/opencode.json": `{"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":"{url}/v1","apiKey":"` + key + `"},"models":{"fake-model":{"name":"Fake","limit":{"context":200000,"output":8000}}}}}}`},
		},
		{
			client: "opencode", api: "responses",
			args: opencodeRun("openai/gpt-5.2"), env: append(slices.Clone(opencodeEnv), "OPENAI_API_KEY="+key),
			pointFiles: map[string]string{".config/opencode/opencode.json": `{"provider":{"openai":{"options":{"baseURL":"{url}/v1"}}}}`},
		},
		{
			client: "gemini", api: "gemini",
			args:     []string{"-p", "{prompt}", "--approval-mode", "yolo"},
			env:      []string{"GEMINI_API_KEY=" + key, "GEMINI_CLI_TRUST_WORKSPACE=true"},
			files:    map[string]string{".gemini/settings.json": geminiSettings},
			pointEnv: []string{"GOOGLE_GEMINI_BASE_URL={url}"},
		},
		{
			client: "qwen", api: "chat",
			args:     []string{"-p", "{prompt}", "--approval-mode", "yolo"},
			env:      []string{"OPENAI_API_KEY=" + key, "OPENAI_MODEL=fake-model"},
			files:    map[string]string{".qwen/settings.json": qwenSettings},
			pointEnv: []string{"OPENAI_BASE_URL={url}/v1"},
		},
		{
			client: "goose", api: "chat",
			args: gooseRun, env: append(slices.Clone(gooseEnv), "GOOSE_PROVIDER=openai", "GOOSE_MODEL=fake-model", "OPENAI_API_KEY="+key),
			pointEnv: []string{"OPENAI_HOST={url}"},
		},
		{
			client: "goose", api: "anthropic",
			args: gooseRun, env: append(slices.Clone(gooseEnv), "GOOSE_PROVIDER=anthropic", "GOOSE_MODEL=claude-sonnet-4-5", "ANTHROPIC_API_KEY="+key),
			pointEnv: []string{"ANTHROPIC_HOST={url}"},
		},
		{
			client: "pi", api: "anthropic",
			args: piRun("anthropic", "claude-sonnet-4-5"), env: []string{"PI_OFFLINE=1", "ANTHROPIC_API_KEY=" + key},
			pointFiles: map[string]string{".pi/agent/models.json": `{"providers":{"anthropic":{"baseUrl":"{url}"}}}`},
		},
		{
			client: "pi", api: "chat",
			args: piRun("fake", "fake-model"), env: []string{"PI_OFFLINE=1"},
			pointFiles: map[string]string{".pi/agent/models.json": `{"providers":{"fake":{"baseUrl":"{url}/v1","api":"openai-completions","apiKey":"` + key + `","models":[{"id":"fake-model","name":"Fake","reasoning":false,"input":["text"],"contextWindow":200000,"maxTokens":8000,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}]}}}`},
		},
		{
			client: "pi", api: "responses",
			args: piRun("openai", "gpt-5.2"), env: []string{"PI_OFFLINE=1", "OPENAI_API_KEY=" + key},
			pointFiles: map[string]string{".pi/agent/models.json": `{"providers":{"openai":{"baseUrl":"{url}/v1"}}}`},
		},
	}
}

// APIs returns the formats with which a client can be run, the usual one first.
func APIs(name string) []string {
	var all []string
	for _, r := range recipes() {
		if r.client == name {
			all = append(all, r.api)
		}
	}
	return all
}

// Command returns a headless run of a client: "claude", or with another API
// than the usual one, "goose:anthropic". Without a URL nothing in it points at a
// model.
func Command(name, baseURL, prompt string) (Cmd, error) {
	name, api, _ := strings.Cut(name, ":")
	all := recipes()
	i := slices.IndexFunc(all, func(r recipe) bool { return r.client == name && (api == "" || r.api == api) })
	if i < 0 {
		return Cmd{}, fmt.Errorf("no way to run %s with the API %q; there is %v", name, api, APIs(name))
	}
	r := all[i]
	fill := strings.NewReplacer("{url}", strings.TrimSuffix(baseURL, "/"), "{prompt}", prompt)
	cmd := Cmd{Name: name, API: r.api, Files: map[string]string{}}
	point := baseURL != ""
	for _, a := range r.args {
		switch {
		case a != "{point}":
			cmd.Args = append(cmd.Args, fill.Replace(a))
		case point:
			for _, p := range r.pointArgs {
				cmd.Args = append(cmd.Args, fill.Replace(p))
			}
		}
	}
	cmd.Env = slices.Clone(r.env)
	addFiles := func(files map[string]string) {
		for k, v := range files {
			cmd.Files[k] = fill.Replace(v)
		}
	}
	addFiles(r.files)
	if point {
		for _, e := range r.pointEnv {
			cmd.Env = append(cmd.Env, fill.Replace(e))
		}
		addFiles(r.pointFiles)
	}
	return cmd, nil
}
