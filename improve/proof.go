package improve

import (
	"github.com/trimtab/trimtab"
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
	kind, text := UncheckedEnd, "code changed after the last check"
	switch {
	case gap.Red:
		kind, text = RedEnd, "ended after this had failed: "+r.near(r.redact(gap.Check.Command))
	case len(gap.Files) > 0:
		text = "changed and not checked since: " + r.near(r.redact(gap.Files[len(gap.Files)-1]))
		if gap.Check.Command != "" {
			text += "; check: " + r.near(r.redact(gap.Check.Command))
		}
	}
	row := r.ends.at(kind, r.seen)
	if row == nil {
		return
	}
	row.sign, row.detail = kind, kind
	r.quote(row, r.stop.id, text)
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
