package feed

import (
	"bytes"

	"github.com/trimtab/trimtab/internal/jsonscan"
)

// Tree says which lines of a file belong to the conversation that ends last,
// where each line names the one before it. A person who goes back to an earlier
// point makes a second child there; the first is left behind.
//
// Not every second child is such a branch. Hosts hang lines of parallel tools and
// hooks beside the way from the last line to the first; those count.
//
// While it grows it holds a hash and two numbers for each line, some 20 bytes;
// once decided, only the numbers of the lines that were left behind. The zero Tree
// is empty, and takes every line.
type Tree struct {
	keys  pieces[uint64] // of the lines' ids; 0 is a line that is not in the tree
	nodes pieces[node]
	n     int
	far   []far
	last  uint32 // the newest line
	id    []byte // its id, which is mostly the parent of the next
	full  bool
	dead  [][2]uint32 // the first and the last line of each stretch that is not read
	twice map[uint64]*copies
}

// Link is where a line stands in the tree. Its ids are as they are written.
type Link struct {
	ID, Parent []byte
	Reply      []byte // the id of the reply that it is a block of
	Beside     bool   // it may hang beside the way
	Cut        bool   // history was rewritten here: without a parent, it follows the line before in the file
}

// Chain is the link of a line that knows nothing but its parent. An empty id is
// none.
func Chain(id, parent []byte) Link { return Link{ID: filled(id), Parent: filled(parent)} }

func filled(id []byte) []byte {
	if string(id) == `""` {
		return nil
	}
	return id
}

type node struct {
	parent uint32 // 0 is none
	reply  uint32 // the hash of the reply
	state  state
}

type state uint8

const (
	known  state = 1 << iota // the line is in the tree
	beside                   // may hang beside the way
	live
	done // live is decided
)

// far is a parent other than the line before. Key 0 is that one.
type far struct {
	key uint64
	of  uint32
}

// copies are the lines with one id: one of them is read.
type copies struct {
	first      uint32
	live, used bool
}

// maxTree is how many lines a tree holds. Of a longer file, all is taken.
const maxTree = 1 << 24

// Add puts line n, which comes after all that were added, into the tree. A line
// without an id is not in it.
func (t *Tree) Add(n int, l Link) {
	if n <= 0 || n >= maxTree {
		t.full = true
		return
	}
	if jsonscan.Null(l.ID) {
		return
	}
	i := uint32(n)
	*t.keys.at(i) = keyOf(l.ID)
	at := t.nodes.at(i)
	*at = node{state: known}
	switch {
	case t.last != 0 && bytes.Equal(l.Parent, t.id):
		at.parent = t.last
	case !jsonscan.Null(l.Parent):
		t.far = append(t.far, far{key: keyOf(l.Parent), of: i})
	case l.Cut:
		t.far = append(t.far, far{of: i})
	}
	if !jsonscan.Null(l.Reply) {
		at.reply = uint32(keyOf(l.Reply)) | 1
	}
	if l.Beside {
		at.state |= beside
	}
	t.n++
	t.last, t.id = i, append(t.id[:0], l.ID...)
}

// Decide finds out which lines are live, and forgets the tree. First those on the
// way up from the leaf, then those beside it.
func (t *Tree) Decide() {
	if t.full {
		*t = Tree{}
		return
	}
	t.link()
	for i := t.leaf(); i != 0 && t.nodes.at(i).state&live == 0; i = t.nodes.at(i).parent {
		t.nodes.at(i).state |= live | done
	}
	var way []uint32
	for i := uint32(1); i <= t.last; i++ {
		way = way[:0]
		for j := i; j != 0 && t.nodes.at(j).state&(known|done) == known; j = t.nodes.at(j).parent {
			t.nodes.at(j).state |= done // also keeps a circle from turning for ever
			way = append(way, j)
		}
		for k := len(way) - 1; k >= 0; k-- {
			if t.hangs(way[k]) {
				t.nodes.at(way[k]).state |= live
			}
		}
	}
	t.settle()
}

// link finds the parents that are not the line before. One that never came was
// lost with a damaged line: then it is the line before.
func (t *Tree) link() {
	lines := newIndex(&t.keys, t.n)
	var first map[uint32]uint32 // of lines that were written before
	for i := uint32(1); i <= t.last; i++ {
		n := t.nodes.at(i)
		if n.state&known == 0 {
			continue
		}
		if was := lines.add(i); was != 0 {
			if first == nil {
				first, t.twice = map[uint32]uint32{}, map[uint64]*copies{}
			}
			first[i], t.twice[*t.keys.at(i)] = was, &copies{first: was}
			n.state = 0
			continue
		}
		if was, ok := first[n.parent]; ok {
			n.parent = was
		}
	}
	before, at := uint32(0), uint32(1)
	for _, f := range t.far { // in the order of the file
		for ; at < f.of; at++ {
			if t.nodes.at(at).state&known != 0 {
				before = at
			}
		}
		n := t.nodes.at(f.of)
		if f.key != 0 {
			n.parent = lines.find(f.key)
		}
		if n.parent == 0 {
			n.parent = before
		}
	}
}

// leaf is where the conversation ends: the newest line that does not hang beside
// the way.
func (t *Tree) leaf() uint32 {
	for i := t.last; i > 0; i-- {
		if t.nodes.at(i).state&(known|beside) == known {
			return i
		}
	}
	return 0
}

// hangs reports whether a line that is not on the way belongs to one that is
// live: it came with it, or is a block of the same reply.
func (t *Tree) hangs(i uint32) bool {
	n := *t.nodes.at(i)
	switch {
	case n.parent != 0 && t.nodes.at(n.parent).state&live == 0:
		return false
	case n.state&beside != 0:
		return true
	case n.reply == 0:
		return false
	}
	// A block may follow a result of its own reply.
	for j, steps := n.parent, 0; j != 0 && steps < 64; j, steps = t.nodes.at(j).parent, steps+1 {
		if reply := t.nodes.at(j).reply; reply != 0 {
			return reply == n.reply
		}
	}
	return false
}

// settle keeps of the tree only what is not read.
func (t *Tree) settle() {
	open := false
	for i := uint32(1); i <= t.last; i++ {
		switch t.nodes.at(i).state & (known | live) {
		case known | live:
			open = false
		case known:
			if !open {
				t.dead = append(t.dead, [2]uint32{i, i})
			}
			t.dead[len(t.dead)-1][1] = i
			open = true
		}
	}
	for _, c := range t.twice {
		c.live = t.nodes.at(c.first).state&live != 0
	}
	*t = Tree{dead: t.dead, twice: t.twice}
}

// Takes reports whether line n, which has this id, is to be read: it is live, and
// no other with its id was read. Lines come in order. One that was not there
// before the tree was decided is read.
func (t *Tree) Takes(n int, id []byte) bool {
	if jsonscan.Null(id) {
		return true
	}
	if len(t.twice) > 0 {
		if c := t.twice[keyOf(id)]; c != nil {
			if !c.live || c.used {
				return false
			}
			c.used = true
			return true
		}
	}
	for len(t.dead) > 0 && n > int(t.dead[0][1]) {
		t.dead = t.dead[1:]
	}
	return len(t.dead) == 0 || n < int(t.dead[0][0])
}
