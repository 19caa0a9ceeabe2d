package focus

import (
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/speech"
	"github.com/trimtab/trimtab/steer/mode"
)

// The criteria that have a rule of their own.
const (
	angles     = "multiple_angles"
	consensus  = "consensus"
	direction  = "consensus_direction"
	candidates = "candidates"
)

// From how much of the table on a proposal is agreed, or disputed.
const (
	Agreed   = 0.6
	Disputed = 0.4
)

// voted reports whether a criterion is for the table to decide, not for one of it.
func voted(c mode.Criterion) bool { return c.ID == consensus || c.ID == direction }

// talk is who speaks, and how they stand to the newest proposal.
type talk struct {
	Agents   []string    `json:"agents,omitempty"`  // who sits at the table, where that was said
	Seen     []string    `json:"seen,omitempty"`    // speakers so far
	Authors  []string    `json:"authors,omitempty"` // of the proposals of this phase
	Count    int         `json:"count,omitempty"`   // proposals so far
	Before   int         `json:"before,omitempty"`  // those of earlier phases
	Proposal string      `json:"proposal,omitempty"`
	At       trimtab.Ref `json:"at,omitzero"`
	For      []string    `json:"for,omitempty"`
	Against  []string    `json:"against,omitempty"`
}

const maxSpeakers = 64

// table is how many agents there are.
func (k talk) table() int { return max(len(k.Agents), len(k.Seen)) }

// voices notes how a speaker stands. Where several speak, a section of what the mode
// is for is a proposal, whoever writes it down.
func (s *step) voices(by string, r speech.Speech, several bool) {
	k := &s.m.Talk
	if by != person {
		k.Seen = with(k.Seen, by)
	}
	for _, t := range r.Tags {
		if about := t.Numbers(); k.Proposal == "" || len(about) > 0 && !slices.Contains(about, k.Count) {
			continue // of an older one
		}
		switch t.Kind {
		case speech.Agreement:
			k.For, k.Against = with(k.For, by), without(k.Against, by)
		case speech.Disagreement:
			k.For, k.Against = without(k.For, by), with(k.Against, by)
		}
	}
	for _, o := range r.Offers(func(slug string) bool { return several && s.document(slug) }) {
		k.Count++
		k.Authors = with(k.Authors, by)
		k.Proposal, k.At, k.For, k.Against = line(speech.Words(trimtab.Clip(o.Text, 8*maxEvidence)), maxEvidence), s.at, []string{by}, nil
	}
}

// document reports whether a section is one that the mode is for.
func (p plan) document(slug string) bool {
	i, ok := p.bySlug[slug]
	return ok && slices.ContainsFunc(p.Success, func(c mode.Criterion) bool { return c.ID == p.criteria[i].ID && !voted(c) })
}

// votes counts them. What a phase asks for is counted from what is proposed in it.
// An agreement that falls apart is one no longer; that something newer is on the
// table, and not agreed yet, is no reproach.
func (s *step) votes() {
	k := s.m.Talk
	fresh := k.Count - k.Before
	support, _ := k.shares()
	for _, c := range s.criteria {
		switch {
		case fresh <= 0 || !s.due(c.ID):
		case c.ID == angles && fresh >= 2 && len(k.Authors) >= 2:
			if !s.m.met(angles) {
				s.m = s.m.mark(Mark{ID: angles, How: ByCount, At: k.At, Text: fmt.Sprintf("%d proposals from %d authors, the newest: %s", fresh, len(k.Authors), k.Proposal)})
			}
		case !voted(c):
		case support >= Agreed && len(k.For) >= 2:
			if !s.m.met(c.ID) {
				s.m = s.m.mark(Mark{ID: c.ID, How: ByCount, At: k.At, Text: fmt.Sprintf("%.0f %% stand behind it: %s", 100*support, k.Proposal)})
			}
		case !s.past(s.m, c.ID):
			s.fallen(c.ID, fmt.Sprintf("%d of %d stand behind the newest proposal so far", len(k.For), k.table()))
		}
	}
}

// fallen notes that an agreement is one no longer, and tells it where somebody left
// it. Where something newer is on the table, it is just not there yet.
func (s *step) fallen(id, why string) {
	i := slices.IndexFunc(s.m.Marks, func(k Mark) bool { return k.ID == id && k.How == ByCount })
	switch {
	case i < 0:
	case s.m.Marks[i].At != s.m.Talk.At:
		s.m.Marks = slices.Delete(slices.Clone(s.m.Marks), i, i+1)
		s.m.Done = false
	case s.m.Marks[i].Stale == "":
		s.undo(id, why)
	default: // how far it is from being one again
		s.m.Marks = slices.Clone(s.m.Marks)
		s.m.Marks[i].Stale = why
	}
}

// due reports whether it is time for what is counted: the phase that asks for it has
// come, or, where only success does, the one that sums up.
func (s *step) due(id string) bool {
	if len(s.Phases) == 0 {
		return true
	}
	from := s.sumUp
	for i, ph := range s.Phases {
		if slices.ContainsFunc(ph.Exit, func(c mode.Criterion) bool { return c.ID == id }) {
			from = i
			break
		}
	}
	return s.plan.at(s.m) >= from
}

// past reports whether a criterion belongs to phases that lie behind: what was
// agreed there stays agreed, whatever is proposed later.
func (p plan) past(m Memory, id string) bool {
	here := p.at(m)
	in := func(list []mode.Criterion) bool {
		return slices.ContainsFunc(list, func(c mode.Criterion) bool { return c.ID == id })
	}
	for i, ph := range p.Phases {
		if i >= here && in(ph.Exit) {
			return false
		}
	}
	return !in(p.Success)
}

// shares is how much of the table is for the newest proposal, and against it. A
// person who takes a side counts double, and one who does not, not at all.
func (k talk) shares() (support, opposition float64) {
	all := k.table()
	weigh := func(list []string) int {
		n := len(list)
		if slices.Contains(list, person) {
			n++
		}
		return n
	}
	if slices.Contains(k.For, person) || slices.Contains(k.Against, person) {
		all += 2
	}
	if k.Proposal == "" || all == 0 {
		return 0, 0
	}
	return min(1, float64(weigh(k.For))/float64(all)), min(1, float64(weigh(k.Against))/float64(all))
}

func with(list []string, name string) []string {
	if slices.Contains(list, name) || len(list) >= maxSpeakers {
		return list
	}
	return append(slices.Clip(list), name)
}

func without(list []string, name string) []string {
	if !slices.Contains(list, name) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(n string) bool { return n == name })
}
