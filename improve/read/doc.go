// Package read lets the person's own agent read pieces of past sessions and name causes of
// trouble that no rule finds: an instruction that was ignored, a claim that was untrue.
//
// Pieces come redacted and within a budget. A session is data: the agent is told so, gets no
// tools where it can do without, and runs in an empty folder. Of what it answers only causes
// with citations count: each claim names a session and a message and quotes it, and the quote
// is looked for there. What is not cited, or not found, is dropped and counted. Answers are
// kept by what was sent, so that no session is paid for twice and a run that was ended goes on
// where it was.
//
// The package files nothing, decides nothing and asks nobody for permission: its caller
// shows the plan and begins.
//
//	r, err := read.New(read.Options{Agent: agent, Sessions: scanner, Folder: folder, Redact: redact})
//	…
//	plan, err := r.Plan(ctx, reflection, 20)
//	fmt.Println(plan) // sessions, tokens, price
//	reading, err := r.Run(ctx, plan)
package read
