package command

import (
	"strings"
	"testing"
)

// A pattern is asked only where one of its words stands: no match may lack them.
func FuzzNoMatchLacksItsWords(f *testing.F) {
	for _, s := range []string{
		"ok  \tx\t0.1s", "a\nok x", "OK", "PASS\n", "x\nPASS", "12 passed", "3 passing", "1 tests passed", "test result: ok", "Tests: 3 passed", "BUILD SUCCESS", "0 errors", "All checks passed", "no issues found", "✓ a", "√",
		"--- FAIL: x", "FAILED", "npm ERR! x", "make[1]: *** [x]", "== 3 failed", "a.c:1:2: error x", "a(1,2): error x", "x.go:1:2: y", "2 failing", "✖ 3 problems (1", "BUILD FAILED",
		"panic: x", " fatal: x", "error[E0308]: x", "ERROR: x", "✗ x", "Traceback (most", "Segmentation fault", "x: command not found", "x: No such file or directory", "ok\u2028x", "\rok x", "exit code: 1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := passes(text), passLine().MatchString(text); got != want {
			t.Errorf("%q passes: %v, by the pattern %v", text, got, want)
		}
		for name, c := range map[string]struct {
			match bool
			words []string
		}{
			"fail": {failLine().MatchString(text), failWords}, "hint": {hintLine().MatchString(text), hintWords}, "crash": {crashed().MatchString(text), crashWords},
		} {
			if c.match && !holdsAny(text, c.words...) {
				t.Errorf("%s: %q matches and holds none of %q", name, text, strings.Join(c.words, ", "))
			}
		}
	})
}
