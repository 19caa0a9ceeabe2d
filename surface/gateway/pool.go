package gateway

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// bufferPool holds free buffers for large bodies by size class. Agents send their
// whole history with each request: what one request released the next one uses.
// Without it a request of 2 MB takes a third more time.
type bufferPool struct {
	classes [5*steps + 1]sync.Pool
}

const (
	smallest = 256 << 10 // what is smaller is left to the garbage collector
	largest  = 8 << 20   // and so is what is larger
	steps    = 4         // classes between a power of two and the next
)

// buffer holds the bytes of a request. The ledger and a request on its way may hold
// it at once; the last to release it gives it back to the pool.
type buffer struct {
	b     []byte
	refs  atomic.Int32
	class *sync.Pool // nil: it is not used again
}

// sizeClass returns the class with buffers of at least this size, and their size.
func sizeClass(size int) (class, capacity int) {
	power := bits.Len(uint(size)) - 1
	step := 1 << power / steps
	n := (size - 1<<power + step - 1) / step
	return (power-bits.Len(smallest)+1)*steps + n, 1<<power + n*step
}

// get returns an empty buffer with capacity for size bytes, held once.
func (p *bufferPool) get(size int) *buffer {
	if size < smallest || size > largest {
		b := &buffer{b: make([]byte, 0, size)}
		b.refs.Store(1)
		return b
	}
	class, capacity := sizeClass(size)
	b, ok := p.classes[class].Get().(*buffer)
	if !ok {
		b = &buffer{b: make([]byte, 0, capacity), class: &p.classes[class]}
	}
	b.b = b.b[:0]
	b.refs.Store(1)
	return b
}

// retain adds a holder.
func (b *buffer) retain() *buffer {
	if b != nil {
		b.refs.Add(1)
	}
	return b
}

// release gives up a hold. Nobody who released a buffer may look at its bytes.
func (b *buffer) release() {
	if b != nil && b.refs.Add(-1) == 0 && b.class != nil {
		b.class.Put(b)
	}
}
