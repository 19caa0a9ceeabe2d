// Package evidence follows what an agent really did: which files it changed, which
// commands it ran and how they ended. A claim is held against that, never against
// words.
//
//	record, _ = record.See(message) // every message of the session, in order
//	gap, open := record.Unproved()  // at the end of a turn: what changed and was not run since
//	run, ok := record.Ran("go test ./...")
//
// A Record is a value with a JSON form; it is bounded, and a message costs what its own
// length costs. The package is pure: it reads messages, no files.
package evidence
