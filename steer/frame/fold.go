package frame

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// fold is a fold as the engine holds it.
type fold struct {
	Key   string      `json:"key"`
	First trimtab.Ref `json:"first"`
	Last  trimtab.Ref `json:"last"`
	Text  uint64      `json:"text"`            // a hash, to see that it changed
	Saved int         `json:"saved,omitempty"` // bytes
	text  string
	rank  int
}

// above and since are the keys of folds that last while a frame below is active:
// what comes before the person's newest prompt, and what comes after it.
const above, since = "/above", "/since"

// split is a prompt that stays in view between two folds.
type split struct {
	Before trimtab.Ref `json:"before,omitzero"`
	Next   trimtab.Ref `json:"next,omitzero"`
	Size   int         `json:"size"`
}

// spare finds the prompt that must stay in view while a frame below f is active.
// One that a finished frame took with it is told by that one's summary.
func (m Memory) spare(f Frame) *split {
	a := m.Asked
	if a.Seq < f.First.Seq || a.Seq > f.Upto.Seq {
		return nil
	}
	for _, c := range m.Frames {
		if c.ID != f.ID && m.foldable(c) && c.First.Seq <= a.Seq && a.Seq <= c.Last.Seq {
			return nil
		}
	}
	return &split{a.Before, a.Next, a.Size}
}

// settle decides, once for each, what is folded after a step: a frame that
// ended, and one that a child was opened under.
func (d Frames) settle(before, m Memory) {
	onPath := func(path []Frame, id string) bool {
		return slices.ContainsFunc(path, func(f Frame) bool { return f.ID == id })
	}
	was, now := before.path(), m.path()
	newBelow := func(f Frame) bool { // another child than before is worked on
		return slices.ContainsFunc(now, func(c Frame) bool { return c.Parent == f.ID && !onPath(was, c.ID) })
	}
	a := d.settings(m)
	keeps := a.Level == "auto" && a.Timing == "seams" // nobody looked at what is folded
	for i := range m.Frames {
		f := &m.Frames[i]
		higher := f.ID != m.Active && onPath(now, f.ID)
		switch {
		case !higher:
			f.Above = false
		case d.cfg.Ancestors == "fold" && (!onPath(was, f.ID) || f.ID == before.Active || newBelow(*f)):
			f.Split, f.Keeps = m.spare(*f), keeps
			shown := m.shown(*f) - m.spared(*f)
			f.Above = !m.forItem(now) && f.First.Seq > 0 && f.Upto.Seq >= f.First.Seq && d.pays(shown, len(f.aboveText())+len(sinceText), m.Tail+m.hotSize(*f, f.Upto))
		}
		j := before.index(f.ID)
		ended := f.ended() && (j < 0 || !before.Frames[j].ended())
		if ended && f.Parent != "" && f.Last.Seq > 0 {
			f.Keeps = keeps
			f.Folded = d.pays(m.shown(*f)-m.hotSize(*f, f.Last), len(f.foldText()), m.Tail+m.hotSize(*f, f.Last))
		}
	}
}

// ended reports whether work on the frame is over.
func (f Frame) ended() bool { return f.Status != Planned && f.Status != InProgress }

// pays weighs a fold by the prices that providers share: a cached token read
// costs a tenth of a plain one, and one written to the cache a quarter more. What
// stands behind the fold is written anew; so is the summary, after it was sent
// once at the full price: the client's mark went with the frame's last message.
func (d Frames) pays(shown, text, behind int) bool {
	n := payback(shown, text, behind)
	return n > 0 && n <= d.cfg.Payback
}

// payback is after how many requests a fold has saved what it cost; 0 is never.
func payback(shown, text, behind int) int {
	saved := shown - text
	if saved <= 0 {
		return 0
	}
	return max(1, (225*text+125*behind+10*saved-1)/(10*saved))
}

// shown is how many bytes of a frame the model sees while it is not folded:
// its own, and what its children are seen as.
func (m Memory) shown(f Frame) int { return m.shownWith(f, func(Frame) bool { return true }) }

// shownUpto leaves the child out that is worked on: it lies behind what is folded above.
func (m Memory) shownUpto(f Frame) int {
	return m.shownWith(f, func(c Frame) bool { return c.First.Seq > 0 && c.First.Seq <= f.Upto.Seq })
}

func (m Memory) shownWith(f Frame, counts func(child Frame) bool) int {
	n := f.Bytes
	for i := range m.Frames {
		switch c := &m.Frames[i]; {
		case c.Parent != f.ID || c.Gone || !counts(*c):
		case m.foldable(*c):
			n += len(c.foldText()) + m.hotSize(*c, c.Last)
			for i := range m.pieces(*c, c.Last, nil) {
				if i > 0 {
					n += len(moreText(*c, i+1))
				}
			}
		default:
			n += m.shown(*c)
		}
	}
	return n
}

func (m Memory) foldable(f Frame) bool {
	return f.Folded && !f.Gone && f.First.Seq > 0 && f.Last.Seq >= f.First.Seq && !m.torn(f.First, f.Last)
}

// wanted is what should be folded as the tree stands, the inner ones first. What stays in
// view cuts a fold into pieces, of which the first counts for all.
func (m Memory) wanted() []fold {
	var out []fold
	add := func(f Frame, key string, s span, text string, hides func() int) {
		out = append(out, fold{Key: key, First: s.first, Last: s.last, Text: hash(text), Saved: hides() - len(text), text: text, rank: number(f.ID)})
	}
	// What a fold was said to save when it was made holds while all its pieces stand.
	settled := func(pieces []fold) {
		held := func(w fold) int { return slices.IndexFunc(m.Folds, w.same) }
		if slices.ContainsFunc(pieces, func(w fold) bool { return held(w) < 0 }) {
			return
		}
		for i, w := range pieces {
			pieces[i].Saved = m.Folds[held(w)].Saved
		}
	}
	none := func() int { return 0 }
	for _, f := range m.Frames {
		from := len(out)
		switch {
		case m.foldable(f):
			text, hides := f.foldText(), func() int { return m.shown(f) - m.hotSize(f, f.Last) }
			for i, s := range m.pieces(f, f.Last, nil) {
				key := f.ID
				if i > 0 {
					key, text, hides = fmt.Sprintf("%s/%d", f.ID, i+1), moreText(f, i+1), none
				}
				add(f, key, s, text, hides)
			}
		case !f.Above || f.First.Seq == 0 || f.Upto.Seq < f.First.Seq || m.torn(f.First, f.Upto):
		default:
			text, hides := f.aboveText(), func() int { return m.shownUpto(f) - m.spared(f) }
			for i, s := range m.pieces(f, f.Upto, f.Split) {
				key := f.ID + above
				switch {
				case f.Split != nil && s.first == f.Split.Next:
					key = f.ID + since
					if i > 0 {
						text, hides = sinceText, none
					}
				case i > 0:
					key, text, hides = fmt.Sprintf("%s%s/%d", f.ID, above, i+1), moreText(f, i+1), none
				}
				add(f, key, s, text, hides)
			}
		}
		settled(out[from:])
	}
	slices.SortFunc(out, func(a, b fold) int {
		return cmp.Or(cmp.Compare(a.Last.Seq, b.Last.Seq), cmp.Compare(b.First.Seq, a.First.Seq), cmp.Compare(b.rank, a.rank))
	})
	return out
}

// spared is how many bytes of a frame above the active one stay in view.
func (m Memory) spared(f Frame) int {
	n := m.hotSize(f, f.Upto)
	if f.Split != nil {
		n += f.Split.Size
	}
	return n
}

func (w fold) same(o fold) bool {
	return w.Key == o.Key && w.First == o.First && w.Last == o.Last && w.Text == o.Text
}

func (w fold) around(o fold) bool {
	return w.First.Seq <= o.First.Seq && o.Last.Seq <= w.Last.Seq
}

// refold brings the engine's folds to what the tree wants. A fold around a new
// one is opened and made again: the engine takes them from the inside out.
func (m Memory) refold(why string) (Memory, []trimtab.Action) {
	want := m.wanted()
	stays := func(w fold) bool { return slices.ContainsFunc(m.Folds, w.same) }
	for i, w := range want {
		if stays(w) || i+1 == len(want) {
			continue
		}
		for j := range want[i+1:] {
			if o := &want[i+1+j]; stays(*o) && o.around(w) {
				m.Folds = slices.Clone(m.Folds)
				k := slices.IndexFunc(m.Folds, o.same)
				m.Folds[k].Text++ // no longer the same, so it is made again
			}
		}
	}
	var acts []trimtab.Action
	for _, f := range m.Folds {
		if !slices.ContainsFunc(want, f.same) {
			acts = append(acts, trimtab.Unfold{Key: f.Key, Why: why})
		}
	}
	for _, w := range want {
		if !stays(w) {
			acts = append(acts, trimtab.Fold{Key: w.Key, First: w.First, Last: w.Last, Text: w.text, Why: w.price(why)})
		}
	}
	m.Folds = want
	for i := range m.Folds {
		m.Folds[i].text, m.Folds[i].rank = "", 0
	}
	return m, acts
}

func (w fold) price(why string) string {
	if w.text == sinceText || strings.Contains(w.text, " folded, part ") {
		return why + ": goes with the fold before it"
	}
	return fmt.Sprintf("%s: %d tokens become %d", why, tokens(w.Saved+len(w.text)), tokens(len(w.text)))
}

// saved is how many bytes the folds keep from the model. One around others saves
// of what those left in view, so they add up.
func (m Memory) saved() int {
	n := 0
	for _, f := range m.Folds {
		n += f.Saved
	}
	return n
}

// rewritten lets go of what the host's rewriting took. Frames that ended keep
// their summaries; those in progress begin anew with the next message.
func (d Frames) rewritten(t trimtab.Turn, m Memory, ev trimtab.Rewritten) (Memory, []trimtab.Action) {
	lost := func(r trimtab.Ref) bool {
		return r.ID != "" && (slices.Contains(ev.Lost, r.ID) || ev.All && r.ID != t.At.ID)
	}
	m = m.begin().abandon()
	m.Hot, m.Seeing, m.Unseen = nil, nil, nil // what the host left in view is its own affair
	dropped := func(f fold) bool { return lost(f.First) || lost(f.Last) }
	var acts []trimtab.Action
	held := slices.DeleteFunc(slices.Clone(m.Folds), dropped)
	for i := range m.Frames {
		f := &m.Frames[i]
		// Only the ends of folds are anchors, so of no other message is it known
		// whether it is still there. A fold that claims one that is not would hide
		// nothing and say it did.
		mine := func(h fold) bool { return h.Key == f.ID || strings.HasPrefix(h.Key, f.ID+"/") }
		anchored := slices.ContainsFunc(held, mine) && !slices.ContainsFunc(m.Folds, func(h fold) bool { return mine(h) && dropped(h) })
		if f.First.Seq == 0 || f.First.ID == t.At.ID || anchored {
			continue
		}
		m.Past = nil // it speaks of messages that are gone
		if f.ended() {
			f.Gone, f.Folded = true, false
			continue
		}
		f.First, f.Upto, f.Split, f.Above, f.Bytes = trimtab.Ref{}, trimtab.Ref{}, nil, false, 0
		if f.Held != nil {
			w := *f.Held
			w.Bytes, w.Recent = 0, Signals{}
			f.Held = &w
		}
		if f.ID == m.Active && f.Parent != "" {
			acts = append(acts, trimtab.Notify{Text: fmt.Sprintf("the host rewrote its history inside frame %s; what comes from now on can be folded, what was before cannot", f.ID)})
		}
	}
	m.Folds, m.Open, m.Whole, m.Tail, m.Bytes, m.Sent = held, nil, t.At, 0, ev.Size, 0
	if m.Asked.ID == t.At.ID {
		m.Asked.Before = trimtab.Ref{}
	} else {
		m.Asked = words{Text: m.Asked.Text}
	}
	m.align()
	m = m.resume(m.Active)
	if text := d.context(m); text != "" {
		acts = append(acts, trimtab.Inject{Slot: slotContext, Text: text, Place: trimtab.AtEnd, Life: trimtab.Standing, Why: "told anew: the host rewrote its history"})
	}
	m, more := m.refold("the host rewrote its history")
	return m, append(acts, more...)
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
