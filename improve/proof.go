package improve

import (
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
)

// The two ways in which a turn ends unproved.
const (
	RedEnd       = "red_end"       // the last check had failed
	UncheckedEnd = "unchecked_end" // code was changed after the last check
)

// endTurn looks at how the model left its work, when the next prompt comes or the session
// is over. A turn that ends in a question or was broken off has not ended.
func (r *Reflector) endTurn() {
	if r.stop.id == "" || r.stop.calls || r.stop.question || r.judged == r.stop.id {
		return
	}
	r.judged = r.stop.id
	gap, open := r.work.Unproved()
	if !open {
		return
	}
	kind, text := r.unproved(gap)
	if kind == "" {
		return
	}
	row := r.ends.at(kind, r.seen)
	if row == nil {
		return
	}
	row.sign, row.detail = kind, kind
	r.quote(row, r.stop.id, text)
}

// unproved says what a gap comes to, looked back at: "" where it is not known that anything
// went unchecked. Tests that are fewer than they were may have been put together, and what a
// command changed without telling which files (a checkout, a merge) may be nobody's work.
func (r *Reflector) unproved(gap evidence.Gap) (kind, text string) {
	show := func(s string) string { return r.near(r.redact(s)) }
	switch {
	case gap.Red:
		return RedEnd, "ended after this had failed: " + show(gap.Check.Command)
	case gap.Left:
		return RedEnd, "ended, and this had failed and was not run again: " + show(gap.Check.Command)
	case len(gap.Weak) > 0 || len(gap.Files) == 0:
		return "", ""
	case len(gap.Suite) > 0:
		return UncheckedEnd, "its suite was not run after tests were taken from it: " + show(gap.Suite[len(gap.Suite)-1])
	case gap.Named:
		return UncheckedEnd, "the person had named a check that was not run: " + show(gap.Check.Command)
	}
	text = "changed and not checked since: " + show(gap.Files[len(gap.Files)-1])
	if gap.Check.Command != "" {
		text += "; check: " + show(gap.Check.Command)
	}
	return UncheckedEnd, text
}

// interrupted notes that a person broke the model off. What they say next tells why.
func (r *Reflector) interrupted() {
	r.stop = reply{} // the person stopped it: it did not stop too soon
	r.people.broke = true
}

// afterBreak takes in the prompt that follows an interruption. One that is merely sent
// again tells nothing.
func (r *Reflector) afterBreak(m trimtab.Message, typed string) {
	p := &r.people
	if !p.broke {
		return
	}
	p.broke = false
	h := hashOf(typed)
	if h == p.last || goOn(typed) {
		return
	}
	p.broken.n++
	r.quote(&p.broken, m.ID, typed)
}
