package focus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/steer/mode"
)

// Progress is how a session stands to its goal.
type Progress struct {
	Mode        string           `json:"mode"`
	Name        string           `json:"name"`
	Phase       string           `json:"phase,omitempty"`
	PhaseName   string           `json:"phaseName,omitempty"`
	Focus       string           `json:"focus,omitempty"`
	Number      int              `json:"number,omitempty"` // the phase, from 1
	Phases      int              `json:"phases,omitempty"`
	Messages    int              `json:"messages"` // in the phase
	MaxMessages int              `json:"maxMessages,omitempty"`
	Total       int              `json:"total"` // in the mode
	MaxTotal    int              `json:"maxTotal,omitempty"`
	Met         []Mark           `json:"met"`
	Missing     []mode.Criterion `json:"missing"` // of success
	Wanted      []mode.Criterion `json:"wanted"`  // of the phase
	Undone      []Mark           `json:"undone,omitempty"`
	Research    int              `json:"research"`
	MaxResearch int              `json:"maxResearch,omitempty"`
	Required    int              `json:"requiredResearch,omitempty"`
	Reminders   int              `json:"reminders"`
	Loops       int              `json:"loops"`
	Complete    bool             `json:"complete"` // all criteria of success are met
	Proposal    string           `json:"proposal,omitempty"`
	Support     float64          `json:"support,omitempty"`
	Opposition  float64          `json:"opposition,omitempty"`
}

// Progress tells how a session stands. ok is false where it has no goal.
func (d Focus) Progress(m Memory) (p Progress, ok bool) {
	pl, ok := d.plan(m.At())
	if !ok {
		return Progress{}, false
	}
	p = Progress{
		Mode: pl.ID, Name: pl.Name, Phases: len(pl.Phases), Messages: m.InPhase, Total: m.Total, MaxTotal: pl.Most,
		Met: []Mark{}, Missing: []mode.Criterion{}, Wanted: []mode.Criterion{},
		Research: m.Research, MaxResearch: pl.Research, Required: pl.Needed, Reminders: m.Reminders, Loops: m.Loops,
		Complete: len(pl.Success) > 0, Proposal: m.Talk.Proposal,
	}
	p.Support, p.Opposition = m.Talk.shares()
	if len(pl.Phases) > 0 {
		ph := pl.phase(m)
		p.Phase, p.PhaseName, p.Focus, p.Number, p.MaxMessages = ph.ID, ph.Title(), ph.Focus, pl.at(m)+1, ph.Most
		for _, c := range ph.Exit {
			if c, ok := pl.criterion(c.ID); ok && !m.met(c.ID) {
				p.Wanted = append(p.Wanted, c)
			}
		}
	}
	for _, k := range m.Marks {
		if k.Stale == "" {
			p.Met = append(p.Met, k)
		} else {
			p.Undone = append(p.Undone, k)
		}
	}
	for _, c := range pl.Success {
		if !m.met(c.ID) {
			p.Missing, p.Complete = append(p.Missing, c), false
		}
	}
	return p, true
}

// String is the progress for a person.
func (p Progress) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, %s", p.Name, of(p.Total, p.MaxTotal, "message"))
	if p.Phases > 0 {
		fmt.Fprintf(&out, "\nphase %d of %d: %s, %s", p.Number, p.Phases, p.PhaseName, of(p.Messages, p.MaxMessages, "message"))
		if p.Focus != "" {
			fmt.Fprintf(&out, "\n  %s", line(p.Focus, 200))
		}
	}
	for _, k := range p.Met {
		fmt.Fprintf(&out, "\n✓ %s", k.ID)
		if k.At.ID != "" {
			fmt.Fprintf(&out, " (%s)", k.At.ID)
		}
		if k.Text != "" {
			fmt.Fprintf(&out, ": %s", line(k.Text, 100))
		}
	}
	for _, k := range p.Undone {
		fmt.Fprintf(&out, "\n! %s: %s", k.ID, k.Stale)
	}
	seen := map[string]bool{}
	for _, c := range slices.Concat(p.Wanted, p.Missing) {
		if seen[c.ID] || slices.ContainsFunc(p.Undone, func(k Mark) bool { return k.ID == c.ID }) {
			continue
		}
		seen[c.ID] = true
		fmt.Fprintf(&out, "\n○ %s", c.ID)
		if c.Description != "" {
			fmt.Fprintf(&out, ": %s", c.Description)
		}
	}
	fmt.Fprintf(&out, "\nresearch %s", of(p.Research, p.MaxResearch, ""))
	if p.Required > p.Research {
		fmt.Fprintf(&out, " (%d required before it is summed up)", p.Required)
	}
	fmt.Fprintf(&out, ", reminders %d, loops %d", p.Reminders, p.Loops)
	if p.Proposal != "" {
		fmt.Fprintf(&out, "\nproposal, %.0f %% for and %.0f %% against: %s", 100*p.Support, 100*p.Opposition, line(p.Proposal, 100))
	}
	return out.String()
}

func of(n, most int, what string) string {
	switch {
	case most > 0:
		return strings.TrimSpace(fmt.Sprintf("%d of %d %s", n, most, plain(most, what)))
	case what == "":
		return fmt.Sprint(n)
	}
	return plural.Count(n, what)
}

func plain(n int, what string) string {
	if what == "" || n == 1 {
		return what
	}
	return what + "s"
}
