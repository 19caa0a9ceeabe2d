// Package check looks at the working tree of a project and runs the command that checks it,
// for surfaces on the project's machine: our own chat, and the hooks of other agents.
//
// A working tree may be hostile: git is asked for names alone, with its hooks, file system
// monitor and filters out of reach, within a second, and what git does not know is not read.
// A command runs in the sandbox and within a limit of time, and never twice on the same state
// of the tree: its receipt is kept.
//
//	checker := check.New(check.Options{Confine: box.Confine, Limit: time.Minute, Keep: folder})
//	files := checker.Look(ctx, dir)
//	receipt := checker.Check(ctx, dir, "go test ./...")
package check
