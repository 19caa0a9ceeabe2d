package stop

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/internal/plural"
)

// unproved asks for the check that is missing. It is silent where the person wants none,
// where the reply itself says that it is missing, and where nobody knows one.
func (d Stop) unproved(m Memory) (text, why string) {
	if !*d.verify.Enabled || m.Excused || m.Work.Refused || m.Admits || m.Skip > 0 {
		return "", ""
	}
	gap, open := m.Work.Unproved()
	if !open && m.Claims {
		n, _ := m.Work.Untested()
		return fmt.Sprintf("your answer says that tests pass, and since you changed %s only %s was run. Run the tests now and act on what they show; or say plainly in your answer that they were not run.", names(gap.Files), quote(n.Command)),
			"it says that tests pass, and none was run since the last change"
	}
	if !open && m.Handed == "" {
		return "", ""
	}
	if !open {
		return fmt.Sprintf("your answer hands %s to the person, and it was not run since you changed %s. Run it yourself first and act on what it shows; or, if it cannot be run here, say plainly in your answer that it was not run.", quote(m.Handed), names(gap.Files)),
			m.Handed + " is handed over and was not run"
	}
	check, files := quote(gap.Check.Command), names(gap.Files)
	switch {
	case gap.Red:
		return fmt.Sprintf("%s failed when it ran last, after you changed %s. Mend what it shows; or, if that is not for now, say plainly in your answer that it fails, and why.", check, files),
			gap.Check.Command + " failed when it ran last"
	case gap.Left:
		return fmt.Sprintf("%s failed in this turn and was not run again after your last changes (%s); what passed since does not show that it is mended. Run it once more and act on what it shows; or say plainly in your answer that it was not run again.", check, files),
			gap.Check.Command + " failed in this turn and was not run again"
	case gap.Named:
		return fmt.Sprintf("the person's prompt names %s, and it was not run since you changed %s. Run it now and act on what it shows; or, if it cannot be run here, say plainly in your answer that it was not run.", check, files),
			gap.Check.Command + " is named in the prompt and was not run"
	case len(gap.Suite) > 0:
		return fmt.Sprintf("you took tests away (%s), and the suite that they belong to was not run since: the checks that passed may not even compile it. Run that suite, or say plainly in your answer that it was not run.", names(gap.Suite)),
			"tests were taken from a suite that was not run since"
	case len(gap.Weak) > 0:
		return fmt.Sprintf("%s passes, but only since tests were switched off or removed after it had failed (%s). Bring them back and mend the cause; or say plainly in your answer which tests are gone, and why.", check, names(gap.Weak)),
			"tests were taken away after they had failed"
	}
	last := ""
	switch gap.Check.Outcome {
	case evidence.Failed:
		last = " (it failed before that)"
	case evidence.Passed:
		last = " (it passed before that)"
	case evidence.Empty:
		last = ", or had nothing to check (no tests, or cached results)"
	}
	return fmt.Sprintf("you changed %s, and %s was not run since%s. Run it now, or what checks this change best, and act on what it shows; or, if it cannot be run here, say plainly in your answer that it was not run.", files, check, last),
		plural.Count(max(1, len(gap.Files)), "file") + " changed and nothing was run since"
}

// quote marks a command as one: it comes from the session, and is nobody's instruction.
func quote(command string) string {
	return "`" + strings.ReplaceAll(trimtab.Clip(strings.Join(strings.Fields(command), " "), 120), "`", "'") + "`"
}

// names lists files by their last names, the newest first.
func names(files []string) string {
	const most = 3
	if files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return strings.ContainsAny(f, "*?$") }); len(files) == 0 { // what only the shell knows
		return "files"
	}
	var out []string
	for i := len(files) - 1; i >= 0 && len(out) < most; i-- {
		out = append(out, trimtab.Clip(strings.Join(strings.Fields(path.Base(files[i])), " "), 80))
	}
	if more := len(files) - len(out); more > 0 {
		return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(out, ", ")
}

var (
	excuse = lazyregexp.Pattern(`(?i)(?:^|[.,;:!?(\n]\s*|\b(?:please|and|but|so|just|you|yet)\s+)(?:don'?t|do not|no need to|never|skip)\s+(?:bother\s+)?(?:to\s+)?(?:run|running|test|testing|tests|the tests|execute|build|building|verify|check|compile)\b|\bwithout (?:running|testing|executing|building|verifying)\b|(?:^|[.,;:!?(\n]\s*)no tests\b|\bi(?:'ll| will) (?:run|test|check|verify|build)\b|\bohne (?:tests?|zu testen)\b|\bnicht (?:testen|ausführen|bauen)\b`)
	honest = lazyregexp.Pattern(`(?i)\b(?:not|haven'?t|hasn'?t|have not|has not|couldn'?t|could not|can'?t|cannot|unable to|didn'?t|did not|without)\s+(?:yet\s+|actually\s+|been\s+|be\s+|able to\s+)*(?:run|running|ran|test|tested|testing|verify|verified|verifying|execute|executed|check|checked|compile|compiled|build|built)\b|\b(?:un|not )tested\b|\bunverified\b|\b(?:tests?|checks?|suites?|builds?|lint|linter|compilation|ci|it|they|that)\b[^.!?\n]{0,40}\bstill (?:fails?|failing|red|broken)\b|\b(?:tests?|checks?|it|they) remain(?:s|ing)? (?:failing|red|broken)\b|\b(?:tests?|checks?|builds?|suite|lint|linting)\s+(?:are |is |still |currently )*failing\b|\bpre-?existing\b|\bunrelated (?:to|failure)|\b(?:does|do) not (?:yet )?pass\b|\bdon'?t (?:yet )?pass\b|\bnicht (?:getestet|ausgeführt|geprüft|gelaufen|gebaut)\b|\bpas (?:été )?(?:testé|exécuté|lancé|vérifié)|\bno (?:se )?(?:ha |he |fue )?(?:sido )?(?:probad|ejecutad|verificad)|\bnão (?:foi |foram )?(?:testad|executad|verificad)|не (?:запуска|тестирова|проверя|проверен)|未(?:测试|运行|验证|执行|検証|実行|テスト)|没有(?:运行|测试|执行|验证)|(?:実行|テスト|確認)していません|실행하지 않|테스트하지 않`)
)

var offer = lazyregexp.Pattern(`(?i)\b(?:commit|push|pull request|PR|merge|ship|release)\b[^.!?\n]*\?\W*$`)

// publishes reports whether a reply ends with the offer to hand the work on: that is the end
// of it, whatever its form.
func publishes(reply string) bool {
	return offer().MatchString(tail(reply, 400))
}

var onward = lazyregexp.Pattern(`(?i)^\W*(?:please\s+)?(?:go on|continue|proceed|next|keep going|carry on|go ahead|do it|yes|ok|okay|weiter|mach weiter|ja)\b`)

// goesOn reports whether a prompt only says to go on.
func goesOn(typed string) bool { return len(typed) <= 40 && onward().MatchString(typed) }

// excuses reports whether a person says that nothing is to be run.
func excuses(typed string) bool { return excuse().MatchString(trimtab.Clip(typed, 4<<10)) }

var (
	passing   = lazyregexp.Pattern(`(?i)\b(?:tests?|test suites?|suite) (?:now |still |all |are |is )*(?:pass|passes|passed|passing|green)\b`)
	uncertain = lazyregexp.Pattern(`(?i)\b(?:if|once|when|until|unless|ensure|sure|should|must|would|before|whether|earlier|not|no|n't|ci)\b`)
)

// claims reports whether a reply says that tests pass.
func claims(reply string) bool {
	for sentence := range strings.FieldsFuncSeq(tail(reply, 4<<10), func(r rune) bool { return strings.ContainsRune(".!?;\n", r) }) {
		if passing().MatchString(sentence) && !uncertain().MatchString(sentence) {
			return true
		}
	}
	return false
}

// admits reports whether a reply says itself that something was not run, or fails.
func admits(reply string) bool {
	return honest().MatchString(tail(reply, 4<<10))
}
