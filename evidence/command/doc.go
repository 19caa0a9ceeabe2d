// Package command reads command lines of agents: what they run, what they write, and how that
// went. It knows no session and no message, so that evidence and the detectors of loops can
// share it.
//
//	line := command.ReadLine("go test ./... | tail -5")
//	line.Runs[0].Kind        // command.Check
//	line.Read(output, false) // command.Passed
package command

import (
	"regexp"
	"sync"
	"unicode/utf8"
)

// The most that is read, in bytes.
const (
	MaxLine  = 8 << 10
	MaxPatch = 256 << 10
	maxFiles = 16
	maxPath  = 300
)

// clip is the beginning of a text, without half a letter at its end.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// pattern is a regular expression that is compiled when it is first needed. It is written
// here once more so that this package stays a leaf: the chain of imports is at its limit.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
