package trimtab

import (
	"fmt"
	"slices"
)

// Urgency says how much a note that nobody asked for matters. The zero value is not
// limited: a mode that a person chose, a goal that they set.
type Urgency int

// The urgencies, from the least. Only a more urgent note speaks where the attention of the
// session is spent.
const (
	Reminder     Urgency = iota + 1 // of the agent's own todo list
	Goal                            // what the session is about
	SameReport                      // a person reports the same error again
	Loop                            // the work goes in circles
	UnprovenDone                    // the agent stops, and what it did was not checked
)

// Spoken is a note that nobody asked for, for the budget of attention.
type Spoken struct {
	Step    int     `json:"step"`
	Urgency Urgency `json:"urgency"`
	By      string  `json:"by,omitempty"`
	Seq     int     `json:"seq,omitempty"` // of the newest message at that time
}

// attentionSteps is over how many steps the budget of attention runs.
const attentionSteps = 100

// attend reports whether a note that nobody asked for may speak now, and counts it if so.
// Why not is told otherwise.
func (p *pass) attend(by string, u Urgency) (why string, ok bool) {
	if u == 0 {
		return "", true
	}
	recent, n := slices.DeleteFunc(slices.Clone(p.s.Spoken), func(s Spoken) bool { return p.s.Step-s.Step >= attentionSteps }), 0
	for _, s := range recent {
		if s.Step == p.s.Step && s.Seq >= p.s.Prompt.Seq && s.Urgency >= u && s.By != by { // a prompt in between makes another moment
			return s.By + " speaks of it already", false
		}
		if s.Urgency >= u {
			n++
		}
	}
	p.s.Spoken = recent
	if n >= p.cfg.Attention {
		return fmt.Sprintf("%d such notes in the last %d steps are enough", n, attentionSteps), false
	}
	p.s.Spoken = append(p.s.Spoken, Spoken{p.s.Step, u, by, p.s.Seq})
	return "", true
}

// heeded notes that the agent did what a note asked, where one did. A check that was missing
// and was then run was worth the attention, and is given back: an agent that has to be asked
// for it after each of many short turns would else be let go from the fourth on.
func (p *pass) heeded(by string, a Retract) {
	kept := slices.DeleteFunc(slices.Clone(p.s.Heed), func(h Heed) bool { return h.By == by && h.Slot == a.Slot })
	if len(kept) < len(p.s.Heed) || slices.ContainsFunc(p.s.Spoken, func(s Spoken) bool { return s.By == by }) {
		p.out.Changes = append(p.out.Changes, Change{Kind: Heeded, By: by, Slot: a.Slot, Step: p.s.Step, Why: a.Why})
	}
	p.s.Spoken = slices.DeleteFunc(slices.Clone(p.s.Spoken), func(s Spoken) bool { return s.By == by && s.Urgency == UnprovenDone })
	p.s.Heed = kept
}

// heard reports whether a note that asks for something may be made, and counts it. One
// that is not heeded doubles the wait for the next of its kind; after MuteAfter in a row its
// kind is silent. A retraction with Heeded, or the person's next prompt, ends that.
func (p *pass) heard(n Note, in Inject) bool {
	p.s.Heed = slices.Clone(p.s.Heed)
	i := slices.IndexFunc(p.s.Heed, func(h Heed) bool { return h.By == n.By && h.Slot == n.Slot })
	if i < 0 {
		p.s.Heed = append(p.s.Heed, Heed{By: n.By, Slot: n.Slot, Step: p.s.Step})
		return true
	}
	h := &p.s.Heed[i]
	if h.Muted {
		return false
	}
	if wait := in.Every << min(h.Missed, 10); in.Urgency > 0 && p.s.Step-h.Step < wait {
		return false
	}
	h.Step, h.Missed = p.s.Step, h.Missed+1
	if h.Missed < p.muteAfter(in) {
		return true
	}
	h.Muted = true
	p.end(func(o Note) bool { return o.By == n.By && o.Slot == n.Slot && o.inSlot() }, "muted")
	p.changed(Withheld, n, fmt.Sprintf("muted: %d in a row went unheeded", h.Missed), 0)
	p.out.Actions = append(p.out.Actions, Taken{n.By, Notify{Text: fmt.Sprintf("%s: %d notes in a row went unheeded; silent until your next prompt", n.By, h.Missed)}})
	return false
}

// mostUnheeded is how many notes that nobody asked for may go unheeded in a row.
const mostUnheeded = 3

func (p *pass) muteAfter(in Inject) int {
	if in.Urgency > 0 {
		return min(mostUnheeded, p.cfg.MuteAfter)
	}
	return p.cfg.MuteAfter
}

// early reports whether a note has to wait for the next request: directly behind what a
// person just wrote it would only disturb.
func (p *pass) early(n Note) bool {
	return n.Urgency > 0 && n.Urgency != SameReport && p.s.Seq == p.s.Prompt.Seq
}

// silent reports whether a person silenced an intervention.
func (p *pass) silent(by string) bool {
	return slices.ContainsFunc(p.lineup, func(iv Steerer) bool { return iv.silences(&p.s, by) })
}

// unsaid withholds what an intervention would say that a person silenced. What lasts is
// made all the same, and waits: the intervention will not say it again.
func (p *pass) unsaid(by string, a Action) bool {
	n := Note{By: by}
	switch a := a.(type) {
	case Inject:
		n.Slot, n.Life = a.Slot, a.Life
	case Continue, Check, Pause:
	default:
		return false // an answer, a refusal, the end of a note: none of them is said to the model
	}
	if n.Life == Standing || n.Life == Kept || !p.silent(by) {
		return false
	}
	p.changed(Withheld, n, "a person silenced it", 0)
	return true
}
