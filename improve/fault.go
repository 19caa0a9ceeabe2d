package improve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
)

// result closes a call and counts it where it failed. Whether it did is what the
// transcript says; a command that tells its exit code only in its output is
// believed too. No other text is: tools show files and logs that tell of errors.
func (r *Reflector) result(m trimtab.Message, res trimtab.ToolResult) {
	call := pending{tool: "unnamed"}
	if i := slices.IndexFunc(r.open, func(p pending) bool { return p.id == res.ID }); i >= 0 {
		call = r.open[i]
		r.open = slices.Delete(r.open, i, i+1)
		r.newest = call
	}
	code, told := exitCode(res.Text)
	failed := res.Failed || call.runs && told && code != "0"
	if failed && told && strings.Contains(trimtab.Clip(res.Text, 200), "[Request interrupted by user") {
		return // it was ended, and so has a code
	}
	if failed && !told {
		refusal := evidence.RefusalOf(res.Text)
		r.newest.refused = refusal != evidence.CarriedOut
		switch refusal {
		case evidence.Rejected:
			r.keepResult(PieceRejection, m, call, res)
			r.deny(m.ID, call, reasonFor(res.Text))
			return
		case evidence.Cancelled, evidence.Forbidden, evidence.Aborted:
			return
		case evidence.CarriedOut:
			if isSlip(res.Text) {
				r.slipped++
				return
			}
		}
	}
	r.exposeResult(call, failed, complaint(res.Text))
	if call.runs && r.lint(m.ID, call, res.Text) && failed {
		r.answered(m.ID, call, res, failed)
		return
	}
	r.answered(m.ID, call, res, failed)
	if failed {
		r.keepResult(PieceFailure, m, call, res)
	}
	if !failed || r.guess(m.ID, call, res.Text) {
		return
	}
	line := complaint(res.Text)
	if unfinished(line) {
		return
	}
	if line == "" && code == "1" && answers(call.about) {
		return // a search that found nothing, a comparison that found a difference
	}
	if line == "" {
		line = silent(call, code)
	}
	r.failed = Fold(line)
	r.trouble = shorten(r.told(res.Text, line), maxLabel)
	row := r.faults.at(r.failed, r.seen)
	if row == nil {
		return
	}
	if row.n == 1 {
		row.tool, row.label, row.sign = call.tool, r.trouble, r.failed
	}
	if row.command == "" {
		row.command = r.commandOf(call)
	}
	if len(row.samples) < maxSamples {
		text := r.trouble
		if call.about != "" {
			text = shorten(r.near(r.redact(call.about)), 60) + " → " + r.near(text)
		}
		r.quote(row, m.ID, text)
	}
}

// maxCommand is the longest command line that is kept to be run again.
const maxCommand = 300

// commandOf is the command line of a call, from the session's folder, so that it can be run
// again; "" where it is none, or where something in it is not to be told.
func (r *Reflector) commandOf(call pending) string {
	line := strings.TrimSpace(call.about)
	if r.folder != "" {
		line = strings.TrimPrefix(line, "cd "+r.folder+" && ")
		line = strings.ReplaceAll(line, r.folder+"/", "")
	}
	if !call.runs || line == "" || len(line) > maxCommand || strings.ContainsAny(line, "\n\r") || r.redact(line) != line {
		return ""
	}
	return line
}

// unfinished reports whether a compiler says that the code is in the middle of a change.
// The next edit mends that, and no project can.
func unfinished(line string) bool {
	for _, w := range []string{"imported and not used", "declared and not used", "declared but not used", "is defined but never used", "unused import", "unused variable"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// told is the complaint with its secrets taken out of the whole text, in which
// they are known as such, rather than out of the one line.
func (r *Reflector) told(text, line string) string {
	if shown := complaint(r.redact(text)); shown != "" {
		return shown
	}
	return r.redact(line)
}

// silent names a failure that says nothing.
func silent(call pending, code string) string {
	program := ""
	if call.runs {
		program = " " + cmp.Or(purpose(call.about), programOf(call.about))
	}
	if code == "" {
		return call.tool + program + " fails and says nothing"
	}
	return fmt.Sprintf("%s%s ends with exit code %s and says nothing", call.tool, program, code)
}

// programOf is the program that a command line runs first.
func programOf(command string) string {
	for w := range strings.FieldsSeq(command) {
		if strings.Contains(w, "=") || w == "sudo" || w == "env" {
			continue
		}
		return w[strings.LastIndexByte(w, '/')+1:]
	}
	return ""
}

// answers reports whether the program of a command says no by exit code 1.
func answers(command string) bool {
	last := purpose(command) // of several commands the last one's answer counts
	return slices.Contains([]string{"git config", "git diff", "git grep", "git merge-base", "git show-ref", "git rev-parse", "git ls-files"}, last) ||
		slices.ContainsFunc([]string{last, programOf(command)}, func(name string) bool {
			return slices.Contains([]string{"grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "pgrep", "which", "find"}, name)
		})
}

// exitCode reads the code of a command where its host wrote it into the output,
// at the beginning or the end.
func exitCode(text string) (code string, told bool) {
	head, tail := trimtab.Clip(text, 400), ""
	if len(text) > 400 {
		tail = text[max(400, len(text)-200):]
	}
	for _, part := range []string{head, tail} {
		if !endsNamed(part) {
			continue
		}
		low := strings.ToLower(part)
		for _, w := range []string{"exit code: ", "exit code ", "exited with code ", "<returncode>", "exit_code\":", "exit status "} {
			i := strings.Index(low, w)
			if i < 0 {
				continue
			}
			digits := strings.TrimLeft(low[i+len(w):], " ")
			n := 0
			for n < len(digits) && n < 4 && (digits[n] >= '0' && digits[n] <= '9' || n == 0 && digits[n] == '-') {
				n++
			}
			if n > 0 {
				return digits[:n], true
			}
		}
	}
	return "", false
}

// endsNamed reports whether a text may tell an exit code: most have no word of it, and
// are not searched for each way of saying so.
func endsNamed(text string) bool {
	for i := 1; i+2 < len(text); i++ {
		switch c := text[i]; {
		case c|0x20 == 'x' && strings.EqualFold(text[i-1:i+3], "exit"):
			return true
		case c|0x20 == 'r' && text[i-1] == '<' && len(text) >= i+10 && strings.EqualFold(text[i:i+10], "returncode"):
			return true
		}
	}
	return false
}

const maxEnds = 4096

// complaint is the line in which a failed result tells what is wrong; "" where it
// only says that something is.
func complaint(text string) string {
	lines := tellingLines(text)
	if i := slices.IndexFunc(lines, failedTest); i >= 0 {
		if before := slices.IndexFunc(lines[:i], tells); before >= 0 { // what stopped the tests, or one of them, told as it ran
			return withNext(lines, before)
		}
		return failure(lines[i:])
	}
	if strings.Contains(text, "Traceback (most recent call last)") { // an interpreter names the cause last, a compiler first
		for i := len(lines) - 1; i >= 0; i-- {
			if exception(lines[i]) {
				return lines[i]
			}
		}
	}
	if i := slices.IndexFunc(lines, tells); i >= 0 {
		return withNext(lines, i)
	}
	if i := slices.IndexFunc(lines, func(line string) bool { return !shown(line) }); i >= 0 {
		return withNext(lines, i)
	}
	return ""
}

// tellingLines are the lines at both ends of a result that may tell something, plain.
func tellingLines(text string) []string {
	head, tail := trimtab.Clip(text, maxEnds), ""
	if len(text) > maxEnds {
		tail = text[max(maxEnds, len(text)-maxEnds):]
	}
	var out []string
	for _, part := range []string{head, tail} {
		for line := range strings.SplitSeq(part, "\n") {
			line = strings.TrimSuffix(line, "\r")
			line = line[strings.LastIndexByte(line, '\r')+1:] // progress that was written over
			line = plainLine(trimtab.Clip(line, maxLabel))
			bare := unwrapped(line)
			switch {
			case len(bare) < 4 || generic(bare):
			case len(bare) < len(line):
				out = append(out, hostSays+bare)
			default:
				out = append(out, line)
			}
		}
	}
	return out
}

// hostSays stands before a line around which a host put that it is an error. It is taken
// off before anybody sees it.
const hostSays = "\x00"

// tells reports whether a line says what went wrong, and does not merely show it.
func tells(line string) bool {
	return strings.HasPrefix(line, hostSays) || wrong(line) && !shown(line)
}

// withNext is a line, with the next one where it only announces that.
func withNext(lines []string, i int) string {
	line := strings.TrimPrefix(lines[i], hostSays)
	if strings.HasSuffix(line, ":") && i+1 < len(lines) {
		line += " " + strings.TrimPrefix(lines[i+1], hostSays)
	}
	return line
}

func failedTest(line string) bool { return strings.HasPrefix(line, "--- FAIL") }

// failure says which test failed, the innermost, and what of it: the first line that tells,
// not what the test logged before.
func failure(lines []string) string {
	n := 1
	for n < len(lines) && failedTest(lines[n]) {
		n++
	}
	test, rest := lines[n-1], lines[n:]
	if end := slices.IndexFunc(rest, failedTest); end >= 0 {
		rest = rest[:end]
	}
	for _, is := range []func(string) bool{
		func(line string) bool { return !shown(line) && (wrong(line) || disappoints(line)) },
		func(line string) bool { return !shown(line) },
	} {
		if i := slices.IndexFunc(rest, is); i >= 0 {
			return test + " " + strings.TrimPrefix(rest[i], hostSays)
		}
	}
	return test
}

// disappoints reports whether a line of a test says what it had wanted.
func disappoints(line string) bool {
	for _, w := range []string{"want", "xpected", "should ", " got ", "got:", "!=", "mismatch"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// unwrapped takes off what hosts put around an error.
func unwrapped(line string) string {
	line = strings.TrimPrefix(line, "<tool_use_error>")
	line = strings.TrimSuffix(line, "</tool_use_error>")
	for _, w := range []string{"Error: ", "InputValidationError: "} {
		if rest, ok := strings.CutPrefix(line, w); ok && len(rest) > 8 {
			line = rest
		}
	}
	return strings.TrimSpace(line)
}

func exception(line string) bool {
	head, _, ok := strings.Cut(line, ":")
	return ok && !strings.ContainsAny(head, " /\"") && (strings.HasSuffix(head, "Error") || strings.HasSuffix(head, "Exception"))
}

// generic reports whether a line only says that something else went wrong, or how
// long it took.
func generic(line string) bool {
	low := strings.ToLower(line)
	for _, w := range []string{
		"exit code", "exit status", "exited with code", "traceback (most", "<returncode>", "chunk id:", "wall time", "original token count", "total output lines", "process group",
		"command failed", "during handling of the above", "error: process completed",
	} {
		if strings.HasPrefix(low, w) || len(low) < 60 && strings.Contains(low, w) {
			return true
		}
	}
	switch strings.TrimRight(low, ":. ") {
	case "pass", "fail", "failed", "error", "output", "stdout", "stderr", "(none)", "command", "none", "---":
		return true
	}
	if _, command, ok := strings.Cut(low, "$ "); ok && (strings.HasPrefix(low, "[") || strings.HasPrefix(low, "$ ")) && command != "" {
		return true // what a task runner runs
	}
	for _, w := range []string{"make: ***", "=== run", "=== pause", "=== cont", "--- pass", "fail\t", "fail ", "ok ", "? ", "?\t", "# ", "npm err! code", "npm error code", "npm err! errno", "error: script ", "testing: warning: no tests", "auto-merging "} {
		if strings.HasPrefix(low, w) {
			return true
		}
	}
	if strings.Contains(low, ": : # ") || strings.Contains(low, "(-: # ") || strings.HasPrefix(low, "package ") && !strings.Contains(low, ":") {
		return true // a linter or the compiler says in which package; what is wrong comes below
	}
	for _, w := range []string{"] error task failed", "[build failed]", "[setup failed]", "task failed", "elifecycle"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// shown reports whether a line is code or a log that a command merely shows.
func shown(line string) bool {
	for _, w := range []string{"return ", "if ", "func ", "def ", "t.Fatal", "t.Error", "log.", "raise ", "throw ", "except ", "except:", "catch ", "print(", "//", "*", "+ ", "- ", "INFO", "DEBUG", "level=info", "level=debug", "$ ", "✓", "✔"} {
		if strings.HasPrefix(line, w) {
			return true
		}
	}
	return strings.HasSuffix(line, "{") || strings.HasSuffix(line, ";") || strings.Contains(line, "fmt.Errorf(") || strings.Contains(line, "errors.New(") || strings.Contains(line, " INFO ") || strings.Contains(line, " DEBUG ")
}

// wrong reports whether a line tells of something that went wrong.
func wrong(line string) bool {
	for _, w := range []string{"rror", "ERR", "FAIL", "ailed", "anic", "atal", "xception", "not found", "o such file", "enied", "ndefined", "annot", "can't", "nvalid", "refused", "imeout", "imed out", "nable to", "nexpected", "missing", "does not", "not exist", "has not been", "not allowed"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}
