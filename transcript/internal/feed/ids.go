package feed

import "github.com/trimtab/trimtab/internal/jsonscan"

// keyOf is the hash of an id as it is written, never 0: a tree need not hold ids.
func keyOf(id []byte) uint64 {
	if k := jsonscan.TextHash(id); k != 0 {
		return k
	}
	return 1
}

// index finds lines by their keys. It is made when all are known: a table that
// grew with the file would be looked up in memory that reading has driven out of
// the caches.
type index struct {
	keys  *pieces[uint64]
	slots []uint32 // numbers of lines; 0 is free
}

// newIndex returns an index with capacity for n lines.
func newIndex(keys *pieces[uint64], n int) index {
	size := 16
	for 4*n > 3*size {
		size *= 2
	}
	return index{keys: keys, slots: make([]uint32, size)}
}

// find returns the line with this key, 0 if there is none.
func (t *index) find(key uint64) uint32 { return t.slots[t.slot(key)] }

// add takes a line in, unless there is one with its key: then it returns that.
func (t *index) add(n uint32) uint32 {
	at := &t.slots[t.slot(*t.keys.at(n))]
	if *at != 0 {
		return *at
	}
	*at = n
	return 0
}

// slot returns where the line with this key is, or would be.
func (t *index) slot(key uint64) uint64 {
	mask := uint64(len(t.slots) - 1)
	i := key & mask
	for t.slots[i] != 0 && *t.keys.at(t.slots[i]) != key {
		i = (i + 1) & mask
	}
	return i
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
