package client

import "slices"

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
	return slices.Concat(claude(), codex(), opencode(), gemini(), qwen(), goose(), pi())
}

func claude() []recipe {
	return []recipe{{
		client: "claude", api: "anthropic",
		args:     []string{"-p", "{prompt}", "--output-format", "json", "--allowedTools", "Bash"},
		env:      []string{"ANTHROPIC_API_KEY=" + key},
		pointEnv: []string{"ANTHROPIC_BASE_URL={url}"},
	}}
}

func codex() []recipe {
	return []recipe{
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
	}
}

func opencode() []recipe {
	const settings = ".config/opencode/opencode.json"
	env := func(more ...string) []string {
		return append([]string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"}, more...)
	}
	run := func(model string) []string { return []string{"run", "-m", model, "--format", "json", "{prompt}"} }
	return []recipe{
		{
			client: "opencode", api: "anthropic",
			args: run("anthropic/claude-sonnet-4-5"), env: env("ANTHROPIC_API_KEY=" + key),
			pointEnv: []string{"ANTHROPIC_BASE_URL={url}/v1"},
		},
		{
			client: "opencode", api: "chat",
			args: run("fake/fake-model"), env: env(),
			pointFiles: map[string]string{settings: `{"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":"{url}/v1","apiKey":"` + key + `"},"models":{"fake-model":{"name":"Fake","limit":{"context":200000,"output":8000}}}}}}`},
		},
		{
			client: "opencode", api: "responses",
			args: run("openai/gpt-5.2"), env: env("OPENAI_API_KEY=" + key),
			pointFiles: map[string]string{settings: `{"provider":{"openai":{"options":{"baseURL":"{url}/v1"}}}}`},
		},
	}
}

func gemini() []recipe {
	return []recipe{{
		client: "gemini", api: "gemini",
		args:     []string{"-p", "{prompt}", "--approval-mode", "yolo"},
		env:      []string{"GEMINI_API_KEY=" + key, "GEMINI_CLI_TRUST_WORKSPACE=true"},
		files:    map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`},
		pointEnv: []string{"GOOGLE_GEMINI_BASE_URL={url}"},
	}}
}

func qwen() []recipe {
	return []recipe{{
		client: "qwen", api: "chat",
		args:     []string{"-p", "{prompt}", "--approval-mode", "yolo"},
		env:      []string{"OPENAI_API_KEY=" + key, "OPENAI_MODEL=fake-model"},
		files:    map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}}}`},
		pointEnv: []string{"OPENAI_BASE_URL={url}/v1"},
	}}
}

func goose() []recipe {
	env := func(more ...string) []string {
		return append([]string{"GOOSE_DISABLE_KEYRING=1", "GOOSE_MODE=auto"}, more...)
	}
	run := []string{"run", "--with-builtin", "developer", "-t", "{prompt}"}
	return []recipe{
		{
			client: "goose", api: "chat",
			args: run, env: env("GOOSE_PROVIDER=openai", "GOOSE_MODEL=fake-model", "OPENAI_API_KEY="+key),
			pointEnv: []string{"OPENAI_HOST={url}"},
		},
		{
			client: "goose", api: "anthropic",
			args: run, env: env("GOOSE_PROVIDER=anthropic", "GOOSE_MODEL=claude-sonnet-4-5", "ANTHROPIC_API_KEY="+key),
			pointEnv: []string{"ANTHROPIC_HOST={url}"},
		},
	}
}

func pi() []recipe {
	const settings = ".pi/agent/models.json"
	run := func(provider, model string) []string {
		return []string{"--provider", provider, "--model", model, "-p", "{prompt}"}
	}
	return []recipe{
		{
			client: "pi", api: "anthropic",
			args: run("anthropic", "claude-sonnet-4-5"), env: []string{"PI_OFFLINE=1", "ANTHROPIC_API_KEY=" + key},
			pointFiles: map[string]string{settings: `{"providers":{"anthropic":{"baseUrl":"{url}"}}}`},
		},
		{
			client: "pi", api: "chat",
			args: run("fake", "fake-model"), env: []string{"PI_OFFLINE=1"},
			pointFiles: map[string]string{settings: `{"providers":{"fake":{"baseUrl":"{url}/v1","api":"openai-completions","apiKey":"` + key + `","models":[{"id":"fake-model","name":"Fake","reasoning":false,"input":["text"],"contextWindow":200000,"maxTokens":8000,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}]}}}`},
		},
		{
			client: "pi", api: "responses",
			args: run("openai", "gpt-5.2"), env: []string{"PI_OFFLINE=1", "OPENAI_API_KEY=" + key},
			pointFiles: map[string]string{settings: `{"providers":{"openai":{"baseUrl":"{url}/v1"}}}`},
		},
	}
}
