package jsonl

// maxCounts is how many numbers Counts has room for.
const maxCounts = 5

// Counts reads objects of numbers, such as what a provider counted, which come in few
// shapes. It knows nothing of what is wrong with one: that is for whoever walks it.
type Counts struct {
	apart Apart[bool]
	found counts
}

// NewCounts returns a reader of the numbers with these names, five at most.
func NewCounts(names ...string) *Counts { return &Counts{found: counts{names: names}} }

// Read returns the numbers in the order of the names; those that v has not are 0. It
// is not ok where v is no object, or says one of them twice, or not as a whole number.
func (n *Counts) Read(v []byte) (all [maxCounts]int, ok bool) {
	if n == nil || n.apart.Line(v, &n.found) != nil || n.found.odd {
		return all, false
	}
	for i, v := range n.found.values {
		k, err := Int(v)
		if err != nil {
			return all, false
		}
		all[i] = k
	}
	return all, true
}

// counts is one such object, taken apart.
type counts struct {
	names  []string
	values [maxCounts][]byte
	odd    bool // a number stands there twice
}

// Facts is for Apart, as what follows is.
func (n *counts) Facts() bool { return n.odd }

// Become makes it an object without values.
func (n *counts) Become(odd bool) { n.values, n.odd = [maxCounts][]byte{}, odd }

// Values are where its values are kept.
func (n *counts) Values(to []*[]byte) []*[]byte {
	for i := range n.values {
		to = append(to, &n.values[i])
	}
	return to
}

// Parse goes through the fields of the object.
func (n *counts) Parse(c *Cursor) (same bool, err error) {
	for c.Field() {
		for i, name := range n.names {
			if string(c.Key) == name {
				n.odd = n.odd || n.values[i] != nil
				n.values[i] = c.Take()
			}
		}
	}
	return true, c.Err()
}
