package loop

import (
	"strings"

	"github.com/cespare/xxhash/v2"
)

// What a result tells of how a call went, beyond what the tool itself says. All of
// it is read only where the words of the result give a hint of it.

// vain reports whether a search says that it found nothing.
func vain(result string) bool {
	if len(result) > 200 {
		return false
	}
	low := strings.ToLower(strings.TrimSpace(result))
	if low == "[]" || low == "{}" || low == "null" {
		return true
	}
	for _, w := range []string{"no matches", "no files found", "no results", "0 results", "nothing found", "not found", "no such file", "no match"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// pending reports whether a result says that something is still under way.
func pending(result string) bool {
	if len(result) > 600 { // a status is short, or stands at the end
		result = result[len(result)-600:]
	}
	low := strings.ToLower(result)
	for _, w := range []string{"in_progress", "in progress", "still running", "queued", "pending", "is running", "running…", "running...", "waiting for", "not ready", "status: running", "\"running\"", "containercreating", "not finished", "still building"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// outcome is what a run of tests or a build came to: its counts, as a number that
// differs where they differ. It is 0 where no line tells.
func outcome(result string) uint64 {
	head, tail := ends(result, maxEnds)
	sum := uint64(0)
	for _, part := range []string{head, tail} {
		for line := range strings.SplitSeq(part, "\n") {
			if len(line) > 300 || !counts(line) {
				continue
			}
			h := uint64(7)
			for i := 0; i < len(line); i++ {
				if c := line[i]; '0' <= c && c <= '9' && (i == 0 || line[i-1] != '.') {
					n := uint64(0)
					for i < len(line) && '0' <= line[i] && line[i] <= '9' {
						n = n*10 + uint64(line[i]-'0')
						i++
					}
					if i >= len(line) || line[i] != '.' && line[i] != 's' && line[i] != 'm' { // not a duration
						h = mix(h*31 + n + 1)
					}
				}
			}
			sum = mix(sum*31 + h)
		}
	}
	return sum
}

// counts reports whether a line counts tests, errors or steps.
func counts(line string) bool {
	digit, named := false, false
	for i := 0; i < len(line) && !(digit && named); i++ {
		c := line[i]
		digit = digit || c-'0' <= 9
		if !named {
			named = c == '%' || begins(c, line[i:])
		}
	}
	return digit && named
}

// begins reports whether a text begins, with this letter, with a word for what is
// counted.
func begins(c byte, text string) bool {
	switch c {
	case 'p':
		return strings.HasPrefix(text, "passed") || strings.HasPrefix(text, "passing")
	case 'f':
		return strings.HasPrefix(text, "failed") || strings.HasPrefix(text, "failing") || strings.HasPrefix(text, "failures")
	case 'e':
		return strings.HasPrefix(text, "errors") || strings.HasPrefix(text, "error(s)")
	case 'w':
		return strings.HasPrefix(text, "warnings")
	case 't':
		return strings.HasPrefix(text, "tests")
	case 'T':
		return strings.HasPrefix(text, "Tests:")
	}
	return false
}

// fault finds what a failed call complains of: a line for a person, and the
// identity of the error. It is "" where nothing specific is told.
func fault(result string) (line string, sign uint64) {
	head, tail := ends(result, maxEnds)
	found := ""
	for _, part := range []string{head, tail} {
		rest := part
		for rest != "" {
			at := rest
			line, rest, _ = strings.Cut(rest, "\n")
			line = strings.TrimSpace(line)
			if len(line) < 8 || len(line) > 500 || !wrong(line) || generic(line) {
				continue
			}
			found = at
			if !exception(line) { // compilers name the first cause first, interpreters the last
				return complaint(found)
			}
		}
	}
	return complaint(found)
}

const complaintLines = 6

// complaint reads the lines in which an error is told. All of them count: a test
// that fails with another value fails otherwise.
func complaint(text string) (line string, sign uint64) {
	n := 0
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		sign = mix(sign*31 + xxhash.Sum64String(unplaced(settled(l))))
		if n++; n == 1 || n == 2 && strings.HasPrefix(line, "--- FAIL") {
			line = strings.TrimSpace(line + " " + l)
		}
		if n == complaintLines {
			break
		}
	}
	return line, sign
}

// generic reports whether a line only says that something else went wrong.
func generic(line string) bool {
	for _, w := range []string{"Traceback (most", "During handling of", "exit status", "xit code", "returncode", "dependency resolver", "FAIL\t", "warning:", "Warning:", "WARNING", "STDERR", "expected error", "... OK", "... ok"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

func exception(line string) bool {
	name, _, ok := strings.Cut(line, ":")
	return ok && !strings.ContainsAny(name, " /") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception"))
}

// wrong reports whether a line tells of something that went wrong.
func wrong(line string) bool {
	for _, w := range []string{"rror", "ERR", "FAIL", "ailed", "anic", "atal", "xception", "not found", "o such file", "enied", "ndefined", "annot", "can't", "nvalid", "refused", "imeout", "imed out", "nable to", "xpected", "missing", "does not", "not exist"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// unplaced is a text without the places in files that it names: they shift with
// every change.
func unplaced(text string) string {
	head, tail := ends(text, maxEnds)
	text = head + tail
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c-'0' <= 9 && i > 0 && (text[i-1] == ':' || strings.HasSuffix(text[:i], "line ")) {
			for i+1 < len(text) && text[i+1]-'0' <= 9 {
				i++
			}
			c = '#'
		}
		out.WriteByte(c)
	}
	return out.String()
}

// overtime reports whether a call was ended because it took too long.
func overtime(result string) bool {
	head, tail := ends(result, 1200)
	for _, part := range []string{head, tail} {
		i := strings.Index(part, "imed out")
		if i < 0 {
			continue
		}
		for _, w := range []string{"ommand timed out", "imed out after", "imed out and ", "killed", "terminated"} {
			if strings.Contains(part, w) {
				return true
			}
		}
	}
	return false
}

// lost reports whether the output of a command says that it did not succeed,
// though the tool did not say so: by its exit code, by a verdict of tests, or by
// ending in an error. An error somewhere in between may be anything.
func lost(result string) bool {
	head, tail := ends(result, maxEnds)
	for _, part := range []string{head, tail} {
		for _, w := range []string{"xit code: ", "xit code ", "exit status ", "exited with code ", "<returncode>"} {
			if _, code, ok := strings.Cut(part, w); ok && code != "" {
				return code[0] != '0'
			}
		}
	}
	if tail == "" {
		tail = head
	}
	if strings.HasPrefix(head, "FAIL") || strings.Contains(head, "\nFAIL") || strings.Contains(tail, "\nFAIL") || strings.Contains(tail, "--- FAIL") {
		return true
	}
	tail = strings.TrimSpace(tail)
	last := strings.TrimSpace(tail[strings.LastIndexByte(tail, '\n')+1:])
	if exception(last) {
		return true
	}
	for _, w := range []string{"command not found", "No such file or directory", "rror: ", "fatal: ", "npm ERR!", "egmentation fault", "ermission denied"} {
		if strings.Contains(last, w) {
			return true
		}
	}
	return false
}
