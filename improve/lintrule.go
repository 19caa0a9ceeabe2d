package improve

import (
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

// lintRules are the rules that a linter's output names, each once.
func lintRules(text string) []string {
	var out []string
	seen := map[string]bool{}
	n := 0
	for line := range strings.SplitSeq(trimtab.Clip(text, 64<<10), "\n") {
		if n++; n > maxLintLines || len(out) == maxRules {
			break
		}
		line = strings.TrimRight(stripANSI(line), " \r")
		if len(line) < 12 || len(line) > 400 {
			continue
		}
		for _, shape := range lintShapes() {
			if m := shape.FindStringSubmatch(line); m != nil && m[1] != "typecheck" { // what does not compile breaks no rule
				rule := m[1]
				if inner := innerRule().FindStringSubmatch(line); inner != nil {
					rule = inner[2] + " " + inner[1]
				}
				if !seen[rule] {
					seen[rule] = true
					out = append(out, rule)
				}
				break
			}
		}
	}
	return out
}

// lint counts the rules that a command's output names. It is false where there are none.
func (r *Reflector) lint(id string, call pending, text string) bool {
	rules := lintRules(text)
	for _, rule := range rules {
		row := r.rules.at(rule, r.seen)
		if row == nil {
			continue
		}
		row.sign, row.label, row.tool = rule, rule, call.tool
		if len(row.samples) < maxSamples {
			word := rule[strings.LastIndexByte(rule, ' ')+1:]
			r.quote(row, id, lineWith(r.redact(text), word))
		}
	}
	return len(rules) > 0
}

// lineWith is the first line of a text that holds a word.
func lineWith(text, word string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, word) {
			return strings.TrimSpace(stripANSI(line))
		}
	}
	return word
}
