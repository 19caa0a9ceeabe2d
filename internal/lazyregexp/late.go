// Package lazyregexp makes patterns when they are first needed. Agents start the program
// for every hook and wait for it; patterns of all packages, made before its first
// line, would be a tenth of that time.
//
//	var number = late.Pattern(`#(\d+)`)
//	…
//	number().FindString(text)
package lazyregexp

import (
	"regexp"
	"sync"
)

// Pattern returns a function that compiles an expression when it is first called.
// One that does not compile panics there: a test of the package must call it.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
