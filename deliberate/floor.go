package deliberate

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Turn is whose turn it is, and what for.
type Turn struct {
	Who     string // a persona's id
	Why     string // what made it the most urgent
	Urgency int
	Cue     Cue
}

// What can be asked of a speaker.
const (
	AskOpen     = "open"     // say where you stand
	AskTalk     = "talk"     // go on
	AskPropose  = "propose"  // put something on the table
	AskVote     = "vote"     // take a side
	AskWrite    = "write"    // write a section down
	AskRevise   = "revise"   // make a proposal agreeable
	AskResearch = "research" // ask for what must be known
	AskReply    = "reply"    // answer who asked you
)

// bench is how many turns in a row may come to nothing before a persona is passed
// over.
const bench = 3

// maxVersions is how often a proposal is made anew before its dissent is left to
// stand.
const maxVersions = 3

// maxDrafts is how often a section is asked for that meets nothing: what cannot be
// met by writing is not written forever.
const maxDrafts = 3

// floor decides who speaks next. It depends on the table and the goal alone.
type floor struct {
	*Table
	goal Progress
}

// queue is everybody who can speak, the most urgent first. Ties go to the one who
// was silent longest, then in the order in which they sit.
func (f floor) queue() []Turn {
	var all []Turn
	task := f.task()
	for _, p := range f.Cast {
		if f.misses[p.ID] >= bench {
			continue
		}
		t := Turn{Who: p.ID}
		t.Urgency, t.Why, t.Cue.Ask, t.Cue.About = f.urgency(p, task)
		all = append(all, t)
	}
	if n := len(all); n > 1 { // nobody speaks twice in a row while others can
		all = slices.DeleteFunc(all, func(t Turn) bool { return f.spokeLast(t.Who) })
	}
	slices.SortStableFunc(all, func(a, b Turn) int {
		return cmp.Or(cmp.Compare(b.Urgency, a.Urgency), cmp.Compare(f.since(b.Who), f.since(a.Who)))
	})
	for i := range all {
		f.fill(&all[i])
	}
	return all
}

func (f floor) spokeLast(who string) bool {
	for i := len(f.Said) - 1; i >= 0; i-- {
		switch u := f.Said[i]; u.By {
		case Researcher, You:
		case Moderator:
			at, spoke := f.last[who]
			return spoke && at == i
		default:
			return u.By == who
		}
	}
	return false
}

// task is what the phase needs from one speaker.
type task struct {
	ask, about string
	who        string // "" is whoever is most urgent
}

// urgency says how much somebody should speak now, why, and what is asked of them.
func (f floor) urgency(p Persona, t task) (n int, why, ask, about string) {
	n, why, ask = min(f.since(p.ID), 15), "was silent longest", AskTalk
	raise := func(by int, because, what, of string) {
		if by > n {
			n, why, ask, about = by+min(f.since(p.ID), 9), because, what, of
		}
	}
	if f.inPhase(p.ID) == 0 {
		raise(20, "has not spoken in this phase", AskOpen, "")
	}
	if len(f.open(p.ID)) > 0 {
		raise(30, "has not taken a side", AskVote, "")
	}
	if by := f.opposed(p.ID); by != "" {
		raise(40, "was contradicted by "+by, AskReply, by)
	}
	if by := f.asked(p.ID); by != "" {
		raise(50, "was asked by "+by, AskReply, by)
	}
	if f.leads(p) && f.phaseTurns() == 0 {
		raise(60, "opens the phase", AskOpen, "")
	}
	if t.ask != "" && t.who == p.ID {
		raise(70, "is to "+t.ask, t.ask, t.about)
	}
	if p.ID == f.addressee() {
		raise(80, "was asked by the person", AskReply, You)
	}
	return n, why, ask, about
}

// task finds what the phase needs next. Everybody is heard first, and nothing new
// is begun while sides are still to be taken.
func (f floor) task() task {
	if f.goal.Succeeded() || !f.heard() {
		return task{}
	}
	if f.wantsAngles() {
		return task{AskPropose, "another angle", f.writer()}
	}
	if f.waiting() {
		return task{}
	}
	if q := f.goal.Research; q.Used < q.Required && f.pending() == nil && f.researching() {
		return task{AskResearch, f.goal.Now().Focus, f.leader(0)}
	}
	missing := f.goal.missing()
	i := slices.IndexFunc(missing, func(c Criterion) bool { return f.drafts[slug(c.ID)] < maxDrafts })
	if i < 0 {
		return task{}
	}
	c := missing[i]
	if way(c) == bySection {
		return task{AskWrite, c.ID, f.writer()}
	}
	if p := f.newest(); p != nil && p.Version < maxVersions && !p.Agreed(len(f.Cast)) {
		return task{AskRevise, p.Name(), p.By}
	}
	return task{AskPropose, c.ID, f.writer()}
}

// wantsAngles reports whether the phase needs proposals of several authors and has
// too few. They are gathered first and weighed together.
func (f floor) wantsAngles() bool {
	return slices.ContainsFunc(f.goal.missing(), func(c Criterion) bool { return way(c) == byProposals })
}

// heard reports whether everybody who can has spoken in the phase, or the phase is
// one for writing, in which what was said before is enough.
func (f floor) heard() bool {
	if f.phaseTurns() > 0 && f.writing() {
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

// best is the proposal with most support that was not replaced.
func (f floor) best() *Proposal {
	var best *Proposal
	most := -1.0
	for _, p := range f.Proposals {
		if support, _ := p.Shares(len(f.Cast)); p.Replaced == 0 && support >= most {
			best, most = p, support
		}
	}
	return best
}

// writer is who writes next: the one who has proposed least, leaders first.
func (f floor) writer() string {
	made := map[string]int{}
	for _, p := range f.Proposals {
		made[p.By]++
	}
	type seat struct {
		id   string
		made int
	}
	var seats []seat
	for i := range f.Cast {
		id := f.leader(i)
		if f.misses[id] < bench && !f.spokeLast(id) {
			seats = append(seats, seat{id, made[id]})
		}
	}
	if len(seats) == 0 {
		return ""
	}
	return slices.MinFunc(seats, func(a, b seat) int { return cmp.Compare(a.made, b.made) }).id
}

// leader is the nth of the cast, with those who lead the phase first.
func (f floor) leader(n int) string {
	var first, rest []string
	for _, p := range f.Cast {
		if f.leads(p) {
			first = append(first, p.ID)
		} else {
			rest = append(rest, p.ID)
		}
	}
	return append(first, rest...)[n]
}

func (f floor) leads(p Persona) bool {
	id := f.goal.Now().ID
	return id != "" && slices.ContainsFunc(p.Leads, func(word string) bool { return strings.Contains(id, word) })
}

// phaseTurns is how many turns of personas the phase has had.
func (f floor) phaseTurns() int {
	n := 0
	for range f.phase() {
		n++
	}
	return n
}

// phase yields who had the phase's turns, the newest first. What a person says
// counts for the phase, and is no turn.
func (f floor) phase() iter.Seq[string] {
	return func(yield func(string) bool) {
		left := f.goal.Messages
		for i := len(f.Said) - 1; i >= 0 && left > 0; i-- {
			switch by := f.Said[i].By; by {
			case Researcher, Moderator:
			case You:
				left--
			default:
				left--
				if !yield(by) {
					return
				}
			}
		}
	}
}

// inPhase is how many of the phase's turns were somebody's.
func (f floor) inPhase(who string) int {
	n := 0
	for by := range f.phase() {
		if by == who {
			n++
		}
	}
	return n
}

// asked is who asked somebody a question that they had no turn to answer.
func (f floor) asked(who string) string {
	for i := len(f.Said) - 1; i >= len(f.Said)-f.since(who) && i >= 0; i-- {
		for _, t := range f.Said[i].Tags {
			if t.Kind == Question && f.Said[i].By != who && strings.EqualFold(strings.TrimPrefix(t.Arg, "@"), who) {
				return f.Said[i].By
			}
		}
	}
	return ""
}

// opposed is who took a side against somebody's proposal since their last turn.
func (f floor) opposed(who string) string {
	since := 0
	if at, ok := f.last[who]; ok {
		since = f.Said[at].Seq
	}
	for _, p := range slices.Backward(f.Proposals) {
		if p.By != who || p.Replaced != 0 {
			continue
		}
		for _, s := range slices.Backward(p.Stands) {
			if !s.For && s.Seq > since {
				return s.Who
			}
		}
	}
	return ""
}

// addressee is who answers the person: the one whom they name, or else the one who
// leads.
func (f floor) addressee() string {
	n := len(f.Said)
	if n < 2 || f.Said[n-1].By != You {
		return ""
	}
	text := strings.ToLower(f.Said[n-1].Text)
	for _, p := range f.Cast {
		if strings.Contains(text, "@"+p.ID) || strings.Contains(text, strings.ToLower(p.Name)+",") {
			return p.ID
		}
	}
	return f.leader(0)
}
