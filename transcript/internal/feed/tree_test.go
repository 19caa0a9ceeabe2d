package feed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// plain is the tree in its simplest form: the lines that are read, by the words
// of the comments of Tree.
func plain(lines []Link) (read []int) {
	at := map[string]int{}
	for i, l := range lines {
		if _, ok := at[string(l.ID)]; !ok && l.ID != nil {
			at[string(l.ID)] = i
		}
	}
	up := make([]int, len(lines))
	before, leaf := -1, -1
	for i, l := range lines {
		if l.ID == nil || at[string(l.ID)] != i {
			continue
		}
		parent, ok := at[string(l.Parent)]
		switch {
		case l.Parent == nil && !l.Cut:
			up[i] = -1
		case l.Parent == nil || !ok:
			up[i] = before
		default:
			up[i] = parent
		}
		if before = i; !l.Beside {
			leaf = i
		}
	}
	live := map[int]bool{-1: true}
	for i := leaf; !live[i]; i = up[i] {
		live[i] = true
	}
	hangs := func(i int) bool {
		for j, steps := up[i], 0; j >= 0 && steps < 64 && !lines[i].Beside; j, steps = up[j], steps+1 {
			if lines[j].Reply != nil {
				return string(lines[j].Reply) == string(lines[i].Reply)
			}
		}
		return lines[i].Beside
	}
	for more := true; more; {
		more = false
		for i, l := range lines {
			if l.ID != nil && at[string(l.ID)] == i && !live[i] && live[up[i]] && hangs(i) {
				live[i], more = true, true
			}
		}
	}
	for i, l := range lines {
		if l.ID == nil || at[string(l.ID)] == i && live[i] {
			read = append(read, i+1)
		}
	}
	return read
}

func TestTheTreeIsWhatItsWordsSay(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2)) // the same trees in every run
	for round := range 3000 {
		lines := make([]Link, 1+rnd.IntN(30))
		for i := range lines {
			l := &lines[i]
			if rnd.IntN(9) == 0 {
				continue // not in the tree
			}
			l.ID = fmt.Appendf(nil, "%d", i-rnd.IntN(12)/11*rnd.IntN(i+1))
			switch rnd.IntN(8) {
			case 0:
			case 1:
				l.Parent = fmt.Appendf(nil, "%d", rnd.IntN(len(lines)+2))
			default:
				l.Parent = fmt.Appendf(nil, "%d", i-1)
			}
			switch rnd.IntN(4) {
			case 0:
				l.Beside = true
			case 1:
				l.Reply = fmt.Appendf(nil, "m%d", rnd.IntN(3))
			case 2:
				l.Cut = rnd.IntN(4) == 0
			}
		}
		var tree Tree
		for i, l := range lines {
			tree.Add(i+1, l)
		}
		tree.Decide()
		var got []int
		for i, l := range lines {
			if tree.Takes(i+1, l.ID) {
				got = append(got, i+1)
			}
		}
		if want := plain(lines); !slices.Equal(got, want) {
			t.Fatalf("round %d: %+v\nreads %v, want %v", round, lines, got, want)
		}
	}
}

func TestALongTreeFindsItsLines(t *testing.T) {
	var tree Tree
	const lines = 20_000
	id := func(i int) []byte { return fmt.Appendf(nil, `"%d"`, i) }
	for i := 1; i <= lines; i++ {
		tree.Add(3*i, Link{ID: id(i), Parent: id(i - 1)})
	}
	tree.Add(3*lines+3, Link{ID: id(lines + 1), Parent: id(5000)})
	tree.Decide()
	for _, i := range []int{1, 4999, 5000, 5001, 12_345, lines, lines + 1} {
		if got, want := tree.Takes(3*i, id(i)), i <= 5000 || i > lines; got != want {
			t.Errorf("line %d: %v", i, got)
		}
	}
}
