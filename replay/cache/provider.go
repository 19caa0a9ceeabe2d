package cache

import "time"

// TokenBytes is how long a token is taken to be.
const TokenBytes = 4

// Prices are what a token costs beside one of plain input. Zero values take the
// defaults, which are Anthropic's.
type Prices struct {
	Write float64 `json:"write" default:"1.25" min:"0" max:"10" doc:"price of writing a token to the prompt cache"`
	Read  float64 `json:"read" default:"0.1" min:"0" max:"10" doc:"price of reading a token from the prompt cache"`
}

// Provider says how a prompt cache works and what it costs. Sizes are bytes.
type Provider struct {
	Name     string
	Block    int  // prefixes are kept in multiples of it; 0 keeps them at marks
	Least    int  // no shorter prefix is kept
	Lookback int  // positions at which a kept prefix may end, from a mark backward; 0 is all
	Own      bool // a note at the end has a mark too
	Whole    bool // the client marks the request as a whole: the provider puts the mark on the last block
	Life     time.Duration
	Prices   Prices
}

// Known are the kinds of cache with their prices: "marks" keeps a prefix where
// the client puts a mark, "blocks" keeps every prefix by itself.
func Known() []Provider {
	const life, lookback = 5 * time.Minute, 20
	return []Provider{
		{Name: "marks", Least: 1024 * TokenBytes, Lookback: lookback, Life: life, Prices: Prices{Write: 1.25, Read: 0.1}},
		{Name: "blocks", Block: 128 * TokenBytes, Least: 1024 * TokenBytes, Lookback: lookback, Life: life, Prices: Prices{Write: 1, Read: 0.1}},
	}
}

// Span is a block of content of a request: a text, a call, a result.
type Span struct {
	Bytes int
	Hash  uint64
	Mark  bool // the client wants the prefix that ends here to be kept
	Ours  bool // it is a note
	Row   byte // blocks of one kind in a row are one position to look back; 0 is a position of its own
}

// Bill is what requests were charged for, in bytes.
type Bill struct {
	Read, Write, Plain             int
	OursRead, OursWrite, OursPlain int // of that, notes
}

// Total is all bytes that were sent.
func (b Bill) Total() int { return b.Read + b.Write + b.Plain }

// Share is how much of the input was read from the cache.
func (b Bill) Share() float64 {
	if b.Total() == 0 {
		return 0
	}
	return float64(b.Read) / float64(b.Total())
}

// Cost is told in tokens of plain input.
func (b Bill) Cost(p Prices) float64 {
	return (p.Read*float64(b.Read) + p.Write*float64(b.Write) + float64(b.Plain)) / TokenBytes
}

// Plus adds two bills.
func (b Bill) Plus(o Bill) Bill {
	return Bill{b.Read + o.Read, b.Write + o.Write, b.Plain + o.Plain, b.OursRead + o.OursRead, b.OursWrite + o.OursWrite, b.OursPlain + o.OursPlain}
}

// Cache is what a provider has kept, by the hash of the prefix, and when it was
// last used. It is not safe for use by several goroutines.
type Cache struct {
	Provider
	used map[uint64]time.Time
}

// New returns a cache in which nothing is kept.
func New(p Provider) *Cache { return &Cache{p, map[uint64]time.Time{}} }

func (c *Cache) has(key uint64, at time.Time) bool {
	used, ok := c.used[key]
	return ok && at.Sub(used) <= c.Life
}

// Ask charges for a request and keeps what it should.
func (c *Cache) Ask(at time.Time, request []Span) Bill {
	var hit, kept int
	if c.Block > 0 {
		hit, kept = c.byBlocks(at, request)
	} else {
		hit, kept = c.byMarks(at, request)
	}
	var b Bill
	begin := 0
	for _, s := range request {
		end := begin + s.Bytes
		read := max(0, min(end, hit)-begin)
		write := max(0, min(end, kept)-begin-read)
		part := Bill{Read: read, Write: write, Plain: s.Bytes - read - write}
		if s.Ours {
			part.OursRead, part.OursWrite, part.OursPlain = part.Read, part.Write, part.Plain
		}
		b = b.Plus(part)
		begin = end
	}
	return b
}

// byMarks finds the longest prefix that is kept within reach of a mark, and
// keeps the prefixes that end at marks.
func (c *Cache) byMarks(at time.Time, request []Span) (hit, kept int) {
	keys, ends := make([]uint64, len(request)), make([]int, len(request))
	var key uint64
	end := 0
	for i, s := range request {
		key, end = mix(key, s.Hash), end+s.Bytes
		keys[i], ends[i] = key, end
	}
	for i, s := range request {
		if !s.Mark || ends[i] < c.Least {
			continue
		}
		kept = ends[i]
		positions := 0
		for j := i; j >= 0 && ends[j] > hit; j-- {
			if j == i || request[j].Row == 0 || request[j].Row != request[j+1].Row {
				positions++
			}
			if c.Lookback > 0 && positions > c.Lookback {
				break
			}
			if c.has(keys[j], at) {
				hit = ends[j]
			}
		}
	}
	for i, s := range request {
		_, old := c.used[keys[i]]
		if s.Mark && ends[i] >= c.Least || old && ends[i] <= hit {
			c.used[keys[i]] = at // who reads a prefix uses those inside it
		}
	}
	return hit, kept
}

// byBlocks finds how many blocks from the beginning are kept, and keeps all that
// are full. A block is known by what stands before the span in which it ends,
// that span, and how far into it.
func (c *Cache) byBlocks(at time.Time, request []Span) (hit, kept int) {
	var before uint64
	begin := 0
	for _, s := range request {
		end := begin + s.Bytes
		this := mix(before, s.Hash)
		for o := begin/c.Block*c.Block + c.Block; o <= end; o += c.Block {
			key := mix(this, uint64(o-begin))
			if c.has(key, at) { // and so is what stands before it
				hit = o
			}
			c.used[key] = at
			kept = o
		}
		before, begin = this, end
	}
	if hit < c.Least {
		hit = 0
	}
	if kept < c.Least {
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
