package focus

import (
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
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
	Authors  []string    `json:"authors,omitempty"` // of proposals
	Count    int         `json:"count,omitempty"`   // proposals so far
	Proposal string      `json:"proposal,omitempty"`
	At       trimtab.Ref `json:"at,omitzero"`
	For      []string    `json:"for,omitempty"`
	Against  []string    `json:"against,omitempty"`
}

const maxSpeakers = 64

// table is how many agents there are.
func (k talk) table() int { return max(len(k.Agents), len(k.Seen)) }

// voices notes how a speaker stands.
func (s *step) voices(by string, r reading, text string) {
	k := &s.m.Talk
	if by != person {
		k.Seen = with(k.Seen, by)
	}
	for _, v := range r.kinds {
		if v.kind != "PROPOSAL" && v.about != 0 && v.about != k.Count {
			continue // of an older one
		}
		switch v.kind {
		case "PROPOSAL":
			k.Count++
			k.Authors = with(k.Authors, by)
			k.Proposal, k.At, k.For, k.Against = line(text, maxEvidence), s.at, []string{by}, nil
		case "AGREEMENT":
			if k.Proposal != "" {
				k.For, k.Against = with(k.For, by), without(k.Against, by)
			}
		case "DISAGREEMENT":
			if k.Proposal != "" {
				k.For, k.Against = without(k.For, by), with(k.Against, by)
			}
		}
	}
}

// votes counts them. An agreement that falls apart is one no longer.
func (s *step) votes() {
	k := s.m.Talk
	support, _ := k.shares()
	for _, c := range s.criteria {
		switch {
		case c.ID == angles && k.Count >= 2 && len(k.Authors) >= 2:
			if !s.m.met(angles) {
				s.m = s.m.mark(Mark{ID: angles, How: ByCount, At: k.At, Text: fmt.Sprintf("%d proposals from %d authors, the newest: %s", k.Count, len(k.Authors), k.Proposal)})
			}
		case !voted(c):
		case support >= Agreed && len(k.For) >= 2:
			if !s.m.met(c.ID) {
				s.m = s.m.mark(Mark{ID: c.ID, How: ByCount, At: k.At, Text: fmt.Sprintf("%.0f %% stand behind it: %s", 100*support, k.Proposal)})
			}
		case s.m.counted(c.ID) && !s.past(s.m, c.ID):
			s.undo(c.ID, fmt.Sprintf("only %.0f %% stand behind the newest proposal", 100*support))
		}
	}
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

// counted reports whether a criterion is met by counting.
func (m Memory) counted(id string) bool {
	return slices.ContainsFunc(m.Marks, func(k Mark) bool { return k.ID == id && k.How == ByCount && k.Stale == "" })
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
