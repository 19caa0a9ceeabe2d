// Package openai asks models by the Chat Completions API: OpenAI's own, and those
// of the many servers that took it over, Ollama among them.
//
// It writes requests that all of them take: content as plain text wherever that
// is enough, and nothing that only one of them knows. It leaves the sending to
// post and the reading to the wire format, and keeps no state.
//
//	m, err := openai.New(openai.Options{Model: "gpt-5", Key: source.Find("OPENAI_API_KEY")})
//	…
//	local, err := openai.New(openai.Options{Model: "qwen3", Name: "local", URL: "http://127.0.0.1:8080/v1"})
//	…
//	reply, stop, err := llm.Collect(m.Stream(ctx, request))
package openai
