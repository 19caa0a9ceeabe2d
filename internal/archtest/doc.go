// Package archtest is where the code tests its own shape. It holds no code, only
// tests that read the tree and fail when it no longer is what the design says:
//
//   - a package imports only what its row of the table allows (table_test.go)
//   - every dependency has its place in the table and a sentence in docs/deps.md
//   - every package says what it is for
//   - pure packages have no clock, file, network, environment, goroutine or chance
//   - files and functions stay small enough to read
//   - the root package, the program, the longest chain of imports and the largest
//     interface stay within the figures of shape_test.go (make measure prints them)
//   - docs/explanation/glossary.md has at most 40 words, which the code uses, and private words
//     for things of the trade only become fewer
//   - steps of an improvement are told by name, not by number
//   - nothing unfinished, no init, no package that is named after nothing
//   - documents name only files that exist (that they name only commands that exist
//     is tested where the commands are, in cmd/trimtab)
//   - what a package below an internal folder exports is used by another one
//   - each variant of a sum type has its JSON form and its place in the comment
//
// It never runs the code it reads, needs no tool but the compiler's own parser,
// and imports nothing of this module. Every check is a function from a tree to
// a list of problems, and is shown to fail on a small tree that has the bug:
//
//	tr := plant(t, files{"steer/mode/mode.go": `import "…/trimtab/steer/todo"`})
//	wantProblems(t, imports(tr), "steer/mode may not import steer/todo")
//
// To add a package, add its row to the table with a reason. To add an exception,
// add it to the list beside the check, with a reason too; one that nothing uses
// any more is a problem as well.
package archtest
