// Package fakemodel stands for the model providers in tests of the gateway, the
// chat and the agents.
//
// It is an HTTP handler that speaks, streamed and whole, Anthropic Messages,
// OpenAI chat completions, OpenAI Responses and Gemini, keeps every request for
// the test to look at, and answers by a script. It is strict: what the real
// APIs refuse (a tool call without its result, text before a tool_result,
// thinking behind a changed prefix, a system message out of its place, a fifth
// cache mark) it refuses too, with their status and the form of their error
// bodies. It keeps a prompt cache, whose counts its replies tell. What it checks
// is written in docs/proof/fakemodel.md. It never reaches the network, never sleeps
// and keeps no credential: it only remembers that one was there.
//
//	model := fakemodel.Start(t, fakemodel.Options{
//		Script: fakemodel.ToolThenText("All done.", fakemodel.Run("echo hello")),
//	})
//	… run an agent against model.URL …
//	for _, r := range model.Main() {
//		for _, item := range r.Visible() {
//			t.Log(item) // "user text hello", "assistant call Bash toolu_1 {…}", …
//		}
//	}
//	model.NoneRefused(t)
//
// The rules stand alone too: Validate is the one check of what the gateway sends
// and of what the suite of the wire formats makes. They read with encoding/json
// and share no code with the formats. Recordings are requests of real clients.
package fakemodel
