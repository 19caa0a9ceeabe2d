package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Rule says which commands need no question.
type Rule struct {
	Words []string
	More  bool // any words may follow
}

// ParseRule reads a rule such as "git status" or "go test *".
func ParseRule(text string) (Rule, error) {
	line := Parse(text)
	switch {
	case line.Odd != "":
		return Rule{}, fmt.Errorf("the rule %q is not a simple command: %s; give the first words of one, as in \"go test *\"", text, line.Odd)
	case len(line.Parts) != 1:
		return Rule{}, fmt.Errorf("the rule %q is more than one command; make a rule of each", text)
	}
	var r Rule
	words := line.Parts[0].Words
	if last := words[len(words)-1]; last.Open && last.Text == "*" {
		r.More, words = true, words[:len(words)-1]
	}
	for _, w := range words {
		if w.Open {
			return Rule{}, fmt.Errorf("the rule %q has a pattern or variable in it; only a last word * means more words", text)
		}
		r.Words = append(r.Words, w.Text)
	}
	return r, nil
}

// String writes the rule as ParseRule reads it.
func (r Rule) String() string {
	words := make([]string, len(r.Words))
	for i, w := range r.Words {
		words[i] = quote(w)
	}
	if r.More {
		words = append(words, "*")
	}
	return strings.Join(words, " ")
}

var harmless = lazyregexp.Pattern(`^[A-Za-z0-9_./:@%+,-]+$`)

func quote(word string) string {
	if harmless().MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Allows reports whether the rule speaks of a simple command.
func (r Rule) Allows(p Part) bool {
	if len(r.Words) == 0 || len(p.Words) < len(r.Words) || !r.More && len(p.Words) > len(r.Words) {
		return false
	}
	for i, w := range r.Words {
		if p.Words[i].Open || p.Words[i].Text != w {
			return false
		}
	}
	return true
}

// Allowed reports whether every part of the command is spoken of by some rule.
func (l Line) Allowed(rules ...Rule) bool {
	if l.Odd != "" || len(l.Parts) == 0 {
		return false
	}
	for _, p := range l.Parts {
		if !slices.ContainsFunc(rules, func(r Rule) bool { return r.Allows(p) }) {
			return false
		}
	}
	return true
}

// Suggest returns the rules that would allow the command beside those given: a
// little wider than the command where that is without danger, else exactly it. It
// returns none where no rule could.
func (l Line) Suggest(rules ...Rule) []Rule {
	if l.Odd != "" {
		return nil
	}
	var out []Rule
	for _, p := range l.Parts {
		if slices.ContainsFunc(append(slices.Clone(rules), out...), func(r Rule) bool { return r.Allows(p) }) {
			continue
		}
		r := widen(p)
		if !r.Allows(p) {
			return nil
		}
		out = append(out, r)
	}
	return out
}

// families are programs whose second word says what they do. What runs programs
// of somebody's choosing, or changes what is far away, is not among the words.
var families = map[string][]string{
	"git":   {"status", "diff", "log", "show", "add", "branch", "blame", "rev-parse", "ls-files", "stash", "commit", "fetch"},
	"go":    {"test", "build", "vet", "list", "doc", "fmt", "version", "env"},
	"cargo": {"test", "build", "check", "clippy", "fmt"},
	"npm":   {"test", "ls", "view"},
}

// readers only show things.
var readers = []string{"ls", "cat", "head", "tail", "wc", "grep", "rg", "pwd", "echo", "stat", "du", "file", "which", "diff", "true", "false"}

func widen(p Part) Rule {
	program := p.Words[0].Text
	if slices.Contains(readers, program) {
		return Rule{[]string{program}, true}
	}
	if len(p.Words) > 1 && !p.Words[1].Open && slices.Contains(families[program], p.Words[1].Text) {
		return Rule{[]string{program, p.Words[1].Text}, true}
	}
	var exact Rule
	for _, w := range p.Words {
		if w.Open {
			return Rule{} // not the same the next time
		}
		exact.Words = append(exact.Words, w.Text)
	}
	return exact
}
