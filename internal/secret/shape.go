package secret

import (
	"fmt"
	"strconv"
	"strings"
)

// shape is the form of a token: runs of characters, one after the other. It is
// read greedily and never steps back, so it takes as long as what it reads. Its
// notation is the part of regular expressions that this allows: letters for
// themselves, [a-f0-9] for a set, {32} and {10,99} for how many.
type shape []run

type run struct {
	set      set
	min, max int
}

// set is a set of bytes.
type set [4]uint64

func (s *set) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *set) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// newSet reads the inside of brackets: "a-z0-9_-".
func newSet(text string) (s set) {
	for i := 0; i < len(text); i++ {
		if i+2 < len(text) && text[i+1] == '-' && text[i] < text[i+2] { // what runs backwards is three characters
			for c := int(text[i]); c <= int(text[i+2]); c++ {
				s.add(byte(c))
			}
			i += 2
			continue
		}
		s.add(text[i])
	}
	return s
}

func newShape(text string) (shape, error) {
	var out shape
	for rest := text; rest != ""; {
		r := run{min: 1, max: 1}
		if inside, after, ok := strings.Cut(rest[1:], "]"); ok && rest[0] == '[' {
			r.set, rest = newSet(inside), after
		} else {
			r.set.add(rest[0])
			rest = rest[1:]
		}
		if strings.HasPrefix(rest, "{") {
			count, after, ok := strings.Cut(rest[1:], "}")
			low, high, two := strings.Cut(count, ",")
			if !two {
				high = low
			}
			var err1, err2 error
			r.min, err1 = strconv.Atoi(low)
			r.max, err2 = strconv.Atoi(high)
			if !ok || err1 != nil || err2 != nil || r.min > r.max {
				return nil, fmt.Errorf("shape %q: %q is no count", text, count)
			}
			rest = after
		}
		out = append(out, r)
	}
	return out, nil
}

// match returns where the shape ends that begins at i.
func (s shape) match(text string, i int) (end int, ok bool) {
	for k := range s {
		r, n := &s[k], 0
		for n < r.max && i < len(text) && r.set.has(text[i]) {
			i, n = i+1, n+1
		}
		if n < r.min {
			return 0, false
		}
	}
	return i, true
}

// before returns where the shape begins that ends at i.
func (s shape) before(text string, i int) (start int, ok bool) {
	for k := len(s) - 1; k >= 0; k-- {
		r, n := &s[k], 0
		for n < r.max && i > 0 && r.set.has(text[i-1]) {
			i, n = i-1, n+1
		}
		if n < r.min {
			return 0, false
		}
	}
	return i, true
}
