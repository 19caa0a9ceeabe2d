// Package spool is what the hooks need before a database: what a host's call means,
// and a small folder per session in which calls wait that need no answer. It is
// linked into a program that must start like a hello, so it decodes no more of the
// input than it must, and imports almost nothing.
//
// Each answer from the database (surface/hook) leaves a State behind that says for
// how many more tool calls nothing can be due. Until then a call is only put into the
// folder, and the next call that needs an answer takes all of them in:
//
//	call, err := spool.Read("claude", "PostToolBatch", input)
//	box := spool.At(data, call)
//	if box.Defer(call, now, pid) {
//		return // nothing to say
//	}
//	// surface/hook answers
//
// It never speaks to a host and never decides what is said.
package spool
