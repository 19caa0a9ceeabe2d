package host

// trimtab is our own chat and agent. Its sessions are in our own store. Who runs it
// puts in its own path as the program.
var trimtab = Host{
	Name:  "trimtab",
	Todos: []TodoTool{{Name: "todo_write", List: "todos", Text: []string{"content"}}},
	Headless: Headless{
		Program: "trimtab",
		// Our sandbox holds the whole program, so its own has nothing to add, and one
		// Landlock inside another could not reach the private folders of the inner one.
		Args:   []string{"--json", "--quiet", "--set", "tools.sandbox.mode=none"},
		Write:  []string{"--permit", "all"},
		Look:   []string{"--permit", "look"},
		Model:  "-m",
		Last:   []string{"-p", ""},
		Keys:   []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"},
		Vars:   []string{"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST"},
		Locked: []string{"no key"},
		Unlock: "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, start Ollama, or name another model with improve.model",
		Output: OutputOwn,
	},
}
