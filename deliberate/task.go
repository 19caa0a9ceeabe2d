package deliberate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/speech"
)

// task is what the phase needs from one speaker.
type task struct {
	ask, about string
	who        string // "" is whoever is most urgent
}

// maxVersions is how often a proposal is made anew before its dissent is left to
// stand.
const maxVersions = 3

// maxDrafts is how often a section is asked for that meets nothing: what cannot be
// met by writing is not written forever.
const maxDrafts = 3

// task finds what the phase needs next. Everybody is heard first, and nothing new
// is begun while sides are still to be taken.
func (f floor) task() task {
	if f.goal.Succeeded() || !f.heard() && !f.late() {
		return task{}
	}
	if f.wantsAngles() {
		return task{AskPropose, "another angle", f.writer(f.proposed())}
	}
	if f.waiting() && !f.late() {
		return task{}
	}
	if q := f.goal.Research; q.Used < q.Required && f.pending() == nil && f.researching() {
		return task{AskResearch, f.goal.Now().Focus, f.leader()}
	}
	missing := f.goal.missing()
	i := slices.IndexFunc(missing, func(c Criterion) bool { return f.drafts[speech.Slug(c.ID)] < maxDrafts })
	if i < 0 {
		return task{}
	}
	c := missing[i]
	if way(c) == bySection {
		return task{AskWrite, c.ID, f.writer(f.wrote)}
	}
	if p := f.newest(); p != nil && p.Open() && p.Version < maxVersions && !p.Agreed(len(f.Cast)) {
		return task{AskRevise, p.Name(), p.By}
	}
	return task{AskPropose, c.ID, f.writer(f.proposed())}
}

// late reports whether the phase has hardly more messages left than sections to write.
func (f floor) late() bool {
	now, sections := f.goal.Now(), 0
	for _, c := range now.Criteria {
		if !c.Met && way(c) == bySection && f.drafts[speech.Slug(c.ID)] < maxDrafts {
			sections++
		}
	}
	return sections > 0 && now.MaxMessages > 0 && now.MaxMessages-f.goal.Messages <= sections+1
}

// wantsAngles reports whether the phase needs proposals of several authors and has
// too few. They are gathered first and weighed together.
func (f floor) wantsAngles() bool {
	return slices.ContainsFunc(f.goal.missing(), func(c Criterion) bool { return way(c) == byProposals })
}

// heard reports whether everybody who can has spoken in the phase, or the phase is
// one for writing, in which what was said before is enough.
func (f floor) heard() bool {
	if f.writing() {
		return true
	}
	for _, p := range f.Cast {
		if f.inPhase(p.ID) == 0 && f.misses[p.ID] < bench {
			return false
		}
	}
	return true
}

func (f floor) writing() bool {
	id := f.goal.Now().ID
	return slices.ContainsFunc([]string{"draft", "rewrite", "synthes", "conclude", "verdict"}, func(w string) bool { return strings.Contains(id, w) })
}

// researching reports whether the phase is one for looking things up, or the last
// chance for it.
func (f floor) researching() bool {
	id := f.goal.Now().ID
	return f.goal.Phase >= len(f.goal.Phases)/2 || slices.ContainsFunc([]string{"research", "evidence", "market", "scout"}, func(w string) bool { return strings.Contains(id, w) })
}

// waiting reports whether sides are still to be taken.
func (f floor) waiting() bool {
	return slices.ContainsFunc(f.Cast, func(p Persona) bool { return f.misses[p.ID] < bench && len(f.open(p.ID)) > 0 })
}

// newest is the newest proposal, or nil.
func (f floor) newest() *Proposal {
	if n := len(f.Proposals); n > 0 {
		return f.Proposals[n-1]
	}
	return nil
}

// best is the proposal with most support among those that are neither replaced nor
// agreed. One that nobody but its author stands behind is none.
func (f floor) best() *Proposal {
	var best *Proposal
	most := 0.0
	for _, p := range f.Proposals {
		pro, _ := p.sides()
		if support, _ := p.Shares(len(f.Cast)); p.Open() && len(pro) > 1 && !p.Agreed(len(f.Cast)) && support >= most {
			best, most = p, support
		}
	}
	return best
}

// unsettled is the proposal of a section that the table did not agree on and that can
// still be made anew, or nil.
func (f floor) unsettled() *Proposal {
	for _, c := range f.goal.Criteria {
		s, ok := f.section(c)
		if !ok || s.Vote == nil || s.Vote.Agreed {
			continue
		}
		if p := f.Proposals[s.Vote.Proposal-1]; p.Open() && p.Version < maxVersions {
			return p
		}
	}
	return nil
}

// proposed is how often each has proposed something.
func (f floor) proposed() map[string]int {
	made := map[string]int{}
	for _, p := range f.Proposals {
		made[p.By]++
	}
	return made
}

// writer is who writes or proposes next: the one who has made least, leaders first.
func (f floor) writer(made map[string]int) string {
	able := slices.DeleteFunc(f.seats(), f.spokeLast)
	if len(able) == 0 {
		return ""
	}
	return slices.MinFunc(able, func(a, b string) int { return cmp.Compare(made[a], made[b]) })
}

// leader is who leads the phase, or else the first who can speak.
func (f floor) leader() string {
	for _, id := range f.seats() {
		return id
	}
	return ""
}

// seats are those who can speak, with those who lead the phase first.
func (f floor) seats() []string {
	var first, rest []string
	for _, p := range f.Cast {
		switch {
		case f.misses[p.ID] >= bench:
		case f.leads(p):
			first = append(first, p.ID)
		default:
			rest = append(rest, p.ID)
		}
	}
	return append(first, rest...)
}

func (f floor) leads(p Persona) bool {
	id := f.goal.Now().ID
	return id != "" && slices.ContainsFunc(p.Leads, func(word string) bool { return strings.Contains(id, word) })
}
