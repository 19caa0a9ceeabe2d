package improve

import (
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
)

// TitleOf names a trouble in a line that a maintainer recognises. What a session said
// stands in it only shortened and without signs that mean something to a forge, a shell or
// a model.
func TitleOf(p Pattern) string {
	about := quiet(p.Context.Text(KeyAbout))
	kind := p.Context.Text(KeyKind)
	switch {
	case about == "":
	case p.Type == LintRule:
		return "Lint rule " + about + " is broken time and again"
	case p.Type == GuessedPath:
		return "Agents look for " + about + ", which is not there"
	case p.Type == ReportedRed:
		return "People have to report that checks are red: " + strings.TrimSuffix(about, " reported red by the person")
	case p.Type == SaidNo && !p.General():
		return "People say " + about
	case p.Type == Unproved && kind == RedEnd:
		return "Work ends while a check is red"
	case p.Type == Unproved:
		return "Work ends with changes that nothing has checked"
	case p.Type == ErrorPatterns && kind == "same_error":
		return "Recurring error: " + about
	case p.Type == RepeatedTool && kind == "same_input":
		return "The same call with the same result: " + about
	case p.Type == Loop:
		return "Agents go in circles: " + loopKind(kind)
	}
	return literalTitle(p)
}

func literalTitle(p Pattern) string {
	return "Improve " + strings.ReplaceAll(p.Type, "_", " ") + " handling"
}

const maxAboutTitle = 70

// quiet is a text as one short line of letters, digits and the signs of paths and rules.
func quiet(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune(" ./_-:%+=,", r):
			return r
		}
		return ' '
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if short := trimtab.Clip(text, maxAboutTitle); short != text {
		return strings.TrimSpace(short) + "…"
	}
	return text
}
