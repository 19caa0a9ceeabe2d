package evidence

import (
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence/command"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

const maxNamed, maxPrompt = 4, 16 << 10

var (
	quoted = lazyregexp.Pattern("`([^`\n]{3,200})`|\"([^\"\n]{3,120})\"|(?m)^\\s*[$%] (\\S.{2,200})$")
	fenced = lazyregexp.Pattern("(?s)```[a-z]*\n(.*?)```")
	rehear = lazyregexp.Pattern(`(?:^|\s)--(?:dry-run|snapshot|check|validate|noop|no-op|what-if)\b`)
)

// namedChecks are the checks that a prompt names, as code, in quotes or in plain words: they
// are what the person will run, so they are what shows that the work is done.
func namedChecks(prompt string) []string {
	prompt = trimtab.Clip(prompt, maxPrompt)
	var named []string
	add := func(line string) {
		for _, run := range ReadLine(line).Runs {
			if (run.Kind == Check && !generic(run.Command) || run.Kind != Other && rehear().MatchString(run.Command)) && !slices.Contains(named, run.Command) {
				named = append(named, run.Command)
			}
		}
	}
	for _, c := range codeOf(prompt) {
		add(c)
	}
	for _, c := range spoken(prompt) {
		add(c)
	}
	return named[max(0, len(named)-maxNamed):]
}

// codeOf are the pieces of a text that are marked as code or stand in quotes.
func codeOf(text string) []string {
	var out []string
	for _, m := range fenced().FindAllStringSubmatch(text, 8) {
		for line := range strings.Lines(m[1]) {
			if line = strings.TrimPrefix(strings.TrimSpace(line), "$ "); line != "" && line[0] != '#' && len(out) < 32 {
				out = append(out, line)
			}
		}
	}
	for _, m := range quoted().FindAllStringSubmatch(text, 64) {
		out = append(out, m[1]+m[2]+m[3])
	}
	return out
}

// generic reports whether a command is one word: a name in quotes, a file that is spoken of.
func generic(command string) bool {
	return !strings.Contains(command, " ") && !strings.HasPrefix(command, "./")
}

// spoken are commands in plain words: a program that checks and what it is told to do.
func spoken(prompt string) []string {
	var out []string
	words := strings.Fields(trimtab.Clip(prompt, 4<<10))
	for i, w := range words {
		if i+1 >= len(words) {
			break
		}
		next := strings.TrimRight(words[i+1], ".,;:!?)\"'`")
		switch {
		case (w == "make" || w == "just" || w == "task") && command.CheckWord().MatchString(next), command.HasSub(w, next) && next != "run" && next != "install" && w != "python" && w != "python3" && w != "task" && w != "stack":
			out = append(out, w+" "+next)
		case command.HasSub(w, next) && next == "run" && i+2 < len(words):
			out = append(out, w+" "+next+" "+strings.TrimRight(words[i+2], ".,;:!?)\"'`"))
		}
	}
	return out
}

// Handed returns the command that a reply hands to the person to run, though it is one of
// this session's own scripts or checks, and nothing has run it since the last change.
func (r Record) Handed(reply string) (Ran, bool) {
	if len(r.Changed) == 0 {
		return Ran{}, false
	}
	since := r.Changed[len(r.Changed)-1].At
	for _, line := range codeOf(tail(reply, 4<<10)) {
		for _, run := range ReadLine(line).Runs {
			if run.Kind == Other {
				continue
			}
			script := slices.ContainsFunc(r.Scripts, func(f string) bool { return strings.Contains(run.Command, path.Base(f)) })
			n, ran := r.begins(run.Command)
			if !script && !(ran && n.Kind == Check) || ran && n.At >= since && n.Outcome != Unknown {
				continue
			}
			if slices.ContainsFunc(r.Ran, func(n Ran) bool {
				return script && n.At >= since && strings.Contains(n.Command, path.Base(strings.Fields(run.Command)[0]))
			}) {
				continue
			}
			n.Command, n.Kind = run.Command, run.Kind
			return n, true
		}
	}
	return Ran{}, false
}

func tail(text string, n int) string {
	if len(text) > n {
		return strings.ToValidUTF8(text[len(text)-n:], "")
	}
	return text
}

// isScript reports whether a file can be run as it is. A name that holds a variable of the
// shell is nobody's: which file was meant is not known, and nothing can be asked for by it.
func isScript(file string) bool {
	if strings.Contains(file, "$") {
		return false
	}
	switch path.Ext(file) {
	case ".sh", ".bash", ".zsh", ".py", ".rb", ".pl", ".js", ".mjs", ".ts", ".ps1":
		return !IsTest(file) || path.Ext(file) == ".sh"
	}
	return false
}

// suites are words in the names of folders whose tests are not part of the usual check.
var suites = []string{"integration", "e2e", "acceptance", "functional", "smoke", "system"}

// suiteWords are what tells in a command that it runs more than the usual check.
var suiteWords = append(slices.Clone(suites), "-tags", ":ci", " ci", ":all", " all")

// suiteOf is the suite of its own that a test belongs to, or nothing.
func suiteOf(file string) string {
	for _, dir := range strings.Split(strings.ToLower(path.Dir(file)), "/") {
		for _, s := range suites {
			if strings.HasPrefix(dir, s) || strings.HasSuffix(dir, s) {
				return s
			}
		}
	}
	return ""
}

// wide reports whether a command runs a suite of its own: by its name, or because it runs all.
func wide(command, suite string) bool {
	return strings.Contains(command, suite) || slices.ContainsFunc(suiteWords[len(suites):], func(w string) bool { return strings.Contains(command, w) })
}
