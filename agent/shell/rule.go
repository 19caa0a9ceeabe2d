package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Rule says which commands need no question.
type Rule struct {
	Words []string
	More  bool // any words may follow

	looks bool // commands that only show what is in the project
}

// Looks is the rule for commands that only show what is in the project: what a model may
// read without a question by other means. It is for commands in a sandbox, which keeps
// secrets from them that a link in the project may lead to.
func Looks() Rule { return Rule{looks: true} }

// shows reports whether a simple command only shows what is in the project.
func shows(p Part) bool {
	name, spelled := p.Words[0].Text, 1
	if hasSecond(name) && len(p.Words) > 1 {
		name, spelled = name+" "+p.Words[1].Text, 2
	}
	if p.Words[0].Open || !programs()[name].shows || dangerous(p, spelled) {
		return false
	}
	return !slices.ContainsFunc(p.Words[1:], func(w Word) bool { return w.Open || outward().MatchString(w.Text) })
}

// outward is a word that may lead out of the project, or holds a path in a way that only the
// program knows.
var outward = lazyregexp.Pattern(`^[/~]|^-.*/|[=:,][/~]|(^|[/=:])\.\.(/|$)`)

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
	if r.More && changers[path.Base(r.Words[0])] {
		return Rule{}, fmt.Errorf("the rule %q would allow anything: %s runs its words, or changes what later ones mean; give the whole command, without *", text, r.Words[0])
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

// Allows reports whether the rule speaks of a simple command. The * of a rule does not
// speak of options that run programs or write files (see programs.txt).
func (r Rule) Allows(p Part) bool {
	if r.looks {
		return shows(p)
	}
	if len(r.Words) == 0 || len(p.Words) < len(r.Words) || !r.More && len(p.Words) > len(r.Words) {
		return false
	}
	for i, w := range r.Words {
		if p.Words[i].Open || p.Words[i].Text != w {
			return false
		}
	}
	return !r.More || !dangerous(p, len(r.Words))
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
// little wider than the command where the program's dangerous options are known and
// the command has none of them, else exactly it. It returns none where no rule could.
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
		if !r.Allows(p) || changers[path.Base(p.Words[0].Text)] {
			return nil
		}
		out = append(out, r)
	}
	return out
}

func widen(p Part) Rule {
	name, sub := p.Words[0].Text, 1
	if hasSecond(name) && len(p.Words) > 1 && !p.Words[1].Open {
		name += " " + p.Words[1].Text
		sub = 2
	}
	if programs()[name].widen && !dangerous(p, sub) {
		return Rule{Words: strings.Fields(name), More: true}
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
