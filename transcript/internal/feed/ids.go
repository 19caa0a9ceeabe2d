package feed

import "github.com/trimtab/trimtab/internal/scan"

// ids finds the line that has an id. It holds a hash of each id, not the id, in
// pieces that never move, and a table of the lines' numbers.
type ids struct {
	keys  pieces[uint64] // of each line; 0 is none
	slots []uint32       // numbers of lines by their keys; 0 is free
	n     int
}

// keyOf is the hash of an id as it is written, never 0.
func keyOf(id []byte) uint64 {
	if k := scan.TextHash(id); k != 0 {
		return k
	}
	return 1
}

// find returns the line with this key, 0 if there is none.
func (t *ids) find(key uint64) uint32 {
	if len(t.slots) == 0 {
		return 0
	}
	mask := uint64(len(t.slots) - 1)
	for i := key & mask; t.slots[i] != 0; i = (i + 1) & mask {
		if *t.keys.at(t.slots[i]) == key {
			return t.slots[i]
		}
	}
	return 0
}

// add gives line n a key that no line has.
func (t *ids) add(n uint32, key uint64) {
	if 4*(t.n+1) > 3*len(t.slots) {
		old := t.slots
		t.slots = make([]uint32, max(256, 2*len(old)))
		for _, m := range old {
			if m != 0 {
				t.put(m, *t.keys.at(m))
			}
		}
	}
	*t.keys.at(n) = key
	t.put(n, key)
	t.n++
}

func (t *ids) put(n uint32, key uint64) {
	mask := uint64(len(t.slots) - 1)
	i := key & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = n
}

// pieces is a list that grows without being copied.
type pieces[T any] struct{ list []*[pieceSize]T }

const pieceSize = 1024

// at returns the place of an element, which is zero at first.
func (p *pieces[T]) at(n uint32) *T {
	k := int(n / pieceSize)
	for k >= len(p.list) {
		p.list = append(p.list, nil)
	}
	if p.list[k] == nil {
		p.list[k] = new([pieceSize]T)
	}
	return &p.list[k][n%pieceSize]
}
