package host

// gemini is Gemini CLI. PreCompress is not among its hooks: it comes before every
// request. It has the layer of settings that qwen has, too, but reads there only what
// belongs to root.
var gemini = Host{
	Name: "gemini",
	Requests: Requests{
		Known: []Sign{{Header: "User-Agent", Begins: "GeminiCLI"}},
		Side: []Sign{
			{Why: "router", Has: []string{"generationConfig", "responseJsonSchema"}},
			{Why: "router", Has: []string{"generationConfig", "responseSchema"}},
			{Why: "no tools", NoTools: true},
		},
		Escape: Escape{Begins: []string{"I ran the following shell command:"}},
		Folder: []Between{{"**Workspace Directories:**\n  - ", ""}},
	},
	Launch: Launch{
		Command: "gemini", Package: "@google/gemini-cli",
		Env:      []Var{{"GOOGLE_GEMINI_BASE_URL", "{url}/s/{session}"}},
		Keys:     []string{"GEMINI_API_KEY"},
		Upstream: []Upstream{{"gemini", "GOOGLE_GEMINI_BASE_URL"}},
	},
	Hooks: Hooks{
		Answer: AnswerDeny,
		Events: []HookEvent{
			{"SessionStart", HookStart},
			{"BeforeAgent", HookPrompt},
			{"BeforeTool", HookUsing},
			{"AfterTool", HookUsed},
			{"AfterAgent", HookStop},
			{"SessionEnd", HookEnd},
		},
	},
	Install:  Install{File: ".gemini/settings.json", Named: true, Matcher: true, Servers: ".gemini/settings.json", Plugin: ".gemini/extensions/trimtab"},
	MCP:      MCP{Client: "gemini"},
	Sessions: []SessionDir{{Base: ".gemini", Dir: "tmp", Begin: "session-", End: []string{".jsonl", ".json"}}},
	Private:  []string{".gemini"},
	Todos:    []TodoTool{{Name: "write_todos", List: "todos", Text: []string{"description"}}},
	Markup: Markup{
		Tags:     []string{"session_context", "hook_context", "loaded_context", "project_context", "extension_context", "global_context", "state_snapshot", "untrusted_context"},
		Openings: []string{"This is the Gemini CLI. We are setting up", "I ran the following shell command:\n```sh\n"},
		Rest:     []string{"--- Content from referenced files ---"},
	},
	Headless: Headless{
		Program: "gemini",
		Args:    []string{"--output-format", "stream-json", "--skip-trust", "--extensions", "none", "--allowed-mcp-server-names", "none"},
		Write:   []string{"--approval-mode", "yolo"},
		Look:    []string{"--approval-mode", "plan"},
		Model:   "-m",
		Keys:    []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		Vars:    []string{"GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"},
		Env:     []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		State:   []string{".gemini"},
		Reads:   []Read{{".config/gcloud", "GOOGLE_GENAI_USE_VERTEXAI"}},
		Files:   []File{{".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true},"tools":{"shell":{"enableInteractiveShell":false}}}`}},
		Locked:  []string{"Invalid auth method", "set an Auth method", "API key not valid", "GEMINI_API_KEY"},
		Output:  OutputGemini,
	},
	Prompts: Prompts{
		Project: []string{".gemini/commands", ".gemini/extensions", ".gemini/skills"},
		Home:    []string{".gemini/commands", ".gemini/extensions", ".gemini/GEMINI.md"},
	},
}
