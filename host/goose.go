package host

// goose is goose.
var goose = Host{
	Name: "goose",
	Requests: Requests{
		Known:   []Sign{{Header: "Agent-Session-Id"}, {Header: "User-Agent", Begins: "goose"}},
		Session: []string{"Agent-Session-Id"},
		Side:    []Sign{{Why: "title", NoTools: true}, {Why: "sub-agent", System: "You are a specialized subagent within the goose"}},
		Escape:  Escape{Prompt: true},
		Folder:  []Between{{"<working-directory>", "</working-directory>"}},
	},
	Launch: Launch{
		Command: "goose", Package: "@aaif/goose-binary-linux-x64",
		Env:      []Var{{"OPENAI_HOST", "{url}"}, {"ANTHROPIC_HOST", "{url}"}},
		Upstream: []Upstream{{"anthropic", "ANTHROPIC_HOST"}, {"openai", "OPENAI_HOST"}},
	},
	Hooks: Hooks{
		Answer: AnswerBlock, Deaf: true,
		Events: []HookEvent{
			{"SessionStart", HookStart},
			{"UserPromptSubmit", HookPrompt},
			{"PreToolUse", HookUsing},
			{"PostToolUse", HookUsed},
			{"Stop", HookStop},
			{"SessionEnd", HookEnd},
		},
	},
	Install: Install{
		File: ".agents/plugins/trimtab/hooks/hooks.json", Seconds: true, Ours: true,
		Also: []File{{"plugin.json", "{\n  \"name\": \"trimtab\",\n  \"version\": \"1.0.0\",\n  \"description\": \"Keeps a session from stopping with open work, and tells trimtab what happens in it\"\n}\n"}},
		Note: "goose lets hooks keep a session from stopping; it shows the model nothing else that a hook says. For reminders, start it with trimtab run goose.",
	},
	MCP:      MCP{Client: "goose", Headers: []string{"Agent-Session-Id"}},
	Sessions: []SessionDir{{Variable: "XDG_DATA_HOME", Base: ".local/share", Dir: "goose/sessions", Begin: "sessions", End: []string{".db"}}},
	Private:  []string{".config/goose", ".local/share/goose", ".local/state/goose"},
	Markup: Markup{
		Tags:     []string{"turn-context", "info-msg"},
		Openings: []string{"Stop hook `"},
	},
	Headless: Headless{
		Program: "goose",
		Args:    []string{"run", "--no-profile", "--with-builtin", "developer", "--output-format", "stream-json", "--quiet"},
		Model:   "--model", Last: []string{"-i", "-"},
		Keys:    []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "DATABRICKS_TOKEN"},
		Vars:    []string{"GOOSE_PROVIDER", "GOOSE_MODEL", "ANTHROPIC_HOST", "OPENAI_HOST", "OPENAI_BASE_PATH", "GOOGLE_HOST", "OLLAMA_HOST", "DATABRICKS_HOST"},
		Env:     []string{"GOOSE_DISABLE_KEYRING=1", "GOOSE_MODE=auto"},
		LookEnv: []string{"GOOSE_MODE=chat"}, // it has no mode that reads and does not write: without our sandbox it only talks
		State:   []string{".local/share/goose", ".local/state/goose", ".config/goose"},
		Locked:  []string{"No provider configured", "Configuration value not found", "goose configure", "Authentication"},
		Output:  OutputGoose,
	},
	Prompts: Prompts{
		Project: []string{".goose", ".agents", "recipe.yaml", "recipe.json"},
		Home:    []string{".config/goose/recipes", ".config/goose/config.yaml", ".config/goose/.goosehints", ".local/share/goose/recipes"},
	},
}
