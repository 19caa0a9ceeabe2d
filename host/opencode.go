package host

// opencode is opencode.
var opencode = Host{
	Name: "opencode",
	Requests: Requests{
		Known: []Sign{
			{Header: "User-Agent", Begins: "opencode/"},
			{Header: "X-Session-Affinity", Begins: "ses_"},
			{Header: "X-Session-Id", Begins: "ses_"},
		},
		Session: []string{"X-Session-Id", "X-Session-Affinity", "Session-Id"},
		Side: []Sign{
			{Why: "title", NoTools: true, System: "You are a title generator"},
			{Why: "sub-agent", Header: "X-Parent-Session-Id"},
			{Why: "no tools", NoTools: true},
		},
		Escape: Escape{After: "The following tool was executed by the user", Begins: []string{opencodeSays}},
		Folder: []Between{{"Working directory: ", ""}},
	},
	Launch: Launch{
		Command: "opencode", Package: "opencode-ai",
		Env:      []Var{{"ANTHROPIC_BASE_URL", "{url}/v1"}, {"OPENAI_BASE_URL", "{url}/v1"}},
		Upstream: []Upstream{{"anthropic", "ANTHROPIC_BASE_URL"}, {"openai", "OPENAI_BASE_URL"}},
		Slash:    true,
		Inline: Var{"OPENCODE_CONFIG_CONTENT", `{"command":{` +
			`"trimtab:mode":{"description":"Show the modes of trimtab, or enter one","template":"` + opencodeRuns + "mode $ARGUMENTS`" + opencodeRest + `,` +
			`"trimtab:status":{"description":"What steers this session","template":"` + opencodeRuns + "status $ARGUMENTS`" + opencodeRest + `,` +
			`"trimtab:automata":{"description":"Reflections between steps: on or off","template":"` + opencodeRuns + "automata $ARGUMENTS`" + opencodeRest + `}}`},
	},
	Hooks: Hooks{
		Answer: AnswerNotes,
		Events: []HookEvent{
			{"chat.messages.transform", HookRequest},
			{"tool.execute.before", HookUsing},
			{"session.idle", HookStop},
		},
	},
	Install: Install{
		File: ".config/opencode/plugins/trimtab.js", Folder: "XDG_CONFIG_HOME", Ours: true, Code: "opencode.js",
		Note: "opencode loads the plugin when it starts the next time. opencode run ends at the first stop; the screen and opencode serve go on where work is left.",
	},
	OneRun:   OneRun{Form: RunContent, NoHooks: "opencode takes no plugin for one run: trimtab install opencode", Variable: "OPENCODE_CONFIG_CONTENT"},
	MCP:      MCP{Client: "opencode", Headers: []string{"X-Session-Id"}},
	Sessions: []SessionDir{{Variable: "XDG_DATA_HOME", Base: ".local/share", Dir: "opencode", Begin: "opencode", End: []string{".db"}}},
	Private:  []string{".config/opencode", ".local/share/opencode", ".local/state/opencode"},
	Todos:    []TodoTool{{Name: "todowrite", List: "todos", Text: []string{"content"}}},
	Markup: Markup{
		Beside:   true,
		Openings: []string{"Called the Read tool with", "Called the List tool with", "Reading MCP resource:", "<path>", "<file>", "Generate a title for this conversation", "What did we do so far?", "The following tool was executed by the user", "Use the above message and context to generate a prompt"},
	},
	Headless: Headless{
		Program: "opencode",
		Args:    []string{"run", "--format", "json", "--pure"},
		Write:   []string{"--auto"},
		Look:    []string{"--agent", "plan"},
		Model:   "-m",
		Keys:    []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"},
		Vars:    []string{"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"},
		Env:     []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		State:   []string{".local/share/opencode", ".local/state/opencode", ".config/opencode"},
		Locked:  []string{"ProviderAuthError", "AI_LoadAPIKeyError", "API key is missing", "ProviderModelNotFoundError"},
		Output:  OutputOpencode,
	},
	Prompts: Prompts{
		Project: []string{".opencode/command", ".opencode/commands", ".opencode/agent", ".opencode/skills", "opencode.json", "opencode.jsonc"},
		Home:    []string{".config/opencode/command", ".config/opencode/commands", ".config/opencode/agent", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc", ".config/opencode/AGENTS.md"},
	},
}

// opencodeSays begins the text of a slash command of ours.
const opencodeSays = "trimtab says:"

// The text of a slash command as opencode's settings have it: the output of our program,
// on the user's side. It asks no permission for that.
const (
	opencodeRuns = opencodeSays + " !`'{self}' "
	opencodeRest = `\n\nThis is for me to read. Answer with the one word: noted."}`
)
