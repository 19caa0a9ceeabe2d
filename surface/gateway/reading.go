package gateway

import (
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// reading is a body held against the ledger: which of its messages are known, and
// where it parts from the main line.
type reading struct {
	lines   []line          // the history as the body has it
	at      []int           // the place of each in ledger.said; of those that are new, where it will be
	items   []int           // where each begins in the body; -1 of those that the provider keeps and the body has not
	new     []int           // lines that are
	shared  int             // how many lines, from the first on, are those of the main line
	changed bool            // the main line ends otherwise than this history goes on
	adopted bool            // what another surface told stands in the ledger under new names
	escaped []int           // lines that the host wrote for the person's own shell
	typed   []trimtab.Event // a command that was typed as a prompt
}

// branches finds the line that follows another, and lines by what they say.
type branches struct {
	next  map[step]int
	same  map[uint64][]int
	words map[uint64]int // replies that were told as they came, by what they say
}

// step is a line by the one before it and by what it says.
type step struct {
	from int
	hash uint64
}

func (l *ledger) branch() *branches {
	if l.tree == nil {
		l.tree = &branches{next: map[step]int{}, same: map[uint64][]int{}, words: map[uint64]int{}}
		for i := range l.said {
			l.tree.add(l.said, i)
		}
	}
	return l.tree
}

func (t *branches) add(said []line, i int) {
	known := said[i]
	t.next[step{known.parent, known.hash}] = i
	t.same[known.hash] = append(t.same[known.hash], i)
	if known.words != 0 {
		t.words[known.words] = i
	}
}

// read finds which messages of a body are known. A body that goes on where the main
// line ends is the common case and costs a comparison a message. Behind the place where
// it parts, a message is known that was said there before, or that moved together
// with its neighbours: a host that cuts out the middle of its history says nothing
// new. The ledger stays as it is, until take.
func (l *ledger) read(f wire.Format, b *wire.Body) reading {
	r := reading{items: make([]int, 0, len(b.Items))}
	if b.Previous() != "" { // the body goes on where the newest reply ended
		r.items = slices.Repeat([]int{-1}, min(l.replied, len(l.main)))
	}
	kept := len(r.items)
	for i := range b.Items {
		if !b.Items[i].Continues {
			r.items = append(r.items, i)
		}
	}
	if kept == 0 {
		r.adopted = l.adopt(b, r.items)
	}
	r.lines, r.at = make([]line, 0, len(r.items)+1), make([]int, 0, len(r.items)+1)
	for r.shared < len(l.main) && r.shared < len(r.items) {
		at, i := l.main[r.shared], r.items[r.shared]
		if i >= 0 && !l.says(at, f, b, i) {
			break
		}
		r.lines, r.at = append(r.lines, l.said[at]), append(r.at, at)
		r.shared++
	}
	if rest := l.main[r.shared:]; r.shared == len(r.items) && len(rest) == 1 && l.said[rest[0]].hash == 0 {
		r.lines, r.at = append(r.lines, l.said[rest[0]]), append(r.at, rest[0])
		r.shared++ // a retry: the reply that was told is asked for again
	}
	r.changed = r.shared < len(l.main) || r.adopted
	if len(r.lines) < len(r.items) {
		l.follow(f, b, &r)
	}
	return r
}

// says reports whether a known line says what an item says. A reply that was told as
// it came is known by its place and its words, and by its hash from now on.
func (l *ledger) says(at int, f wire.Format, b *wire.Body, item int) bool {
	known, hash := &l.said[at], b.Hash(item)
	if known.hash == 0 && b.Items[item].Role == trimtab.RoleAssistant && !known.theirs && (known.words == 0 || known.words == wordsOf(wire.Whole(f, b, item))) {
		known.hash = hash
		if l.tree != nil {
			l.tree.add(l.said, at)
		}
	}
	return known.hash == hash
}

// follow reads the lines of a body behind those that it shares with the main line.
func (l *ledger) follow(f wire.Format, b *wire.Body, r *reading) {
	from, next := -1, len(l.said)
	if n := len(r.at); n > 0 {
		from = r.at[n-1]
	}
	used, fresh := map[int]bool{}, map[uint64]int{}
	for _, at := range r.at {
		used[at] = true
	}
	for n := len(r.lines); n < len(r.items); n++ {
		hash := b.Hash(r.items[n])
		at := -1
		if r.changed {
			at = l.find(from, hash, f, b, r, n, used)
		}
		if at < 0 {
			fresh[hash]++
			known := line{hash: hash, id: idOf(hash, l.nth[hash]+fresh[hash]), parent: from, reply: b.Items[r.items[n]].Role == trimtab.RoleAssistant}
			r.new = append(r.new, n)
			at, next = next, next+1
			r.lines = append(r.lines, known)
		} else {
			r.lines = append(r.lines, l.said[at])
		}
		used[at] = true
		r.at = append(r.at, at)
		from = at
	}
}

// find returns the known line that line n of a body is, or -1. The last line of a body
// is what is asked for now: that it was said before somewhere else makes it no
// repetition, unless the one before it moved along.
func (l *ledger) find(from int, hash uint64, f wire.Format, b *wire.Body, r *reading, n int, used map[int]bool) int {
	t := l.branch()
	if at, ok := t.next[step{from, hash}]; ok && !used[at] {
		return at
	}
	if at, ok := t.next[step{from, 0}]; ok && !used[at] && l.says(at, f, b, r.items[n]) {
		return at
	}
	if hash == 0 {
		return -1
	}
	if len(t.words) > 0 && b.Items[r.items[n]].Role == trimtab.RoleAssistant {
		if at, ok := t.words[wordsOf(wire.Whole(f, b, r.items[n]))]; ok && !used[at] && l.said[at].hash == 0 && l.says(at, f, b, r.items[n]) {
			return at
		}
	}
	for _, at := range t.same[hash] {
		switch parent := l.said[at].parent; {
		case used[at]:
		case n < len(r.items)-1, parent >= 0 && parent == from:
			return at
		}
	}
	return -1
}

// take makes a body that was read the main line of the ledger, up to so many of its new
// lines; those before from are taken already.
func (l *ledger) take(r reading, from, to int) {
	for _, n := range r.new[from:to] {
		known := r.lines[n]
		l.nth[known.hash]++
		l.said = append(l.said, known)
		if l.tree != nil {
			l.tree.add(l.said, len(l.said)-1)
		}
	}
	l.main = append(l.main[:r.shared], r.mainTo(to)[r.shared:]...)
}

// partEnd is where the part of the new lines ends that is told at once and begins here.
func (r reading) partEnd(b *wire.Body, from int) int {
	size := 0
	for i := from; i < min(from+maxTold, len(r.new)); i++ {
		item := b.Items[r.items[r.new[i]]]
		if size += item.End - item.Start; size > maxToldBytes && i > from {
			return i
		}
	}
	return min(from+maxTold, len(r.new))
}

// mainTo is the main line when so many of the new lines are taken.
func (r reading) mainTo(to int) []int {
	if to < len(r.new) {
		return r.at[:r.new[to]]
	}
	return r.at
}

// replies reports whether the history brings back replies that are not known.
func (r reading) replies() bool {
	return slices.ContainsFunc(r.new, func(i int) bool { return r.lines[i].reply })
}

// tell adds a reply that was told as it came to the main line.
func (l *ledger) tell(m trimtab.Message) {
	known := lineOf(m)
	if known.parent = -1; len(l.main) > 0 {
		known.parent = l.main[len(l.main)-1]
	}
	l.main = append(l.main, len(l.said))
	l.replied = len(l.main)
	l.said = append(l.said, known)
	if l.tree != nil {
		l.tree.add(l.said, len(l.said)-1)
	}
}

// kept are the notes that rode at the end of the last request. The provider keeps that
// request, and so they stay where they were.
func (l *ledger) kept() (all []trimtab.Note) {
	for _, n := range l.state.Notes {
		if n.Seated() && !n.Fixed {
			all = append(all, n)
		}
	}
	return all
}

// after is how a message that is said now names the one that it follows; where that
// is the one said last it does not.
func (l *ledger) after(parent, at int) string {
	switch {
	case parent == at-1:
		return ""
	case parent < 0:
		return trimtab.NoMessage
	}
	return l.said[parent].id
}

// newest is the last line of the main line that is a reply, or -1.
func (l *ledger) newest() int {
	for i := len(l.main) - 1; i >= 0; i-- {
		if l.said[l.main[i]].reply {
			return l.main[i]
		}
	}
	return -1
}

// adopt takes the history up to where this gateway came in as known: it was told by
// another surface, as hooks do, under names that do not say what was said. Told
// again, its steps would count twice. Of what the ledger knows, ours begins after
// that; where there is none of ours yet, after the newest reply.
func (l *ledger) adopt(b *wire.Body, items []int) bool {
	theirs := 0
	for theirs < len(l.main) && l.said[l.main[theirs]].theirs {
		theirs++
	}
	if theirs == 0 {
		return false
	}
	end := -1
	if ours := l.main[theirs:]; len(ours) > 0 && l.said[ours[0]].hash != 0 {
		end = slices.IndexFunc(items, func(i int) bool { return b.Hash(i) == l.said[ours[0]].hash })
	}
	if end < 0 {
		for n, i := range items {
			if b.Items[i].Role == trimtab.RoleAssistant {
				end = n
			}
		}
		end++
	}
	known := make([]int, 0, len(items)+1)
	parent := -1
	for _, i := range items[:end] {
		hash := b.Hash(i)
		l.nth[hash]++
		l.said = append(l.said, line{hash: hash, id: idOf(hash, l.nth[hash]), parent: parent, reply: b.Items[i].Role == trimtab.RoleAssistant})
		parent = len(l.said) - 1
		known = append(known, parent)
	}
	if ours := l.main[theirs:]; len(ours) > 0 {
		l.said[ours[0]].parent = parent
	}
	l.main = append(known, l.main[theirs:]...)
	l.tree, l.adopted = nil, true
	return true
}

// find returns the place of a message in the history, or -1.
func (r reading) find(id string) int {
	for i := len(r.lines) - 1; i >= 0; i-- {
		if r.lines[i].id == id {
			return i
		}
	}
	return -1
}

// foreign reports whether the history holds replies that did not come through here, but
// for the newest: their thinking is bound to what somebody else sent.
func (r reading) foreign(pending bool) bool {
	n := 0
	for _, i := range r.new {
		if r.lines[i].reply {
			n++
		}
	}
	return n > 1 || n == 1 && !pending || r.adopted
}

// drops reports whether the history goes on without the newest reply.
func (r reading) drops() bool {
	return len(r.new) > 0 && !r.replies()
}

// holds reports whether a known line is in the history.
func (r reading) holds(at int) bool { return at >= 0 && slices.Contains(r.at, at) }

// chunk is a run of the new lines of a reading, which the engine is told at once.
type chunk struct {
	from, to int  // in reading.new
	replied  int  // the line that is the newest reply, or -1
	sure     bool // that it is
	like     shape
	call     trimtab.Calling
}

// holds reports whether a line is told with the chunk.
func (c chunk) holds(r reading, line int) bool { return slices.Contains(r.new[c.from:c.to], line) }

// events tells the engine what is new in a body, in order, and that a request
// leaves. The newest reply comes back in it; what the provider said of it is put
// with it.
func (r reading) events(l *ledger, f wire.Format, b *wire.Body, s trimtab.Session, c chunk) []trimtab.Event {
	var events []trimtab.Event
	l.hooks.unspend()
	lastReply := r.lastReply()
	c.like.replied = c.like.replied || lastReply >= 0
	for _, n := range r.new[c.from:c.to] {
		m := wire.Whole(f, b, r.items[n])
		m.ID, m.Via, m.After = r.lines[n].id, trimtab.ViaGateway, l.after(r.lines[n].parent, r.at[n])
		switch {
		case n == c.replied:
			m.Usage, m.Model = l.pending.Usage, l.pending.Model
		case (r.changed || c.sure && n > c.replied) && m.Role == trimtab.RoleAssistant: // behind the newest reply no other one came
			m.From = byHost // a summary, a word of thanks for it, that one was interrupted, an old reply in another form: nobody replied
		}
		if slices.Contains(r.escaped, n) {
			escaped(&m)
		}
		ownWords(&m, c.call.Hosted)
		vouched := l.hooks.judge(&m, n > lastReply, c.like)
		r.lines[n].size, r.lines[n].opens = m.Size(), opens(m)
		events = append(events, trimtab.Said{Message: m, Vouched: vouched})
	}
	if r.changed && c.from == 0 {
		events = append(events, r.rewritten(s, c.to))
	}
	if c.to < len(r.new) {
		return events
	}
	return append(events, c.call)
}

// lastReply is the last line of the history that is the model's, or -1.
func (r reading) lastReply() int {
	for i := len(r.lines) - 1; i >= 0; i-- {
		if r.lines[i].reply {
			return i
		}
	}
	return -1
}

// replied is the new line that is the newest reply, or -1: the one that says the same,
// which is sure, else the first, or behind a rewritten history the last.
func (r reading) replied(f wire.Format, b *wire.Body, reply *trimtab.Message) (at int, sure bool) {
	at = -1
	if reply == nil {
		return at, false
	}
	for i, n := range r.new {
		switch {
		case !r.lines[n].reply:
		case i >= maxTold && i < len(r.new)-maxTold: // none of a long history that comes in one piece is looked at but its ends
		case wordsOf(wire.Whole(f, b, r.items[n])) == wordsOf(*reply):
			return n, true
		case at < 0 || r.changed:
			at = n
		}
	}
	return at, false
}

// byHost is the author of what a host writes in the model's name when it rewrites its
// history. It is no step.
const byHost = "host"

// rewritten says that the history changed, behind so many of its new lines.
func (r reading) rewritten(s trimtab.Session, told int) trimtab.Event {
	var ev trimtab.Rewritten
	for i, known := range r.lines {
		ev.Size += known.size
		if i < r.shared {
			ev.Kept += known.size
		}
	}
	for _, id := range s.Anchors() {
		if r.find(id) < 0 {
			ev.Lost = append(ev.Lost, id)
		}
	}
	if last := len(r.lines) - 1; last >= 0 && (len(r.new) == 0 || r.new[len(r.new)-1] != last) {
		ev.Last = trimtab.Ref{ID: r.lines[last].id, Seq: s.Seq + told}
	}
	return ev
}
