package command

import (
	"slices"
	"strings"
)

// Outcome is how a command went.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Empty   Outcome = "empty"   // it succeeded and had nothing to do: no tests, no packages
	Unknown Outcome = "unknown" // it runs in the background, or only its output could tell and does not
)

var (
	exitCode = pattern(`(?i)(?:exit(?:ed)?[ _-]?(?:with )?(?:exit )?(?:code|status)["']?|<returncode>|exited with)\s*[:=]?\s*(-?\d+)`)
	failLine = pattern(`(?m)^\s*(?:--- FAIL|FAIL\b|FAILED\b|npm (?:ERR!|error)|make(?:\[\d+\])?: \*\*\* |=+ .*\b\d+ (?:failed|errors?)\b|Tests:\s+\d+ failed|test result: FAILED|BUILD FAILED|[^\s:]+:\d+(?::\d+)?: (?:fatal )?error\b|[^\s(]+\(\d+,\d+\): error |(?:vet: )?[^\s:]+\.go:\d+:\d+: )|\b[1-9]\d* (?:failing|failed|failures?)\b|✖ [1-9]\d* problems? \([1-9]`)
	hintLine = pattern(`(?m)^\s*(?:panic: |fatal: |error(?:\[E\d+\])?: |ERROR: |✗ )`) // in the output of what passed, too
	crashed  = pattern(`(?m)^Traceback \(|Segmentation fault|: command not found|: No such file or directory$`)
	passLine = pattern(`(?m)^(?:ok\s+\S+|PASS\b|OK\b)|\b[1-9]\d* (?:passed|passing|tests? passed)\b|test result: ok|Tests:\s+[1-9]\d* passed|BUILD SUCCESS|0 errors|All checks passed|no issues found|✓|√`)
	nothing  = pattern(`(?i)no tests? (?:to run|found|ran|were run|files? found|matched)|matched no (?:packages|tests)|no packages to test|collected 0 items|\bran 0 tests\b|no go files in|running 0 tests|0 tests? (?:passed|collected|ran)|Tests:\s+0 total|no test specified|no targets specified and no makefile|nothing to be done`)
	tests    = pattern(`(?:^|\s)(?:tests?|pytest|vitest|jest|rspec|phpunit|ctest)(?:\s|$)`)
	fresh    = pattern(`(?m)^ok\s+\S+\s+\d+\.\d+s`)
	noFiles  = pattern(`(?m)^\?\s+\S+\s+\[no test files\]`)
)

// Each match of a pattern holds one of its words. Most outputs hold none, and a search for
// words takes a small part of the time of the pattern.
var (
	failWords  = []string{"FAIL", "fail", "npm ", "***", "error", ".go:", "✖"}
	passWords  = []string{"\nok", "\nOK", "\nPASS", "passed", "passing", "test result: ok", "BUILD SUCCESS", "0 errors", "no issues found", "✓", "√"}
	hintWords  = []string{"panic: ", "fatal: ", "error", "ERROR: ", "✗ "}
	crashWords = []string{"Traceback (", "Segmentation fault", ": command not found", ": No such file or directory"}
)

// passes reports whether an output says that what was run passed.
func passes(text string) bool {
	begins := strings.HasPrefix(text, "ok") || strings.HasPrefix(text, "OK") || strings.HasPrefix(text, "PASS")
	return (begins || holdsAny(text, passWords...)) && passLine().MatchString(text)
}

func holdsAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

const maxEnds = 8 << 10

// ends returns the beginning and the end of a long text: verdicts stand there.
func ends(text string) string {
	if len(text) <= maxEnds {
		return text
	}
	return clip(text, maxEnds/2) + "\n" + strings.ToValidUTF8(text[len(text)-maxEnds/2:], "")
}

// Each says how each command of the line went. Where a line failed whose tests say that they
// passed, it was something after them: to call that a failed test would be untrue.
func (l Line) Each(output string, failed bool) []Outcome {
	how := l.Read(output, failed)
	all := slices.Repeat([]Outcome{how}, len(l.Runs))
	first := slices.IndexFunc(l.Runs, func(r Run) bool { return r.Kind == Check && tests().MatchString(r.Command) })
	if how != Failed || l.Filtered || first < 0 || first == len(l.Runs)-1 && !l.more {
		return all
	}
	if text := ends(output); !passes(text) || strings.Contains(text, "not ok ") || strings.Contains(text, "timed out") || holdsAny(text, failWords...) && failLine().MatchString(text) {
		return all
	}
	for i := range first + 1 {
		all[i] = Passed
	}
	return all
}

// Read says how a command went, from its output and from whether the host says that it
// failed. In a filtered line
// the host's word is the filter's.
func (l Line) Read(output string, failed bool) Outcome {
	text := ends(output)
	if holdsAny(text, "exit", "Exit", "EXIT", "eturncode", "RETURNCODE") {
		for _, m := range exitCode().FindAllStringSubmatch(text, -1) {
			if strings.Trim(m[1], "-0") != "" {
				return Failed
			}
		}
	}
	if strings.Contains(text, "timed out") && (strings.Contains(text, "ommand timed out") || strings.Contains(text, "timed out after")) {
		return Failed
	}
	pass := passes(text)
	checks := false
	for _, run := range l.Runs {
		checks = checks || run.Kind == Check
	}
	switch {
	case checks && (holdsAny(text, failWords...) && failLine().MatchString(text) || !pass && holdsAny(text, hintWords...) && hintLine().MatchString(text)):
		return Failed
	case !pass && holdsAny(text, crashWords...) && crashed().MatchString(text):
		return Failed
	}
	switch {
	case failed && l.Filtered && pass: // a filter that found nothing
		return Passed
	case failed && l.shown:
		return Unknown
	case failed:
		return Failed
	case checks && pass && strings.Contains(text, "(cached)") && !fresh().MatchString(text):
		return Empty // nothing that changed had a part in it
	case checks && !pass && (nothing().MatchString(text) || noFiles().MatchString(text)):
		return Empty
	case l.shown && !pass: // whoever asked for the status was not told it
		return Unknown
	}
	return Passed
}
