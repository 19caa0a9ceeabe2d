// Package registry finds the model that a name means, and lists those that can be
// used.
//
// A name is a provider and a model ("anthropic/claude-opus-5", "openai/gpt-5",
// "gemini/gemini-2.5-pro", "ollama/qwen3"), a model whose provider is plain to
// see ("claude-opus-5"), one that Ollama has, a name from the settings, or "demo".
// Without a name it is the default of the settings, else the first that can be
// used of Anthropic, OpenAI, Gemini and Ollama, in this order, else the demo.
//
// Keys come from the environment or the keyring and go only to their provider's
// own address, or to one that the user gave in the environment or the settings
// together with the name of the key. The package reads neither files nor the
// environment itself: it is handed functions.
//
//	p, err := pick.New(pick.Options{Config: settings.Models, Env: os.Getenv, Keys: key.Source{Env: os.Getenv, Ring: key.System()}})
//	…
//	model, err := p.Open(ctx, "claude-opus-5")
//	…
//	for _, e := range p.List(ctx) {
//		fmt.Println(e.Name, e.Window, e.Usable, e.Why)
//	}
package registry
