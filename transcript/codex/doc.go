// Package codex reads the sessions that Codex keeps as JSON lines, the rollouts
// under its sessions folder.
//
// A rollout holds what went to the model and came from it, and beside that events
// for those who watch. Read gives back the conversation: what the model said in
// one reply is one message, with the results of its tools behind it. Whether a
// tool failed is taken from the events, which know exit codes; where there are
// none, from the head of the output. Only what the file says a person gave is a
// Person's; in rollouts that do not say, what no host claims.
//
// A turn that the person rolled back stays in the file. Where a file can be read
// twice, it is left out. A sub-agent has a rollout of its own, which holds nothing
// but a side conversation: read it with Options.Side.
//
//	for item, err := range codex.Read(file, transcript.Options{}) {
//		if errors.Is(err, trimtab.ErrDamaged) {
//			continue // err says which line, and why
//		}
//		…
//	}
package codex
