// Package loop tells when a session goes round in circles. It holds the rule of
// the specification, the rules that other agents publish, and our own, which
// looks for progress rather than for repetition alone; and it scores them
// against labelled sessions.
//
// A detector is a function of messages. It never reads a clock, a file or the
// network, never judges what steering itself injected or what a system message
// says, and never keeps more than its bounds, however long the session grows.
// What it does about a loop is not its business: it says that there is one, and
// why, in one line.
//
// A Rule takes its memory as a value and gives the next one back, so that an
// intervention can keep it in its own:
//
//	rule, err := loop.NewProgress(loop.ProgressConfig{})
//	memory, alarm := rule.See(memory, message)
//	if alarm != nil {
//		note(alarm.Why) // "go test ./... gave the same result 4 times and nothing changed in between"
//	}
//
// A Detector holds rule and memory together, for whoever has a stream to watch:
//
//	for _, d := range loop.All() {
//		alarm := d.See(message)
//		…
//	}
//	scores, err := loop.Score(loop.All, sessions)
package loop
