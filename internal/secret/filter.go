package secret

// filter finds many words in one pass over a text: the automaton of Aho and
// Corasick, with the bytes that no word holds folded into one column and the
// states that end a word numbered last, so that the inner loop is two loads and
// one comparison a byte.
type filter struct {
	column [256]uint16
	shift  uint
	next   []uint16 // state<<shift | column
	ends   uint16   // the first state that ends a word
	words  [][]int32
}

// most is the largest number of states that the table's cells can name.
const most = 1 << 16

// newFilter makes a filter of words. It reports false where they are too many.
func newFilter(words []string) (*filter, bool) {
	f := &filter{}
	columns := 1
	for _, w := range words {
		for i := range len(w) {
			if f.column[w[i]] == 0 {
				f.column[w[i]] = uint16(columns) // at most 256
				columns++
			}
		}
	}
	for 1<<f.shift < columns {
		f.shift++
	}
	t := newTrie(f, words)
	if len(t.ends) > most {
		return nil, false
	}
	t.link(columns)
	f.number(t)
	return f, true
}

// trie is the automaton while it is made.
type trie struct {
	f    *filter
	next []int32
	ends [][]int32 // the words that end in a state
}

func newTrie(f *filter, words []string) *trie {
	t := &trie{f: f}
	t.grow()
	for n, w := range words {
		state := int32(0)
		for i := range len(w) {
			cell := int(state)<<f.shift | int(f.column[w[i]])
			if t.next[cell] == 0 {
				fresh := t.grow() // may move next
				t.next[cell] = fresh
			}
			state = t.next[cell]
		}
		t.ends[state] = append(t.ends[state], int32(n)) // the words are counted in thousands
	}
	return t
}

func (t *trie) grow() int32 {
	t.next = append(t.next, make([]int32, 1<<t.f.shift)...)
	t.ends = append(t.ends, nil)
	return int32(len(t.ends) - 1) // bounded by the length of the words
}

// link fills every missing step with the step of the longest suffix, breadth
// first, and gives each state the words that end in its suffixes.
func (t *trie) link(columns int) {
	fail := make([]int32, len(t.ends))
	var queue []int32
	for c := range columns {
		if s := t.next[c]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		t.ends[s] = append(t.ends[s], t.ends[fail[s]]...)
		for c := range columns {
			cell := int(s)<<t.f.shift | c
			suffix := t.next[int(fail[s])<<t.f.shift|c]
			if d := t.next[cell]; d != 0 {
				fail[d] = suffix
				queue = append(queue, d)
			} else {
				t.next[cell] = suffix
			}
		}
	}
}

// number copies the table with the states that end a word last.
func (f *filter) number(t *trie) {
	name := make([]uint16, len(t.ends))
	id := uint16(0)
	for _, ending := range []bool{false, true} {
		if ending {
			f.ends = id
		}
		for s, words := range t.ends {
			if (len(words) > 0) == ending {
				name[s] = id
				id++
				if ending {
					f.words = append(f.words, words)
				}
			}
		}
	}
	f.next = make([]uint16, len(t.next))
	width := 1 << f.shift
	for s := range t.ends {
		for c := range width {
			f.next[int(name[s])<<f.shift|c] = name[t.next[s<<f.shift|c]]
		}
	}
}

// each calls hit with the end of every place at which words end. The root is
// state 0: it ends nothing, so it keeps its number.
func (f *filter) each(text string, hit func(end int, words []int32)) {
	state, ends, shift := uint16(0), f.ends, f.shift
	next := f.next
	for i := range len(text) {
		state = next[int(state)<<shift|int(f.column[text[i]])]
		if state >= ends {
			hit(i+1, f.words[state-ends])
		}
	}
}
