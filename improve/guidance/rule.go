package guidance

import (
	"path"
	"strings"

	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/improve"
)

// byRule judges an answer by what the pattern was found by. It is Unclear where no rule
// can tell.
func byRule(p improve.Pattern, t improve.Turn, a improve.Answer) (improve.TurnVerdict, string) {
	switch p.Type {
	case improve.SaidNo:
		return rejected(t, a)
	case improve.GuessedPath:
		return guessed(p.Context.Text(improve.KeyAbout), a)
	case improve.ReportedRed, improve.Unproved:
		return checked(a)
	case improve.PrematureStop:
		if len(a.Calls) == 0 {
			return improve.WrongAgain, "the turn ends here again"
		}
		return improve.WentRight, "it goes on"
	}
	return improve.Unclear, ""
}

// rejected looks for the command that the person said no to. One of the same kind that
// is otherwise, where the person gave a reason, is for somebody who reads the reason.
func rejected(t improve.Turn, a improve.Answer) (improve.TurnVerdict, string) {
	if !t.Call.Runs {
		return improve.Unclear, ""
	}
	kind := improve.Purpose(t.Call.About)
	for _, c := range a.Calls {
		switch {
		case !c.Runs || improve.Purpose(c.About) != kind:
		case evidence.Same(c.About, t.Call.About) || t.Reason == "":
			return improve.WrongAgain, "the command that the person said no to is proposed again: " + c.About
		default:
			return improve.Unclear, ""
		}
	}
	if len(a.Calls) == 0 && a.Says == "" {
		return improve.Unclear, ""
	}
	return improve.WentRight, "no " + kind + " is proposed"
}

// guessed looks for the path that is not there.
func guessed(file string, a improve.Answer) (improve.TurnVerdict, string) {
	if file == "" {
		return improve.Unclear, ""
	}
	for _, c := range a.Calls {
		if names(c, file) {
			return improve.WrongAgain, "the path that is not there is asked for again: " + c.String()
		}
	}
	if len(a.Calls) == 0 {
		return improve.Unclear, "" // who asks for nothing has guessed nothing, and done nothing
	}
	return improve.WentRight, file + " is not asked for"
}

// names reports whether a call names a path: as its file, or as a word of its command.
func names(c improve.Call, file string) bool {
	file = path.Clean(file)
	for w := range strings.FieldsFuncSeq(c.About, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`;|&()<>=", r) }) {
		if w = path.Clean(w); w == file || strings.HasSuffix(w, "/"+file) {
			return true
		}
	}
	return false
}

// checked looks for a check of the project before the end of the turn.
func checked(a improve.Answer) (improve.TurnVerdict, string) {
	for _, c := range a.Calls {
		if !c.Runs {
			continue
		}
		for _, run := range evidence.ReadLine(c.About).Runs {
			if run.Kind == evidence.Check {
				return improve.WentRight, "it runs a check first: " + run.Command
			}
		}
	}
	if len(a.Calls) == 0 {
		return improve.WrongAgain, "the turn ends with no check"
	}
	return improve.Unclear, ""
}
