package loop

import (
	"cmp"
	"math/bits"
	"slices"
)

// sketch is a set of features, of words or of runs of words, reduced to its
// smallest hashes: a bottom-k MinHash. Of a set of at most sketchSize features it
// keeps all, so that the comparison of two small ones is exact.
type sketch struct {
	hash []uint32  // ascending, each once
	bits [2]uint64 // a bit for each hash: what two sketches share, they share here
	lost int       // hashes that found their bit taken
	part bool      // the set has more features than were kept
}

const sketchSize = 64

// pile gathers the hashes of a set and keeps the smallest.
type pile struct {
	hash [pileSize]uint32
	n    int
	part bool
}

const pileSize = 512

func (p *pile) take(h uint32) {
	if p.n == pileSize {
		p.sort()
	}
	p.hash[p.n] = h
	p.n++
}

// sketch is what was gathered.
func (p *pile) sketch() sketch {
	p.sort()
	s := sketch{hash: slices.Clone(p.hash[:p.n]), part: p.part}
	s.seal()
	return s
}

// sort leaves the smallest hashes, in order and each once. Hashes are spread
// evenly, so that a bucket for each first byte holds few of them.
func (p *pile) sort() {
	var from [257]uint16
	for _, h := range p.hash[:p.n] {
		from[h>>24+1]++
	}
	for b := range 256 {
		from[b+1] += from[b]
	}
	var spread [pileSize]uint32
	next := from
	for _, h := range p.hash[:p.n] {
		spread[next[h>>24]] = h
		next[h>>24]++
	}
	all := p.n
	p.n = 0
	for b := 0; int(from[b]) < all; b++ {
		bucket := spread[from[b]:from[b+1]]
		slices.Sort(bucket)
		for _, h := range bucket {
			switch {
			case p.n > 0 && p.hash[p.n-1] == h:
			case p.n == sketchSize:
				p.part = true
				return
			default:
				p.hash[p.n] = h
				p.n++
			}
		}
	}
}

// seal sets the bits, once all hashes are taken.
func (s *sketch) seal() {
	for _, h := range s.hash {
		s.bits[h>>6&1] |= 1 << (h & 63)
	}
	s.lost = len(s.hash) - s.count()
}

func (s *sketch) count() int { return bits.OnesCount64(s.bits[0]) + bits.OnesCount64(s.bits[1]) }

// near reports whether the two are more alike than the threshold. The bits tell
// first, in a few instructions, that most are not: two sketches share at most the
// bits they share, and the hashes that found their bit taken.
func (s *sketch) near(o *sketch, above float64) bool {
	shared := bits.OnesCount64(s.bits[0]&o.bits[0]) + bits.OnesCount64(s.bits[1]&o.bits[1]) + min(s.lost, o.lost)
	small, large := min(len(s.hash), len(o.hash)), max(len(s.hash), len(o.hash))
	shared = min(shared, small)
	// The estimate is shared of large + small - shared, or of sketchSize where
	// that is less.
	if all := min(large+small-shared, sketchSize); float64(shared) <= above*float64(all) {
		return false
	}
	return s.like(o) > above
}

// like estimates the Jaccard similarity of the two sets. Empty sets are like
// nothing.
func (s *sketch) like(o *sketch) float64 {
	most := sketchSize
	if !s.part && !o.part {
		most = len(s.hash) + len(o.hash) // all of both is known
	}
	i, j, all, shared := 0, 0, 0, 0
	for all < most && (i < len(s.hash) || j < len(o.hash)) {
		switch {
		case j == len(o.hash):
			i++
		case i == len(s.hash):
			j++
		default:
			switch cmp.Compare(s.hash[i], o.hash[j]) {
			case 0:
				i, j, shared = i+1, j+1, shared+1
			case -1:
				i++
			default:
				j++
			}
		}
		all++
	}
	if all == 0 {
		return 0
	}
	return float64(shared) / float64(all)
}
