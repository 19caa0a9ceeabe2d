package deliberate

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/speech"
)

// Goal tells how far a session is on the way to its mode's goal. It only reads
// what the controller in the lineup remembers.
type Goal interface {
	Progress(s trimtab.Session) (Progress, error)
	Wants(mode string) ([]Criterion, error) // what a mode is for; an error where it has no goal to debate about
}

// Progress is how far a session is.
type Progress struct {
	Mode        string      `json:"mode"`
	Phases      []Phase     `json:"phases"`
	Phase       int         `json:"phase"`       // the index of the present one
	Messages    int         `json:"messages"`    // in this phase
	Total       int         `json:"total"`       // in all
	MaxMessages int         `json:"maxMessages"` // of all; 0 is no limit
	Criteria    []Criterion `json:"criteria"`    // of success
	Research    Quota       `json:"research"`
	Reminders   int         `json:"reminders"`
	Loops       int         `json:"loops"`
}

// Phase is a phase of the mode.
type Phase struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Focus       string      `json:"focus,omitempty"`
	MaxMessages int         `json:"maxMessages,omitempty"`
	Criteria    []Criterion `json:"criteria,omitempty"` // that end it
}

// Criterion is something that must be there.
type Criterion struct {
	ID          string `json:"id"`
	Description string `json:"description,omitempty"`
	Met         bool   `json:"met"`
	Evidence    string `json:"evidence,omitempty"` // an excerpt
	Message     string `json:"message,omitempty"`  // the id of the message that shows it

	Aliases []string `json:"-"` // headings that stand for it too
}

// slugs are the headings that stand for it.
func (c Criterion) slugs() []string {
	all := []string{speech.Slug(c.ID)}
	for _, a := range c.Aliases {
		all = append(all, speech.Slug(a))
	}
	return all
}

// Quota is how much may be looked up.
type Quota struct {
	Used     int `json:"used"`
	Max      int `json:"max"`      // 0 is no limit
	PerTopic int `json:"perTopic"` // 0 is no limit of its own
	Required int `json:"required"`
}

// Now is the present phase.
func (p Progress) Now() Phase {
	if p.Phase < 0 || p.Phase >= len(p.Phases) {
		return Phase{}
	}
	return p.Phases[p.Phase]
}

// Last reports whether the present phase is the last one.
func (p Progress) Last() bool { return p.Phase >= len(p.Phases)-1 }

// Succeeded reports whether everything that was wanted is there.
func (p Progress) Succeeded() bool {
	return len(p.Criteria) > 0 && !slices.ContainsFunc(p.Criteria, func(c Criterion) bool { return !c.Met })
}

// missing are the criteria to work on now: those of the phase, and once these are
// met, in the last one or where everything is summed up, those of success.
func (p Progress) missing() []Criterion {
	open := func(list []Criterion) []Criterion {
		return slices.DeleteFunc(slices.Clone(list), func(c Criterion) bool { return c.Met })
	}
	all := open(p.Now().Criteria)
	if len(all) == 0 && (p.Last() || strings.Contains(p.Now().ID, "synthesi")) {
		all = open(p.Criteria)
	}
	return all
}

// How a criterion comes to be met.
const (
	byVotes     = "votes"     // the table agrees on something
	byProposals = "proposals" // several proposals of several authors
	bySection   = "section"   // somebody writes it down
)

func way(c Criterion) string {
	switch {
	case strings.Contains(c.ID, "consensus"):
		return byVotes
	case strings.Contains(c.ID, "angles"):
		return byProposals
	}
	return bySection
}

// all are the criteria of every phase and of success, each once.
func (p Progress) all() []Criterion {
	var all []Criterion
	add := func(list []Criterion) {
		for _, c := range list {
			if !slices.ContainsFunc(all, func(o Criterion) bool { return o.ID == c.ID }) {
				all = append(all, c)
			}
		}
	}
	for _, ph := range p.Phases {
		add(ph.Criteria)
	}
	add(p.Criteria)
	return all
}

// wants reports whether a criterion is one of success.
func (p Progress) wants(id string) bool {
	return slices.ContainsFunc(p.Criteria, func(c Criterion) bool { return c.ID == id })
}
