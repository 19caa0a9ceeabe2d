package feed

import "github.com/trimtab/trimtab/transcript/internal/jsonl"

// Tree says which lines of a file belong to the conversation that its last line
// belongs to, where each line names the one before it. A person who goes back to
// an earlier point makes a second child there; the first is left behind.
//
// It holds the hash of an id and two numbers for each line. The zero Tree is empty, and takes
// every line.
type Tree struct {
	at    map[Key]int32
	nodes []treeNode // the first is none
	last  int32
	live  []bool
	used  []bool
}

type treeNode struct {
	parent int32 // 0 is none
	before int32 // the line before it in the file
	known  bool  // it is in the file, not only named as a parent
}

// maxTree is how many lines a tree holds; what comes after them is taken.
const maxTree = 1 << 22

// Add puts a line into the tree by its ids as they are written. Its parent may be
// none.
func (t *Tree) Add(id, parent []byte) {
	if none(id) || len(t.nodes) >= maxTree {
		return
	}
	i := t.node(id)
	if t.nodes[i].known {
		return // written twice
	}
	n := treeNode{before: t.last, known: true}
	if !none(parent) {
		n.parent = t.node(parent)
	}
	t.nodes[i] = n
	t.last = i
}

func none(id []byte) bool { return jsonl.Null(id) || string(id) == `""` }

func (t *Tree) node(id []byte) int32 {
	if t.at == nil {
		t.at, t.nodes = map[Key]int32{}, make([]treeNode, 1)
	}
	k := KeyOf(id)
	i, ok := t.at[k]
	if !ok {
		i = int32(len(t.nodes))
		t.nodes = append(t.nodes, treeNode{})
		t.at[k] = i
	}
	return i
}

// Decide finds the way from the last line to the first. Where a parent is lost
// with a damaged line, it goes on at the line before in the file.
func (t *Tree) Decide() {
	t.live, t.used = make([]bool, len(t.nodes)), make([]bool, len(t.nodes))
	for i := t.last; i != 0 && !t.live[i]; {
		t.live[i] = true
		n := t.nodes[i]
		if i = n.parent; i != 0 && !t.nodes[i].known {
			i = n.before
		}
	}
}

// Takes reports whether the line with this id is to be read: it is live, and was
// not read before.
func (t *Tree) Takes(id []byte) bool {
	if t.live == nil || none(id) {
		return true
	}
	i, ok := t.at[KeyOf(id)]
	if !ok || !t.nodes[i].known {
		return true
	}
	if !t.live[i] || t.used[i] {
		return false
	}
	t.used[i] = true
	return true
}
