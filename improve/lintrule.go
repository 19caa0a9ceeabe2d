package improve

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/trimtab/trimtab"
)

// lintShapes are the lines by which linters name a rule that was broken.
var lintShapes = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, s := range []string{
		`^\S+\.\w+:\d+(?::\d+)?: .{4,}\(([a-z][\w-]+)\)$`,                            // golangci-lint, pylint
		`^\s*\d+:\d+\s+(?:error|warning)\s+.{4,}\s{2,}(@?[a-z][\w@-]*(?:/[\w-]+)*)$`, // eslint
		`^\S+\.py:\d+:\d+: ([A-Z]{1,4}\d{2,4}) \S`,                                   // ruff, flake8
		`\(clippy::(\w+)\)`,
		`^\S+\.rb:\d+:\d+: [CWEF]: (?:\[\w+\] )?([A-Z]\w+/\w+): `, // rubocop
		`^\s*\^-*\^? (SC\d{4})\b`,                                 // shellcheck
	} {
		all = append(all, regexp.MustCompile(s))
	}
	return all
})

// innerRule is the rule of a linter that has many of its own.
var innerRule = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`:\d+: ([\w-]+): .*\((gosec|revive|gocritic|staticcheck|stylecheck|gosimple)\)$`)
})

const maxLintLines, maxRules = 400, 40

// broken is a rule that a linter says was broken, and the line in which it says so.
type broken struct{ rule, file, line string }

// lintRules are the rules that a linter's output names, each once, as far as they concern
// somebody, and whether it names any.
func lintRules(text string, concerns func(file string) bool) (out []broken, any bool) {
	seen := map[string]bool{}
	n := 0
	file := "" // eslint tells it in a line of its own
	for line := range strings.SplitSeq(trimtab.Clip(text, 64<<10), "\n") {
		if n++; n > maxLintLines || len(out) == maxRules {
			break
		}
		line = strings.TrimRight(stripANSI(line), " \r")
		if line != "" && !strings.ContainsAny(line, " \t:") {
			file = line
		}
		if len(line) < 12 || len(line) > 400 {
			continue
		}
		b, ok := lintRule(line)
		any = any || ok
		if !ok || seen[b.rule] || midway(b.rule) {
			continue
		}
		if b.file == "" {
			b.file = file
		}
		if concerns(b.file) {
			seen[b.rule] = true
			out = append(out, b)
		}
	}
	return out, any
}

// lintRule reads one line.
func lintRule(line string) (b broken, ok bool) {
	for _, shape := range lintShapes() {
		m := shape.FindStringSubmatch(line)
		if m == nil || m[1] == "typecheck" { // what does not compile breaks no rule
			continue
		}
		b = broken{rule: m[1], line: strings.TrimSpace(line)}
		if inner := innerRule().FindStringSubmatch(line); inner != nil {
			b.rule = inner[2] + " " + inner[1]
		}
		if i := strings.IndexByte(line, ':'); i > 0 && strings.IndexByte(line, ' ') > i && strings.Contains(line[:i], ".") {
			b.file = line[:i]
		}
		return b, true
	}
	return b, false
}

// midway reports whether a rule is about something that nothing uses: so is code in the
// middle of a change, and the next edit mends it.
func midway(rule string) bool {
	rule = rule[strings.LastIndexAny(rule, "/ ")+1:]
	switch rule {
	case "unused", "no-unused-vars", "no-unused-imports", "unused-imports", "unused-import", "unused-variable", "F401", "F841", "W0611", "W0612":
		return true
	}
	return false
}

// lint counts the rules that a command's output names, of files that were changed in this
// session: what was there before, the agent did not break. It is false where the output names
// none at all.
func (r *Reflector) lint(id string, call pending, text string) bool {
	found, any := lintRules(text, r.changedHere)
	for _, b := range found {
		row := r.rules.at(b.rule, r.seen)
		if row == nil {
			continue
		}
		row.sign, row.label, row.tool = b.rule, b.rule, call.tool
		if len(row.samples) < maxSamples {
			r.quote(row, id, r.redact(b.line))
		}
	}
	return any
}

const maxWritten = 512

// written notes the files that the newest message tells of having changed.
func (r *Reflector) written() {
	for _, f := range r.work.Wrote {
		if f == "" {
			r.wroteMore = true
		} else if len(r.wroteFiles) < maxWritten {
			r.wroteFiles[path.Base(f)] = true
		}
	}
}

// changedHere reports whether a file was, or may have been, changed in this session: by name,
// or where a command or a sub-agent changed files that nobody named.
func (r *Reflector) changedHere(file string) bool {
	if r.wroteMore && len(r.wroteFiles) == 0 || len(r.wroteFiles) == maxWritten || file == "" {
		return r.wroteMore || len(r.wroteFiles) > 0
	}
	return r.wroteFiles[path.Base(file)]
}
