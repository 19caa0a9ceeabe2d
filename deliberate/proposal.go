package deliberate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/speech"
	"github.com/trimtab/trimtab/steer/focus"
)

// personWeight is how much a person's side counts.
const personWeight = 2

// Proposal is something that the table can take or leave.
type Proposal struct {
	N        int     `json:"n"`
	By       string  `json:"by"`
	Seq      int     `json:"seq"`
	Title    string  `json:"title"`
	Text     string  `json:"text"`
	Stands   []Stand `json:"stands"`             // one for each who took a side, in the order in which they first did
	Version  int     `json:"version"`            // from 1
	Of       int     `json:"of,omitempty"`       // the proposal of which it is a new version
	Replaced int     `json:"replaced,omitempty"` // the proposal that is its new version
	Left     int     `json:"left,omitempty"`     // the message in which its author took it back
}

// Open reports whether it is on the table: neither replaced nor taken back.
func (p *Proposal) Open() bool { return p.Replaced == 0 && p.Left == 0 }

// Stand is the side that somebody takes.
type Stand struct {
	Who    string `json:"who"`
	For    bool   `json:"for"`
	Seq    int    `json:"seq"`
	Reason string `json:"reason,omitempty"`
}

// Name is how the table calls it, as in P2.
func (p *Proposal) Name() string { return fmt.Sprintf("P%d", p.N) }

// Stand is the side that somebody took, if any.
func (p *Proposal) Stand(who string) (Stand, bool) {
	i := slices.IndexFunc(p.Stands, func(s Stand) bool { return s.Who == who })
	if i < 0 {
		return Stand{}, false
	}
	return p.Stands[i], true
}

// Shares are the parts of the table for and against it. A person who took a side
// counts for two.
func (p *Proposal) Shares(cast int) (support, opposition float64) {
	all, pro, con := cast, 0, 0
	for _, s := range p.Stands {
		weight := 1
		if s.Who == You {
			weight = personWeight
			all += weight
		}
		if s.For {
			pro += weight
		} else {
			con += weight
		}
	}
	if all == 0 {
		return 0, 0
	}
	return float64(pro) / float64(all), float64(con) / float64(all)
}

// Agreed reports whether enough of the table are for it.
func (p *Proposal) Agreed(cast int) bool {
	support, _ := p.Shares(cast)
	return support >= focus.Agreed
}

// Contested reports whether enough of the table are against it to be a conflict.
func (p *Proposal) Contested(cast int) bool {
	_, opposition := p.Shares(cast)
	return opposition >= focus.Disputed
}

// sides lists who is for and who is against.
func (p *Proposal) sides() (pro, con []string) {
	for _, s := range p.Stands {
		if s.For {
			pro = append(pro, s.Who)
		} else {
			con = append(con, s.Who)
		}
	}
	return pro, con
}

// propose puts a proposal on the table. Who makes it is for it.
func (t *Table) propose(u Utterance, o speech.Offer) {
	p := &Proposal{N: len(t.Proposals) + 1, By: u.By, Seq: u.Seq, Text: o.Text, Title: o.Title, Version: 1}
	if old := t.proposal(o.Numbers()); old != nil && old.Replaced == 0 {
		p.Of, p.Version = old.N, old.Version+1
		if u.By == old.By || !old.Agreed(len(t.Cast)) { // what was agreed stays until its author, or the table, wants another
			old.Replaced = p.N
		}
	} else if o.Arg != "" && old == nil {
		p.Title = o.Arg
	}
	p.Stands = []Stand{{Who: u.By, For: true, Seq: u.Seq}}
	t.Proposals = append(t.Proposals, p)
}

// proposal is the first of these that there is, or nil.
func (t *Table) proposal(numbers []int) *Proposal {
	for _, n := range numbers {
		if n <= len(t.Proposals) {
			return t.Proposals[n-1]
		}
	}
	return nil
}

// stand notes the sides that a tag takes. newest is the number of proposals before
// the message: nobody agrees with their own of the same breath by mistake.
func (t *Table) stand(u Utterance, tag speech.Tag, newest int) {
	about := tag.Numbers()
	if len(about) == 0 && newest > 0 && tag.Arg == "" {
		about = []int{newest}
	}
	for _, n := range about {
		if n > newest {
			continue // there was no such proposal to agree with
		}
		t.side(t.Proposals[n-1], Stand{Who: u.By, For: tag.Kind == speech.Agreement, Seq: u.Seq, Reason: trimtab.Clip(oneLine(tag.Text), 400)})
	}
}

// side takes a stand, and sees whether it is a change of sides.
func (t *Table) side(p *Proposal, s Stand) {
	if s.Who == p.By { // against one's own is to take it back, and for it is to stand by it
		p.Left = 0
		if !s.For {
			p.Left = s.Seq
		}
	}
	i := slices.IndexFunc(p.Stands, func(o Stand) bool { return o.Who == s.Who })
	if i < 0 {
		t.Meters.vote(s)
		p.Stands = append(p.Stands, s)
		return
	}
	old := p.Stands[i]
	if old.For != s.For && s.Who != p.By {
		t.Meters.change(p, old, s)
	}
	p.Stands[i] = s
}

// chances is how many turns somebody is asked for a side before their silence
// counts as one.
const chances = 2

// waits reports whether the table still waits for somebody's side.
func (t *Table) waits(p *Proposal, who string) bool {
	if !p.Open() {
		return false
	}
	_, took := p.Stand(who)
	return !took && t.after(who, p.Seq) < chances
}

// open are the proposals on which the table waits for sides.
func (t *Table) open(who string) []*Proposal {
	var all []*Proposal
	for _, p := range t.Proposals {
		if t.waits(p, who) {
			all = append(all, p)
		}
	}
	return all
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func quoted(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`) // a string always has a JSON form
	}
	return raw
}

func unquoted(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
