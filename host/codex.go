package host

// codex is Codex.
var codex = Host{
	Name: "codex",
	Requests: Requests{
		Known:   []Sign{{Header: "X-Codex-Turn-Metadata"}, {Header: "Originator", Begins: "codex"}, {Header: "User-Agent", Begins: "codex"}},
		Session: []string{"Session-Id", "Thread-Id", "Session_id"},
		Side: []Sign{
			{Why: "not a turn", Header: "X-Codex-Turn-Metadata", Holds: `"request_kind":"prewarm"`},
			{Why: "not a turn", Header: "X-Codex-Turn-Metadata", Holds: `"request_kind":"compact`},
			{Why: "not a turn", Header: "X-Codex-Turn-Metadata", Holds: `"request_kind":"memor`},
			{Why: "sub-agent", Header: "X-Openai-Subagent"},
			{Why: "title", Last: "Generate a concise, single-line task title"},
			{Why: "compaction", Last: "You are performing a CONTEXT CHECKPOINT COMPACTION"},
		},
		Escape: Escape{Begins: []string{"<user_shell_command>"}},
		Folder: []Between{{"<cwd>", "</cwd>"}},
	},
	Launch: Launch{
		Command: "codex", Package: "@openai/codex",
		Args: []string{
			"-c", `model_provider="trimtab"`,
			"-c", `model_providers.trimtab={name="Trimtab",base_url="{origin}/v1",wire_api="responses",env_key="OPENAI_API_KEY",env_http_headers={"X-Trimtab-Key"="TRIMTAB_RUN_KEY"}}`,
		},
		Env:      []Var{{"TRIMTAB_RUN_KEY", "{key}"}}, // Codex keeps variables with KEY in their name from the programs that its model runs
		Keys:     []string{"OPENAI_API_KEY"},
		Upstream: []Upstream{{"openai", "OPENAI_BASE_URL"}},
	},
	Hooks: Hooks{
		Answer: AnswerPermit, TodoGap: true, Typed: "prompt",
		Events: []HookEvent{
			{"SessionStart", HookStart},
			{"UserPromptSubmit", HookPrompt},
			{"PreToolUse", HookUsing},
			{"PostToolUse", HookUsed},
			{"Stop", HookStop},
			{"PreCompact", HookCompacting},
			{"PostCompact", HookCompacted},
			{"SessionEnd", HookEnd},
		},
	},
	Install: Install{
		File: ".codex/hooks.json", Folder: "CODEX_HOME", Seconds: true, Servers: ".codex/config.toml", Gateway: true, Trust: true,
		Note: "Codex skips hooks without a word until you trust them: start codex, open /hooks, look at the hooks of trimtab and trust them. Every change of the command needs that again.",
	},
	OneRun: OneRun{Form: RunOverrides, NoHooks: "codex runs only hooks that you have trusted in its /hooks: trimtab install codex"},
	MCP:    MCP{Client: "codex", Headers: []string{"Session-Id", "Thread-Id"}},
	Sessions: []SessionDir{
		{Variable: "CODEX_HOME", Base: ".codex", Dir: "sessions", Begin: "rollout-", End: []string{".jsonl"}},
		{Variable: "CODEX_HOME", Base: ".codex", Dir: "archived_sessions", Begin: "rollout-", End: []string{".jsonl"}},
	},
	Private: []string{".codex"},
	Todos:   []TodoTool{{Name: "update_plan", List: "plan", Text: []string{"step"}}},
	Markup: Markup{
		Tags: []string{
			"environment_context", "hook_prompt", "user_instructions", "INSTRUCTIONS", "skills_instructions", "permissions*", "collaboration_mode",
			"multi_agent_*", "user_shell_command", "user_action", "turn_aborted", "subagent_notification", "skill", "plugins_instructions", "apps_instructions", "model_switch",
		},
		Openings: []string{"# AGENTS.md instructions", "Another language model started to solve"},
	},
	Headless: Headless{
		Program: "codex",
		// Commands that it runs do not get its key; its own sandbox cannot stand inside ours.
		Args:    []string{"exec", "--json", "--skip-git-repo-check", "--color", "never", "-c", "shell_environment_policy.ignore_default_excludes=false"},
		Write:   []string{"--sandbox", "workspace-write"},
		Look:    []string{"--sandbox", "read-only"},
		NoTools: []string{"--sandbox", "read-only", "--disable", "shell_tool", "--disable", "unified_exec"},
		Boxed:   []string{"--sandbox", "danger-full-access"},
		Login:   []string{"--ignore-user-config", "--disable", "hooks"}, // no MCP servers and no hooks of the person
		Model:   "-m", Last: []string{"-"},
		Keys:   []string{"CODEX_API_KEY"}, // its own provider takes no other; those of its settings may
		Vars:   []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"},
		State:  []string{".codex"},
		Locked: []string{"401 Unauthorized", "Missing bearer", "codex login", "not logged in"},
		Output: OutputCodex,
	},
	Prompts: Prompts{
		Project: []string{".codex/prompts", ".codex/skills"},
		Home:    []string{".codex/prompts", ".codex/skills", ".codex/AGENTS.md"},
	},
}
