package deliberate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// Markdown is the result as a document: the sections, then what was not agreed, the
// evidence, and how it came about.
func (r Result) Markdown() string {
	var b page
	b.line("# %s\n", oneLine(trimtab.Clip(r.Brief, 200)))
	b.line("%s\n", r.status())
	for _, s := range r.Sections {
		b.line("## %s\n", s.Title)
		b.line("%s\n", demote(s.Text, 2))
		b.line("*%s*\n", r.standing(s))
	}
	r.beside(&b)
	r.dissent(&b)
	r.evidence(&b)
	r.measured(&b)
	return strings.TrimSpace(b.String()) + "\n"
}

// page gathers lines.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (r Result) status() string {
	met := 0
	for _, c := range r.Goal.Criteria {
		if c.Met {
			met++
		}
	}
	how := map[Reason]string{
		Success: "Everything that was wanted is there.", Messages: "The number of messages was reached before everything was there.",
		ByPerson: "Ended by the person.", "": "Not ended: this is how it stands.",
	}[r.Ended]
	text := fmt.Sprintf("Mode %s, %d turns of %s. %s", r.Mode, r.Turns, strings.Join(ids(r.Cast), ", "), how)
	if n := len(r.Goal.Criteria); n > 0 {
		text += fmt.Sprintf(" %d of %d criteria are met.", met, n)
	}
	if len(r.Missing()) > 0 {
		var names []string
		for _, c := range r.Missing() {
			names = append(names, c.ID)
		}
		text += " Missing: " + strings.Join(names, ", ") + "."
	}
	return text
}

func (r Result) standing(s Section) string {
	if s.Vote == nil {
		return fmt.Sprintf("by %s, message %d; not voted on", s.By, s.Message)
	}
	v := s.Vote
	text := fmt.Sprintf("P%d by %s, message %d; %s", v.Proposal, s.By, s.Message, verdict(*v))
	if len(v.Against) > 0 {
		text += "; against: " + strings.Join(v.Against, ", ")
	}
	return text
}

func verdict(d Decision) string {
	share := fmt.Sprintf("%.0f %% for", 100*d.Support)
	switch {
	case d.TakenBack:
		return "taken back by its author"
	case d.Agreed && d.Contested:
		return "agreed, with dissent, " + share
	case d.Agreed:
		return "agreed, " + share
	case d.Contested:
		return "not agreed: conflict, " + share
	}
	return "not agreed, " + share
}

// beside lists the proposals that became no section.
func (r Result) beside(b *page) {
	if len(r.Beside) == 0 {
		return
	}
	b.line("## Other proposals\n")
	for _, d := range r.Beside {
		b.line("- **P%d by %s**, %s: %s", d.Proposal, d.By, verdict(d), trimtab.Clip(oneLine(d.Text), 600))
	}
	b.line("")
}

func (r Result) dissent(b *page) {
	b.line("## Dissent\n")
	if len(r.Dissent) == 0 {
		b.line("Nobody stood against anything in the end.\n")
		return
	}
	for _, d := range r.Dissent {
		b.line("- **%s** on P%d, %s (message %d): %s", d.Who, d.Proposal, oneLine(d.Title), d.Message, cmp.Or(d.Reason, "no reason given"))
	}
	b.line("")
}

func (r Result) evidence(b *page) {
	b.line("## Evidence\n")
	for _, c := range r.Goal.all() {
		mark, text := "[ ]", "not met"
		if c.Met {
			mark, text = "[x]", trimtab.Clip(oneLine(c.Evidence), 200)
			if c.Message != "" {
				text += " (" + c.Message + ")"
			}
		}
		b.line("- %s `%s` %s", mark, c.ID, text)
	}
	b.line("")
	if len(r.Research) == 0 {
		b.line("Nothing was looked up.\n")
		return
	}
	b.line("### Looked up\n")
	for _, q := range r.Research {
		answer := cmp.Or(q.Answer, "no answer yet")
		b.line("- **%s** (asked by %s, message %d): %s", oneLine(q.Topic), q.By, q.Seq, trimtab.Clip(oneLine(answer), 800))
	}
	b.line("")
}

// measured tells how the agreement came about.
func (r Result) measured(b *page) {
	b.line("## How it came about\n")
	for _, text := range r.Meters.Lines() {
		b.line("- %s", text)
	}
	b.line("- %d reminders of the goal, %d loops.", r.Goal.Reminders, r.Goal.Loops)
	cost := "cost not known"
	if r.Priced {
		cost = fmt.Sprintf("$%.2f", r.Cost)
	}
	b.line("- %d tokens, %s.", r.Tokens, cost)
}

// Lines are the meters in words.
func (m Meters) Lines() []string {
	var out []string
	if share, ok := m.Conformity(); ok {
		out = append(out, fmt.Sprintf("Conformity: %.0f %% of %d changes of sides went to the majority.", 100*share, len(m.Changes)))
		for _, c := range m.Changes {
			out = append(out, c.String())
		}
	} else {
		out = append(out, "Conformity: nobody changed sides.")
	}
	out = append(out, fmt.Sprintf("Votes: %d beside those of the proposers, %d of them agreements without a reason.", m.Votes, m.Bare))
	v := m.Vocabulary
	text := fmt.Sprintf("Vocabulary: two speakers share %.0f %% of their words (%.0f %% at the beginning); %.0f %% of the newest words are new.", 100*v.Overlap, 100*v.First, 100*v.Fresh)
	if v.Collapsed() {
		text += " They have come to say the same in the same words: read the agreement with care."
	}
	return append(out, text)
}

// String says who changed sides after whom.
func (c Change) String() string {
	side := "against"
	if c.For {
		side = "for"
	}
	text := fmt.Sprintf("%s went over to %s P%d (message %d)", c.Who, side, c.Proposal, c.Seq)
	if c.After != "" {
		text += " after " + c.After
	}
	if c.Majority {
		text += ", where the majority was"
	}
	if !c.Reason {
		text += ", without a reason"
	}
	return text + "."
}

// demote lowers the headings of a text, so that it can stand below one of ours and
// imitate none.
func demote(text string, by int) string {
	if !strings.Contains(text, "#") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, " ")
		n := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
		if n > 0 && n <= 6 && strings.HasPrefix(trimmed[n:], " ") {
			lines[i] = strings.Repeat("#", min(6, n+by)) + trimmed[n:]
		}
	}
	return strings.Join(lines, "\n")
}

// Transcript is the whole debate in Markdown: what was said, and what steering did
// and why, in the order in which it happened.
func (d *Debate) Transcript(journal []trimtab.Entry) string {
	var b page
	b.line("# %s\n", oneLine(trimtab.Clip(d.plan.Brief, 200)))
	b.line("A debate in mode %s of %s, session %s.\n", d.plan.Mode, strings.Join(ids(d.plan.Cast), ", "), d.plan.ID)
	at := map[string]int{}
	for i, m := range d.history {
		at[m.ID] = i
	}
	for _, e := range journal {
		if said, ok := e.Event.(trimtab.Said); ok {
			if i, known := at[said.Message.ID]; known {
				d.entry(&b, i)
			}
		}
		for _, c := range e.Changes {
			if c.Kind == trimtab.Injected {
				b.line("> **%s**, %s%s\n", c.By+"/"+c.Slot, c.Why, quoteBelow(c.Text))
			}
		}
		for _, t := range e.Actions {
			if n, ok := t.Action.(trimtab.Notify); ok {
				b.line("> **%s**%s\n", t.By, quoteBelow(n.Text))
			}
		}
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// entry writes one message.
func (d *Debate) entry(b *page, i int) {
	m := d.history[i]
	by := speaker(m)
	if by == "" {
		return
	}
	if by == Moderator {
		b.line("*%s*\n", oneLine(m.Text()))
		return
	}
	head := fmt.Sprintf("### %d · %s", i+1, d.table.Name(by))
	if d.table.Name(by) == "" {
		head = fmt.Sprintf("### %d · %s", i+1, by)
	}
	if n := d.table.numberOf(i + 1); n != "" {
		head += " · " + n
	}
	if m.Model != "" {
		head += " · " + m.Model
	}
	b.line("%s\n\n%s\n", head, demote(m.Text(), 3))
}

// numberOf names the proposals of a message.
func (t *Table) numberOf(seq int) string {
	var names []string
	for _, p := range t.Proposals {
		if p.Seq == seq {
			names = append(names, p.Name())
		}
	}
	return strings.Join(slices.Compact(names), ", ")
}

func quoteBelow(text string) string {
	if text == "" {
		return ""
	}
	return "\n>\n> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}
