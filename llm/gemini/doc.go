// Package gemini asks models by the Gemini API.
//
// It writes requests and leaves the sending to post and the reading to the wire
// format. Thoughts and the signatures on calls go back unchanged, and only to
// the model that made them. The key travels in a header and never in the
// address. It keeps no state.
//
//	m, err := gemini.New(gemini.Options{Model: "gemini-2.5-pro", Key: source.Find("GEMINI_API_KEY", "GOOGLE_API_KEY")})
//	…
//	reply, stop, err := llm.Collect(m.Stream(ctx, request))
package gemini
