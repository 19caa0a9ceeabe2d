package gateway

import (
	"bytes"
	"context"
	"io"
	"math/bits"
	"net"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// buffer holds the bytes of a body. Requests are large and come one after the
// other, so what one gave back the next one uses. Several may hold a buffer at
// once, the ledger and a request on its way: the last to release it gives it back.
type buffer struct {
	b    []byte
	held atomic.Int32
	home *sync.Pool // nil: it is not used again
}

const (
	least = 4 << 10
	most  = 8 << 20 // what is larger is left to the garbage collector
	steps = 4       // sizes between a power of two and the next
)

// stock are buffers that nobody holds, by size.
type stock struct {
	shelves [11*steps + 1]sync.Pool
}

// shelfOf returns which shelf has buffers of at least this size, and how large
// they are.
func shelfOf(size int) (i, room int) {
	size = max(size, least)
	power := bits.Len(uint(size)) - 1 // of two, not above size
	step := 1 << power / steps
	n := (size - 1<<power + step - 1) / step
	return (power-bits.Len(least)+1)*steps + n, 1<<power + n*step
}

// get returns an empty buffer with room for size bytes, held once.
func (s *stock) get(size int) *buffer {
	if size > most {
		b := &buffer{b: make([]byte, 0, size)}
		b.held.Store(1)
		return b
	}
	i, room := shelfOf(size)
	home := &s.shelves[i]
	b, ok := home.Get().(*buffer)
	if !ok {
		b = &buffer{b: make([]byte, 0, room), home: home}
	}
	b.b = b.b[:0]
	b.held.Store(1)
	return b
}

// hold adds one who holds the buffer.
func (b *buffer) hold() *buffer {
	if b != nil {
		b.held.Add(1)
	}
	return b
}

// release gives up a hold. Nobody who released a buffer may look at its bytes.
func (b *buffer) release() {
	if b != nil && b.held.Add(-1) == 0 && b.home != nil {
		b.home.Put(b)
	}
}

// leave gives up a hold of bytes that somebody unknown may still read: they are
// not used again.
func (b *buffer) leave() {
	if b != nil {
		b.home = nil
	}
}

// parcel is a body on its way to a provider: runs of buffers, which it holds.
type parcel struct {
	pieces [][]byte
	size   int
	held   [2]*buffer
}

// plain is a body as it came, in a buffer that somebody else holds; nil is none.
func plain(b *buffer) *parcel {
	p := &parcel{}
	if b != nil && len(b.b) > 0 {
		p.pieces, p.size, p.held = [][]byte{b.b}, len(b.b), [2]*buffer{b.hold()}
	}
	return p
}

// become makes it another body: pieces of a buffer that somebody else holds, and
// of one that is its own from now on.
func (p *parcel) become(pieces [][]byte, body, notes *buffer) {
	held := [2]*buffer{body.hold(), notes}
	p.release(true)
	p.pieces, p.size, p.held = pieces, 0, held
	for _, piece := range pieces {
		p.size += len(piece)
	}
}

// reader returns the body for one who reads it, from its beginning.
func (p *parcel) reader() io.ReadCloser {
	rest := append(net.Buffers(nil), p.pieces...)
	return io.NopCloser(&rest)
}

// release gives up what it holds. Nobody may look at it after that; where it is
// not known that nobody does, the buffers are not used again.
func (p *parcel) release(unread bool) {
	for i, b := range p.held {
		if b != nil && !unread {
			b.leave()
		}
		b.release()
		p.held[i] = nil
	}
	p.pieces = nil
}

// readAll reads up to limit bytes into a buffer of about the size expected.
func (s *stock) readAll(r io.Reader, expected, limit int) (*buffer, error) {
	b := s.get(expected + bytes.MinRead)
	for {
		if len(b.b) == cap(b.b) {
			more := s.get(2 * cap(b.b))
			more.b = append(more.b, b.b...)
			b.release()
			b = more
		}
		room := min(cap(b.b), limit)
		if len(b.b) == room {
			return b, nil
		}
		n, err := r.Read(b.b[len(b.b):room])
		b.b = b.b[:len(b.b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			b.release()
			return nil, err
		}
	}
}

// watch counts the tries to send a body, and those that have ended: the carrier
// may be reading it still after the reply has come.
type watch struct{ begun, ended atomic.Int32 }

func (w *watch) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { w.begun.Add(1) },
		WroteRequest: func(httptrace.WroteRequestInfo) { w.ended.Add(1) },
	})
}

// over reports whether nobody reads the body any more.
func (w *watch) over() bool { return w.ended.Load() == w.begun.Load() }

// wide is a connection that takes a whole body at once where it lies in memory,
// instead of 32 KB at a time.
type wide struct{ *net.TCPConn }

// ReadFrom is called by the carrier with what is left of a body of known length.
func (c wide) ReadFrom(r io.Reader) (int64, error) {
	if rest, ok := r.(*io.LimitedReader); ok {
		if body, ok := rest.R.(io.WriterTo); ok {
			n, err := body.WriteTo(c.TCPConn)
			rest.N -= n
			return n, err
		}
	}
	return c.TCPConn.ReadFrom(r)
}

// dialWide dials, for a carrier.
func dialWide(d net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		if tcp, ok := c.(*net.TCPConn); ok && err == nil {
			return wide{tcp}, nil
		}
		return c, err
	}
}
