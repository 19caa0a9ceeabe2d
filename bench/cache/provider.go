package main

import (
	"time"

	"github.com/trimtab/trimtab/replay"
)

// tokenBytes is how long a token is taken to be.
const tokenBytes = 4

// provider says how a prompt cache works and what it costs. Sizes are bytes.
type provider struct {
	name     string
	block    int  // prefixes are kept in multiples of it; 0 keeps them at marks
	least    int  // no shorter prefix is kept
	lookback int  // blocks of content before a mark in which a kept prefix may end; 0 is all
	own      bool // a note at the end has a mark too
	life     time.Duration
	prices   replay.Prices
}

// span is a block of content of a request: a text, a call, a result.
type span struct {
	bytes int
	hash  uint64
	mark  bool // the client wants the prefix that ends here to be kept
	ours  bool // it is a note
}

// bill is what requests were charged for, in bytes.
type bill struct {
	read, write, plain             int
	oursRead, oursWrite, oursPlain int // of that, notes
}

func (b bill) total() int { return b.read + b.write + b.plain }

// share is how much of the input was read from the cache.
func (b bill) share() float64 {
	if b.total() == 0 {
		return 0
	}
	return float64(b.read) / float64(b.total())
}

// cost is told in tokens of plain input.
func (b bill) cost(p replay.Prices) float64 {
	return (p.Read*float64(b.read) + p.Write*float64(b.write) + float64(b.plain)) / tokenBytes
}

func (b bill) plus(o bill) bill {
	return bill{b.read + o.read, b.write + o.write, b.plain + o.plain, b.oursRead + o.oursRead, b.oursWrite + o.oursWrite, b.oursPlain + o.oursPlain}
}

// memory is what a provider has kept, by the hash of the prefix, and when it was
// last used.
type memory struct {
	provider
	used map[uint64]time.Time
}

func newMemory(p provider) *memory { return &memory{p, map[uint64]time.Time{}} }

func (m *memory) has(key uint64, at time.Time) bool {
	used, ok := m.used[key]
	return ok && at.Sub(used) <= m.life
}

// ask charges for a request and keeps what it should.
func (m *memory) ask(at time.Time, request []span) bill {
	var hit, kept int
	if m.block > 0 {
		hit, kept = m.byBlocks(at, request)
	} else {
		hit, kept = m.byMarks(at, request)
	}
	var b bill
	begin := 0
	for _, s := range request {
		end := begin + s.bytes
		read := max(0, min(end, hit)-begin)
		write := max(0, min(end, kept)-begin-read)
		part := bill{read: read, write: write, plain: s.bytes - read - write}
		if s.ours {
			part.oursRead, part.oursWrite, part.oursPlain = part.read, part.write, part.plain
		}
		b = b.plus(part)
		begin = end
	}
	return b
}

// byMarks finds the longest prefix that is kept within reach of a mark, and
// keeps the prefixes that end at marks.
func (m *memory) byMarks(at time.Time, request []span) (hit, kept int) {
	keys, ends := make([]uint64, len(request)), make([]int, len(request))
	var key uint64
	end := 0
	for i, s := range request {
		key, end = mix(key, s.hash), end+s.bytes
		keys[i], ends[i] = key, end
	}
	for i, s := range request {
		if !s.mark || ends[i] < m.least {
			continue
		}
		kept = ends[i]
		for j := i; j >= 0 && (m.lookback == 0 || i-j <= m.lookback) && ends[j] > hit; j-- {
			if m.has(keys[j], at) {
				hit = ends[j]
			}
		}
	}
	for i, s := range request {
		_, old := m.used[keys[i]]
		if s.mark && ends[i] >= m.least || old && ends[i] <= hit {
			m.used[keys[i]] = at // who reads a prefix uses those inside it
		}
	}
	return hit, kept
}

// byBlocks finds how many blocks from the beginning are kept, and keeps all that
// are full. A block is known by what stands before the span in which it ends,
// that span, and how far into it.
func (m *memory) byBlocks(at time.Time, request []span) (hit, kept int) {
	var before uint64
	begin := 0
	for _, s := range request {
		end := begin + s.bytes
		this := mix(before, s.hash)
		for o := begin/m.block*m.block + m.block; o <= end; o += m.block {
			key := mix(this, uint64(o-begin))
			if m.has(key, at) { // and so is what stands before it
				hit = o
			}
			m.used[key] = at
			kept = o
		}
		before, begin = this, end
	}
	if hit < m.least {
		hit = 0
	}
	if kept < m.least {
		kept = 0
	}
	return hit, kept
}

// mix makes one number of two, which order does not leave the same.
func mix(a, b uint64) uint64 {
	z := a*0x9E3779B97F4A7C15 + b + 0x632BE59BD9B4E019
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
