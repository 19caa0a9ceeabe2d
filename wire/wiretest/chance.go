package wiretest

import "math/bits"

// Chance is a stream of numbers that a seed decides.
type Chance struct{ state uint64 }

// NewChance returns the stream of a seed.
func NewChance(seed uint64) *Chance { return &Chance{state: seed*0x9E3779B97F4A7C15 + 1} }

func (c *Chance) next() uint64 {
	c.state += 0x9E3779B97F4A7C15
	z := c.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// N is a number below n.
func (c *Chance) N(n int) int {
	hi, _ := bits.Mul64(c.next(), uint64(n))
	return int(hi)
}

// One is true once in n times.
func (c *Chance) One(n int) bool { return c.N(n) == 0 }

// Pick is one of several.
func Pick[T any](c *Chance, of ...T) T { return of[c.N(len(of))] }

// shuffle changes the order of a list.
func shuffle[T any](c *Chance, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := c.N(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}
