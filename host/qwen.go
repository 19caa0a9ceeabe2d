package host

// qwen is Qwen Code.
var qwen = Host{
	Name: "qwen",
	Requests: Requests{
		Known: []Sign{{Header: "User-Agent", Begins: "QwenCode"}},
		Side: []Sign{
			{Why: "memory extraction", System: "managed memory extraction subagent"},
			{Why: "sub-agent", System: "You are a general-purpose subagent"},
			{Why: "suggestion", Last: "[SUGGESTION MODE"},
			{Why: "compaction", Last: "You are the component that summarizes a conversation"},
			{Why: "no tools", NoTools: true},
		},
		Escape: Escape{Begins: []string{"I ran the following shell command:"}},
		Folder: []Between{{"I'm currently working in the directory: ", ""}},
	},
	Launch: Launch{
		Command: "qwen", Package: "@qwen-code/qwen-code",
		Env:      []Var{{"OPENAI_BASE_URL", "{url}/s/{session}/v1"}},
		Keys:     []string{"OPENAI_API_KEY"},
		Upstream: []Upstream{{"openai", "OPENAI_BASE_URL"}},
	},
	Hooks: Hooks{
		Answer: AnswerPermit, Typed: "submitted_prompt",
		Events: []HookEvent{
			{"SessionStart", HookStart},
			{"UserPromptSubmit", HookPrompt},
			{"PreToolUse", HookUsing},
			{"PostToolUse", HookUsed},
			{"Stop", HookStop},
			{"PreCompact", HookCompacting},
			{"SessionEnd", HookEnd},
		},
	},
	Install: Install{File: ".qwen/settings.json", Named: true, Matcher: true, Servers: ".qwen/settings.json"},
	OneRun: OneRun{
		Form: RunDefaults, Variable: "QWEN_CODE_SYSTEM_DEFAULTS_PATH", System: "QWEN_CODE_SYSTEM_SETTINGS_PATH",
		Linux: "/etc/qwen-code/system-defaults.json", Mac: "/Library/Application Support/QwenCode/system-defaults.json", Windows: `C:\ProgramData\qwen-code\system-defaults.json`,
	},
	MCP:      MCP{Client: "qwen"},
	Sessions: []SessionDir{{Base: ".qwen", Dir: "projects", End: []string{".jsonl"}}},
	Private:  []string{".qwen"},
	Todos:    []TodoTool{{Name: "todo_write", List: "todos", Text: []string{"content"}}},
	Markup: Markup{
		Tags:     []string{"qwen:*"},
		Openings: []string{"This is the Qwen Code. We are setting up", "[SUGGESTION MODE", "Base directory for this skill:"},
		Rest:     []string{"--- Content from referenced files ---"},
	},
	Headless: Headless{
		Program: "qwen",
		Args:    []string{"--output-format", "stream-json", "--extensions", "none", "--allowed-mcp-server-names", "none"},
		Write:   []string{"--approval-mode", "yolo"},
		Look:    []string{"--approval-mode", "plan"},
		Model:   "-m",
		Keys:    []string{"OPENAI_API_KEY", "DASHSCOPE_API_KEY"},
		Vars:    []string{"OPENAI_BASE_URL", "OPENAI_MODEL", "QWEN_MODEL"},
		Env:     []string{"QWEN_CODE_SUPPRESS_YOLO_WARNING=1"},
		State:   []string{".qwen"},
		// Our sandbox lets no new terminal be opened.
		Files:  []File{{".qwen/settings.json", `{"security":{"auth":{"selectedType":"openai"}},"tools":{"shell":{"enableInteractiveShell":false}}}`}},
		Locked: []string{"No auth type is selected", "Please set an Auth method", "Incorrect API key", "OPENAI_API_KEY"},
		Output: OutputClaude,
	},
	Prompts: Prompts{
		Project: []string{".qwen/commands", ".qwen/extensions", ".qwen/skills"},
		Home:    []string{".qwen/commands", ".qwen/extensions", ".qwen/QWEN.md"},
	},
}
