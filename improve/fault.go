package improve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
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
	if failed && !told {
		switch refusal, reason := refusalOf(res.Text); refusal {
		case rejected:
			r.deny(m.ID, call, reason)
			return
		case aborted:
			return
		case slip:
			r.slipped++
			return
		case carriedOut:
		}
	}
	if call.runs && r.lint(m.ID, call, res.Text) && failed {
		r.answered(m.ID, call, res, failed)
		return
	}
	r.answered(m.ID, call, res, failed)
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
	if len(row.samples) < maxSamples {
		text := r.trouble
		if call.about != "" {
			text = shorten(r.near(r.redact(call.about)), 60) + " → " + r.near(text)
		}
		r.quote(row, m.ID, text)
	}
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
		program = " " + programOf(call.about)
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
	return slices.Contains([]string{"grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "pgrep", "which", "find"}, programOf(command))
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
	head, tail := trimtab.Clip(text, maxEnds), ""
	if len(text) > maxEnds {
		tail = text[max(maxEnds, len(text)-maxEnds):]
	}
	first, named := "", ""
	trace := strings.Contains(text, "Traceback (most recent call last)")
	for _, part := range []string{head, tail} {
		for line := range strings.SplitSeq(part, "\n") {
			whole := plainLine(trimtab.Clip(line, maxLabel))
			line = unwrapped(whole)
			if len(line) < 4 || generic(line) {
				continue
			}
			if strings.HasPrefix(named, "--- FAIL") {
				return named + " " + line // which test, and what of it
			}
			if first == "" && !shown(line) {
				first = line
			}
			if (wrong(line) || len(line) < len(whole)) && !shown(line) && (named == "" || trace && exception(line)) {
				named = line // an interpreter names the cause last, a compiler first
			}
			if named != "" && !trace && !strings.HasPrefix(named, "--- FAIL") {
				return named
			}
		}
	}
	return cmp.Or(named, first)
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
	case "fail", "failed", "error", "output", "stdout", "stderr", "(none)", "command", "none", "---":
		return true
	}
	if _, command, ok := strings.Cut(low, "$ "); ok && (strings.HasPrefix(low, "[") || strings.HasPrefix(low, "$ ")) && command != "" {
		return true // what a task runner runs
	}
	for _, w := range []string{"make: ***", "=== run", "=== pause", "=== cont", "--- pass", "fail\t", "fail ", "ok ", "? ", "?\t", "# ", "npm err! code", "npm error code", "npm err! errno", "error: script "} {
		if strings.HasPrefix(low, w) {
			return true
		}
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
	for _, w := range []string{"return ", "if ", "func ", "def ", "t.Fatal", "t.Error", "log.", "raise ", "throw ", "//", "*", "+ ", "- ", "INFO", "DEBUG", "level=info", "level=debug", "$ "} {
		if strings.HasPrefix(line, w) {
			return true
		}
	}
	return strings.HasSuffix(line, "{") || strings.HasSuffix(line, ";") || strings.Contains(line, "fmt.Errorf(") || strings.Contains(line, "errors.New(") || strings.Contains(line, " INFO ") || strings.Contains(line, " DEBUG ")
}

// wrong reports whether a line tells of something that went wrong.
func wrong(line string) bool {
	for _, w := range []string{"rror", "ERR", "FAIL", "ailed", "anic", "atal", "xception", "not found", "o such file", "enied", "ndefined", "annot", "can't", "nvalid", "refused", "imeout", "imed out", "nable to", "nexpected", "missing", "does not", "not exist", "has not been"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}
