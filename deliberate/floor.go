package deliberate

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/speech"
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
			if t.Kind == speech.Question && f.Said[i].By != who && slices.ContainsFunc(t.Names(), func(name string) bool { return strings.EqualFold(name, who) }) {
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
		if p.By != who || !p.Open() {
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
	return f.leader()
}
