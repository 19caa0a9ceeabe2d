package deliberate

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab/speech"
)

// Result is what a debate came to, as it stands.
type Result struct {
	Session  string     `json:"sessionId"`
	Brief    string     `json:"brief"`
	Mode     string     `json:"mode"`
	Ended    Reason     `json:"ended,omitempty"` // "" is not yet
	Cast     []Persona  `json:"cast"`
	Sections []Section  `json:"sections"`
	Beside   []Decision `json:"beside"`  // proposals that are no sections
	Dissent  []Dissent  `json:"dissent"` //
	Goal     Progress   `json:"progress"`
	Research []Request  `json:"research"`
	Meters   Meters     `json:"meters"`
	Turns    int        `json:"turns"`
	Tokens   int        `json:"tokens"`
	Cost     float64    `json:"cost"`
	Priced   bool       `json:"costKnown"`
}

// Section is a section of the document.
type Section struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Text    string    `json:"text"`
	By      string    `json:"by"`
	Message int       `json:"message"` // its number
	Vote    *Decision `json:"vote,omitempty"`
}

// Agreed reports whether the table agreed on it.
func (s Section) Agreed() bool { return s.Vote != nil && s.Vote.Agreed }

// Decision is how the table stands to a proposal.
type Decision struct {
	Proposal  int      `json:"proposal"`
	Title     string   `json:"title"`
	Text      string   `json:"text,omitempty"`
	By        string   `json:"by"`
	For       []string `json:"for"`
	Against   []string `json:"against"`
	Support   float64  `json:"support"`
	Agreed    bool     `json:"agreed"`
	Contested bool     `json:"contested"`
	TakenBack bool     `json:"takenBack,omitempty"` // by its author
}

// Dissent is somebody who stands against something in the end.
type Dissent struct {
	Who      string `json:"who"`
	Proposal int    `json:"proposal"`
	Title    string `json:"title"`
	Reason   string `json:"reason"`
	Message  int    `json:"message"`
}

// Result is what the debate has come to so far. Half a debate has one too.
func (d *Debate) Result() Result {
	t := d.table
	r := Result{
		Session: d.plan.ID, Brief: d.plan.Brief, Mode: d.plan.Mode, Ended: d.ended, Cast: d.plan.Cast, Goal: d.goal, Meters: t.Meters,
		Turns: t.Turns, Tokens: t.Tokens, Cost: d.cost, Priced: d.priced, Sections: []Section{}, Beside: []Decision{}, Dissent: []Dissent{}, Research: []Request{},
	}
	r.Meters.Changes = slices.Concat([]Change{}, t.Meters.Changes)
	used := map[int]bool{}
	for _, c := range d.goal.Criteria {
		if s, ok := t.section(c); ok {
			r.Sections = append(r.Sections, s)
			if s.Vote != nil {
				used[s.Vote.Proposal] = true
			}
		}
	}
	for _, p := range t.Proposals {
		if p.Replaced != 0 {
			continue
		}
		if !used[p.N] {
			r.Beside = append(r.Beside, t.decision(p))
		}
		if p.Left != 0 {
			continue // nobody needs to be against it
		}
		for _, s := range p.Stands {
			if !s.For {
				r.Dissent = append(r.Dissent, Dissent{s.Who, p.N, p.Title, s.Reason, s.Seq})
			}
		}
	}
	for _, q := range t.Requests {
		r.Research = append(r.Research, *q)
	}
	return r
}

// section finds the text for a criterion: the newest that the table agreed on, or
// else the newest.
func (t *Table) section(c Criterion) (found Section, ok bool) {
	slugs := c.slugs()
	for _, u := range slices.Backward(t.Said) {
		if u.By == Researcher || u.By == Moderator {
			continue
		}
		for _, h := range speech.Read(u.Text).Sections {
			if !slices.Contains(slugs, h.Slug) || !h.Whole() {
				continue
			}
			s := Section{ID: c.ID, Title: h.Title, Text: h.Body, By: u.By, Message: u.Seq}
			if p := t.proposedIn(u.Seq, h); p != nil {
				vote := t.decision(p)
				s.Vote = &vote
			}
			if !ok || s.Agreed() {
				found, ok = s, true
			}
			if s.Agreed() {
				return found, true
			}
		}
	}
	return found, ok
}

// proposedIn is the proposal of a message that holds a section, or nil.
func (t *Table) proposedIn(seq int, h speech.Section) *Proposal {
	for _, p := range t.Proposals {
		if p.Seq == seq && strings.Contains(p.Text, h.Title) {
			return p
		}
	}
	return nil
}

func (t *Table) decision(p *Proposal) Decision {
	pro, con := p.sides()
	support, _ := p.Shares(len(t.Cast))
	return Decision{
		Proposal: p.N, Title: p.Title, Text: p.Text, By: p.By, For: slices.Concat([]string{}, pro), Against: slices.Concat([]string{}, con),
		Support: support, Agreed: p.Agreed(len(t.Cast)), Contested: p.Contested(len(t.Cast)), TakenBack: p.Left != 0,
	}
}

// Missing are the criteria of success that are not met.
func (r Result) Missing() []Criterion {
	return slices.DeleteFunc(slices.Clone(r.Goal.Criteria), func(c Criterion) bool { return c.Met })
}
