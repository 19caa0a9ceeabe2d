package claude

import (
	"bytes"
	"hash/fnv"

	"github.com/trimtab/trimtab/transcript/internal/feed"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// tree says which lines of a file belong to the conversation that ends last.
// Lines name their parents; a person who goes back to an earlier prompt makes a
// second child there, and the first one is left behind.
//
// Not every second child is such a branch. Parallel tools and hooks hang their
// lines beside the way from the last prompt or reply to the first; those count.
type tree struct {
	at    map[feed.Key]int32 // the number of a line in nodes
	nodes []node             // the first is none
	last  int32              // the newest line
	leaf  int32              // the newest prompt, reply or rewriting: where the conversation ends
}

type node struct {
	parent int32  // 0 is none
	before int32  // the line before it in the file
	reply  uint32 // the hash of the reply that it is a block of
	state  state
}

type state uint8

const (
	known  state = 1 << iota // the line is in the file, not only named as a parent
	beside                   // may hang beside the way
	cut                      // history was rewritten here
	live
	done // live is decided
	used // it was taken
)

func newTree() *tree { return &tree{at: map[feed.Key]int32{}, nodes: make([]node, 1)} }

// add puts a line of the main conversation into the tree.
func (t *tree) add(l *line) {
	i := t.node(l.uuid)
	if t.nodes[i].state&known != 0 {
		return // written twice
	}
	n := node{before: t.last, state: known}
	switch {
	case !jsonl.Null(l.parent):
		n.parent = t.node(l.parent)
	case l.boundary():
		n.parent = t.joint(l)
	}
	switch {
	case l.boundary() || l.summary:
		n.state |= cut
	case l.kind == assistant:
		n.reply = replyOf(l.message.id)
	case l.kind != user || l.meta || l.byTool() || l.message.answers():
		n.state |= beside
	}
	t.nodes[i] = n
	t.last = i
	if n.state&beside == 0 {
		t.leaf = i
	}
}

// joint returns the line that a rewriting of history joins on to. What it summed
// up was not taken back. The parent that it names stands before the messages that
// it kept as they were, where those came last; and where those came first, before
// the ones that it summed up.
func (t *tree) joint(l *line) int32 {
	anchor, tail := kept(l.compaction)
	switch {
	case !jsonl.Null(anchor) && bytes.Equal(anchor, l.uuid): // the kept ones came first
		return t.last
	case !jsonl.Null(tail):
		return t.node(tail)
	case !jsonl.Null(l.logical):
		return t.node(l.logical)
	}
	return 0
}

// kept returns which line the kept messages were put behind, and the last of
// them.
func kept(compaction []byte) (anchor, tail []byte) {
	c := jsonl.Object(compaction)
	for c.Next() {
		if string(c.Key) != "preservedSegment" {
			continue
		}
		segment := jsonl.Object(c.Value)
		for segment.Next() {
			switch string(segment.Key) {
			case "anchorUuid":
				anchor = segment.Value
			case "tailUuid":
				tail = segment.Value
			}
		}
	}
	return anchor, tail
}

// node returns the number of the line with this id, making one if it is new.
func (t *tree) node(id []byte) int32 {
	k := feed.KeyOf(id)
	i, ok := t.at[k]
	if !ok {
		i = int32(len(t.nodes))
		t.nodes = append(t.nodes, node{})
		t.at[k] = i
	}
	return i
}

// decide finds out which lines are live. First those on the way up from the
// leaf, then those beside it.
func (t *tree) decide() {
	for i := t.leaf; i != 0 && t.nodes[i].state&live == 0; i = t.up(i) {
		t.nodes[i].state |= live | done
	}
	t.nodes[0].state |= done
	var way []int32
	for i := range t.nodes {
		way = way[:0]
		for j := int32(i); t.nodes[j].state&done == 0; j = t.up(j) {
			t.nodes[j].state |= done // also keeps a circle from turning for ever
			way = append(way, j)
		}
		for k := len(way) - 1; k >= 0; k-- {
			if t.hangs(way[k]) {
				t.nodes[way[k]].state |= live
			}
		}
	}
}

// up returns the line before i in the conversation. Where the parent is lost
// with a damaged line, or history was rewritten and does not say where it went
// on, it is the line before in the file.
func (t *tree) up(i int32) int32 {
	n := t.nodes[i]
	if n.parent == 0 && n.state&cut != 0 || n.parent != 0 && t.nodes[n.parent].state&known == 0 {
		return n.before
	}
	return n.parent
}

// hangs reports whether a line that is not on the way belongs to one that is
// live: it came with it, or is a block of the same reply.
func (t *tree) hangs(i int32) bool {
	n, from := t.nodes[i], t.up(i)
	switch {
	case from != 0 && t.nodes[from].state&live == 0:
		return false
	case n.state&beside != 0:
		return true
	case n.reply == 0:
		return false
	}
	// A block may follow a result of its own reply.
	for j, steps := from, 0; j != 0 && steps < 64; j, steps = t.up(j), steps+1 {
		if reply := t.nodes[j].reply; reply != 0 {
			return reply == n.reply
		}
	}
	return false
}

// take reports whether the line with this id is to be read: it is live, and was
// not read before. A line that was not there at the first pass is read.
func (t *tree) take(id []byte) bool {
	if jsonl.Null(id) {
		return true
	}
	i, ok := t.at[feed.KeyOf(id)]
	if !ok || t.nodes[i].state&known == 0 {
		return true
	}
	n := &t.nodes[i]
	if n.state&live == 0 || n.state&used != 0 {
		return false
	}
	n.state |= used
	return true
}

// replyOf is the hash of a message's id, never 0 if it has one.
func replyOf(id []byte) uint32 {
	if jsonl.Null(id) {
		return 0
	}
	h := fnv.New32a()
	h.Write(id)
	return h.Sum32() | 1
}
