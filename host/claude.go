package host

// claude is Claude Code. PostToolUse is not among its hooks: PostToolBatch comes once
// a step, PostToolUse once a tool.
var claude = Host{
	Name: "claude",
	Requests: Requests{
		Known:   []Sign{{Header: "X-Claude-Code-Session-Id"}, {Header: "User-Agent", Begins: "claude-cli/"}},
		Session: []string{"X-Claude-Code-Session-Id"},
		Side: []Sign{
			{Why: "sub-agent", Header: "X-Claude-Code-Agent-Id"},
			{Why: "not a main turn", Header: "X-Claude-Code-Request-Class", Not: "main"},
			{Why: "compaction", Last: "CRITICAL: Respond with TEXT ONLY"},
			{Why: "title", NoTools: true, Has: []string{"output_config", "format"}},
			{Why: "no tools", NoTools: true, Unless: "X-Claude-Code-Request-Class"},
		},
		Escape: Escape{Begins: []string{"<bash-stdout>"}},
		Folder: []Between{{"Primary working directory: ", ""}, {"Working directory: ", ""}},
	},
	Launch: Launch{
		Command: "claude", Package: "@anthropic-ai/claude-code",
		Env:      []Var{{"ANTHROPIC_BASE_URL", "{url}"}, {"CLAUDE_CODE_GATEWAY_HINT_HEADERS", "1"}},
		Upstream: []Upstream{{"anthropic", "ANTHROPIC_BASE_URL"}},
		Args:     []string{"--plugin-dir", "{dir}/plugin"},
		Slash:    true,
		Shows:    true,
		Files: []File{
			{"plugin/.claude-plugin/plugin.json", `{"name":"trimtab","version":"1.0.0","description":"Commands of trimtab, for this run"}` + "\n"},
			{"plugin/commands/mode.md", "---\ndescription: Show the modes of trimtab, or enter one\nargument-hint: \"[planning | research | code-review | debugging | normal | …]\"\n" + claudeBody + "mode $ARGUMENTS\n"},
			{"plugin/commands/status.md", "---\ndescription: What steers this session\nargument-hint: \"\"\n" + claudeBody + "status $ARGUMENTS\n"},
			{"plugin/commands/automata.md", "---\ndescription: Reflections between steps\nargument-hint: \"[on | off | …]\"\n" + claudeBody + "automata $ARGUMENTS\n"},
		},
		Status: StatusLine{
			Args: []string{"--settings", `{"statusLine":{"type":"command","command":"{self} status --line --host claude","refreshInterval":3}}`},
			File: ".claude/settings.json", Word: "statusLine",
		},
		Model: ModelChoice{"--model", "ANTHROPIC_MODEL"},
	},
	Hooks: Hooks{
		Answer: AnswerPermit, Keeps: true, Blocks: true, Typed: "prompt",
		Events: []HookEvent{
			{"SessionStart", HookStart},
			{"UserPromptSubmit", HookPrompt},
			{"PreToolUse", HookUsing},
			{"PostToolBatch", HookUsed},
			{"Stop", HookStop},
			{"PreCompact", HookCompacting},
			{"SessionEnd", HookEnd},
		},
	},
	Install:  Install{File: ".claude/settings.json", Folder: "CLAUDE_CONFIG_DIR", Seconds: true, Servers: ".claude.json", Gateway: true, Plugin: ".claude/skills/trimtab"},
	OneRun:   OneRun{Form: RunSettings},
	MCP:      MCP{Client: "claude", Headers: []string{"X-Claude-Code-Session-Id"}},
	Sessions: []SessionDir{{Variable: "CLAUDE_CONFIG_DIR", Base: ".claude", Dir: "projects", End: []string{".jsonl"}}},
	Private:  []string{".claude", ".claude.json"},
	Todos: []TodoTool{
		{Name: "TodoWrite", List: "todos", Text: []string{"content"}},
		{Name: "TaskCreate", One: AddTodo, Text: []string{"subject", "description"}},
		{Name: "TaskUpdate", One: ChangeTodo, Text: []string{"subject"}, ID: "taskId"},
	},
	Markup: Markup{
		Tags: []string{
			"system-reminder", "local-command-*", "command-*", "bash-*", "user-prompt-submit-hook", "session-start-hook", "user-memory-input",
			"task-notification", "scheduled-task", "teammate-message", "agent-message", "cross-session-message", "ide_*", "new-diagnostics", "persisted-output",
		},
		Openings: []string{
			"Stop hook feedback:", "Stop hook blocking error", "[Request interrupted by user", "This session is being continued from a previous",
			"Caveat: The messages below were generated", "Another Claude session sent a message:", "[SYSTEM NOTIFICATION", "<<autonomous-loop", "<channel source=",
			"CRITICAL: Respond with TEXT ONLY", "Base directory for this skill:",
		},
		Interrupted: []string{"[Request interrupted by user"},
		MidTurn:     Wrapper{"The user sent a new message while you were working:\n", "\n\nThis is how Claude Code surfaces messages"},
		Command:     []string{"<command-message>", "<command-name>"}, CommandDone: "local-command-stdout",
	},
	Headless: Headless{
		Program: "claude",
		// No MCP servers and no hooks of the person: they may hold tokens of a forge,
		// and they steer a session that nobody watches.
		Args:    []string{"-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config", "--settings", `{"disableAllHooks":true}`},
		Write:   []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write,Read,Glob,Grep,NotebookEdit"},
		Look:    []string{"--permission-mode", "dontAsk", "--tools", "Read,Glob,Grep", "--allowedTools", "Read,Glob,Grep"},
		NoTools: []string{"--permission-mode", "dontAsk", "--tools", ""},
		Model:   "--model", Cost: "--max-budget-usd",
		Keys: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
		Vars: []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "AWS_REGION", "AWS_BEARER_TOKEN_BEDROCK", "CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID"},
		Env:  []string{"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		// Not ~/.claude.json, which is no folder: it bears that it cannot be written.
		State:  []string{".claude"},
		Reads:  []Read{{Path: ".claude.json"}, {".aws", "CLAUDE_CODE_USE_BEDROCK"}, {".config/gcloud", "CLAUDE_CODE_USE_VERTEX"}},
		Locked: []string{"Not logged in", "Invalid API key", "/login"},
		Output: OutputClaude,
	},
	Prompts: Prompts{
		Project: []string{".claude/commands", ".claude/skills", ".claude/agents"},
		Home:    []string{".claude/commands", ".claude/skills", ".claude/agents", ".claude/CLAUDE.md"},
	},
}

// claudeBody is the rest of the file of a slash command. It is there so that Claude Code
// knows the command: our hook of the prompt carries it out, and the model never sees the
// text.
const claudeBody = "disable-model-invocation: true\n---\nThis was for trimtab, and its hook did not answer: nothing has changed. Tell me to run this in another terminal, in this folder: trimtab "
