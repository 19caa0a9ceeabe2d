package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/plural"
)

// causeKinds say what each kind of cause is, in words.
var causeKinds = map[string]string{
	"instruction_ignored": "An instruction was ignored", "misunderstood": "The request was misunderstood", "untrue_claim": "The agent said what is not so",
	"missing_knowledge": "The agent did not know the project", "wrong_approach": "The wrong approach", "unverified": "Said to be done, and not looked at", "environment": "Something stood in the way",
}

func causeKind(kind string) string {
	if h := causeKinds[kind]; h != "" {
		return h
	}
	return strings.ReplaceAll(kind, "_", " ")
}

// readSummary says what was read, by whom, and what was dropped.
func readSummary(r *improve.Reading) string {
	out := fmt.Sprintf("%s read %s (%d before)", strings.TrimSpace(r.Agent+" "+r.Model), plural.Count(r.Sessions, "session"), r.Cached)
	if r.Cost > 0 {
		out += fmt.Sprintf(" for $%.2f", r.Cost)
	}
	if r.Left > 0 {
		out += fmt.Sprintf("; %d are beyond the limit", r.Left)
	}
	if r.Failed > 0 {
		out += fmt.Sprintf("; %s could not be read: %s", plural.Count(r.Failed, "session"), r.Why)
	}
	switch len(r.Causes) {
	case 0:
		out += ". It named no cause that it could show."
	default:
		out += ". Each quote was found in the message that it cites; what it means is the reader's word."
	}
	sum := 0
	for _, n := range r.Dropped {
		sum += n
	}
	if sum > 0 {
		var why []string
		for _, k := range slices.Sorted(maps.Keys(r.Dropped)) {
			why = append(why, fmt.Sprintf("%s (%d)", strings.ReplaceAll(k, "_", " "), r.Dropped[k]))
		}
		out += fmt.Sprintf(" %d dropped: %s.", sum, strings.Join(why, ", "))
	}
	return out
}

// causeOften says of which kind a cause is, where and when it was seen.
func (l Layout) causeOften(c improve.Cause) string {
	return fmt.Sprintf("%s · %s, last %s", causeKind(c.Kind), plural.Count(c.Sessions, "session"), l.day(c.Last))
}

// shownClaims are as many claims of a cause as a person needs.
func shownClaims(c improve.Cause) []improve.Claim { return c.Claims[:min(len(c.Claims), 4)] }

// readText writes what a reader found.
func (l Layout) readText(b *strings.Builder, r *improve.Reading) {
	if r == nil {
		return
	}
	b.WriteString("\n" + l.bold("Where rules end") + "\n")
	l.wrap(b, "", "", readSummary(r))
	for i, c := range r.Causes {
		lead := fmt.Sprintf("%2d. ", i+1)
		pad := strings.Repeat(" ", len(lead))
		b.WriteByte('\n')
		l.wrap(b, lead, pad, c.Title)
		l.wrap(b, pad, pad, l.causeOften(c))
		if c.Do != "" {
			l.wrap(b, pad+"> ", pad+"  ", sentence(c.Do))
		}
		for _, cl := range shownClaims(c) {
			l.clipped(b, pad+"- ", "“"+cl.Quote+"”", " ("+l.place(cl.Session, cl.Message)+")")
		}
	}
}

// readMarkdown writes the same as a part of a document.
func (l Layout) readMarkdown(b *strings.Builder, r *improve.Reading) {
	if r == nil {
		return
	}
	fmt.Fprintf(b, "\n## Where rules end\n\n%s\n", plainMarkdown(readSummary(r)))
	for i, c := range r.Causes {
		fmt.Fprintf(b, "\n### %d. %s\n\n%s.\n\n", i+1, plainMarkdown(c.Title), l.causeOften(c))
		if c.Do != "" {
			fmt.Fprintf(b, "What to do: %s\n\n", plainMarkdown(sentence(c.Do)))
		}
		for _, cl := range c.Claims {
			says := ""
			if cl.Says != "" {
				says = ": " + plainMarkdown(cl.Says)
			}
			fmt.Fprintf(b, "- %s in session %s, message %s%s\n", codeSpan(cl.Quote), codeSpan(cl.Session), codeSpan(cl.Message), says)
		}
	}
}
