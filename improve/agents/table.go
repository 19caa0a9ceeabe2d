package agents

// hosts are the agents that people have.
func hosts() []host { return []host{claude(), codex(), gemini(), opencode(), qwen(), goose()} }

// claude is Claude Code.
func claude() host {
	return host{
		name: "claude", program: "claude",
		// No MCP servers and no hooks of the person: they may hold tokens of a forge,
		// and they steer a session that nobody watches.
		always: []string{"-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config", "--settings", `{"disableAllHooks":true}`},
		work:   []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write,Read,Glob,Grep,NotebookEdit"},
		look:   []string{"--permission-mode", "dontAsk", "--tools", "Read,Glob,Grep", "--allowedTools", "Read,Glob,Grep"},
		model:  "--model", cost: "--max-budget-usd",
		keys: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
		vars: []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "AWS_REGION", "AWS_BEARER_TOKEN_BEDROCK", "CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID"},
		set:  []string{"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		// Not ~/.claude.json, which is no folder: it bears that it cannot be written.
		state:  []string{".claude"},
		seen:   []sight{{path: ".claude.json"}, {".aws", "CLAUDE_CODE_USE_BEDROCK"}, {".config/gcloud", "CLAUDE_CODE_USE_VERTEX"}},
		locked: []string{"Not logged in", "Invalid API key", "/login"},
		read:   readClaude,
	}
}

// codex is Codex.
func codex() host {
	return host{
		name: "codex", program: "codex",
		// Commands that it runs do not get its key; its own sandbox cannot stand inside ours.
		always: []string{"exec", "--json", "--skip-git-repo-check", "--color", "never", "-c", "shell_environment_policy.ignore_default_excludes=false"},
		work:   []string{"--sandbox", "workspace-write"},
		look:   []string{"--sandbox", "read-only"},
		inBox:  []string{"--sandbox", "danger-full-access"},
		login:  []string{"--ignore-user-config", "--disable", "hooks"}, // no MCP servers and no hooks of the person
		model:  "-m", last: []string{"-"},
		keys:   []string{"CODEX_API_KEY"}, // its own provider takes no other; those of its settings may
		vars:   []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"},
		state:  []string{".codex"},
		locked: []string{"401 Unauthorized", "Missing bearer", "codex login", "not logged in"},
		read:   readCodex,
	}
}

// gemini is Gemini CLI.
func gemini() host {
	return host{
		name: "gemini", program: "gemini",
		always: []string{"--output-format", "stream-json", "--skip-trust", "--extensions", "none", "--allowed-mcp-server-names", "none"},
		work:   []string{"--approval-mode", "yolo"},
		look:   []string{"--approval-mode", "plan"},
		model:  "-m",
		keys:   []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		vars:   []string{"GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"},
		set:    []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		state:  []string{".gemini"},
		seen:   []sight{{".config/gcloud", "GOOGLE_GENAI_USE_VERTEXAI"}},
		files:  map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true},"tools":{"shell":{"enableInteractiveShell":false}}}`},
		locked: []string{"Invalid auth method", "set an Auth method", "API key not valid", "GEMINI_API_KEY"},
		read:   readGemini,
	}
}

// opencode is opencode.
func opencode() host {
	return host{
		name: "opencode", program: "opencode",
		always: []string{"run", "--format", "json", "--pure"},
		work:   []string{"--auto"},
		look:   []string{"--agent", "plan"},
		model:  "-m",
		keys:   []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"},
		vars:   []string{"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"},
		set:    []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		state:  []string{".local/share/opencode", ".local/state/opencode", ".config/opencode"},
		locked: []string{"ProviderAuthError", "AI_LoadAPIKeyError", "API key is missing", "ProviderModelNotFoundError"},
		read:   readOpencode,
	}
}

// qwen is Qwen Code.
func qwen() host {
	return host{
		name: "qwen", program: "qwen",
		always: []string{"--output-format", "stream-json", "--extensions", "none", "--allowed-mcp-server-names", "none"},
		work:   []string{"--approval-mode", "yolo"},
		look:   []string{"--approval-mode", "plan"},
		model:  "-m",
		keys:   []string{"OPENAI_API_KEY", "DASHSCOPE_API_KEY"},
		vars:   []string{"OPENAI_BASE_URL", "OPENAI_MODEL", "QWEN_MODEL"},
		set:    []string{"QWEN_CODE_SUPPRESS_YOLO_WARNING=1"},
		state:  []string{".qwen"},
		// Our sandbox lets no new terminal be opened.
		files:  map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}},"tools":{"shell":{"enableInteractiveShell":false}}}`},
		locked: []string{"No auth type is selected", "Please set an Auth method", "Incorrect API key", "OPENAI_API_KEY"},
		read:   readClaude,
	}
}

// goose is goose.
func goose() host {
	return host{
		name: "goose", program: "goose",
		always: []string{"run", "--no-profile", "--with-builtin", "developer", "--output-format", "stream-json", "--quiet"},
		model:  "--model", last: []string{"-i", "-"},
		keys:   []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "DATABRICKS_TOKEN"},
		vars:   []string{"GOOSE_PROVIDER", "GOOSE_MODEL", "ANTHROPIC_HOST", "OPENAI_HOST", "OPENAI_BASE_PATH", "GOOGLE_HOST", "OLLAMA_HOST", "DATABRICKS_HOST"},
		set:    []string{"GOOSE_DISABLE_KEYRING=1", "GOOSE_MODE=auto"},
		look2:  []string{"GOOSE_MODE=chat"}, // it has no mode that reads and does not write: without our sandbox it only talks
		state:  []string{".local/share/goose", ".local/state/goose", ".config/goose"},
		locked: []string{"No provider configured", "Configuration value not found", "goose configure", "Authentication"},
		read:   readGoose,
	}
}
