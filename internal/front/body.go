package front

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// body is the body of a request. It knows whether all of it was read, and lets
// nobody read after the reply is over.
type body struct {
	conn  *conn
	reply *reply
	from  *http.Request // as it was read
	to    *http.Request // as the handler has it
	asks  bool          // the client waits to be asked for it

	mu     sync.Mutex
	inner  io.Reader
	rest   int64 // of a known length; below 0 is unknown
	eof    bool
	broken bool // what follows cannot be told from a request
	closed bool
}

// maxDrain is how much of a body is read that the handler did not want, to keep
// the connection.
const maxDrain = 256 << 10

func newBody(c *conn, w *reply, from, to *http.Request) *body {
	return &body{conn: c, reply: w, from: from, to: to, asks: w.asks, inner: from.Body, rest: from.ContentLength}
}

// Read reads some of it. The client is told to go on where it waits for that.
func (b *body) Read(p []byte) (int, error) {
	if b.asks {
		b.reply.goOn()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.read(p)
}

func (b *body) read(p []byte) (int, error) {
	if b.eof {
		return 0, io.EOF
	}
	n, err := b.inner.Read(p)
	if b.rest > 0 {
		b.rest -= int64(n)
	}
	if errors.Is(err, io.EOF) {
		b.eof = true
		b.to.Trailer = b.from.Trailer
		b.conn.bodyRead()
	} else if err != nil {
		b.broken = true
	}
	return n, err
}

// Close is called by a handler that wants no more of it.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}

// finish is called when the reply is over.
func (b *body) finish() { _ = b.Close() }

// whole reports whether all of it was read.
func (b *body) whole() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.eof
}

// drain reads what is left, if that is not much, and reports whether nothing is.
func (b *body) drain() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.eof || b.broken || b.rest >= maxDrain {
		return b.eof
	}
	_, _ = io.CopyN(io.Discard, readerFunc(b.read), maxDrain+1)
	return b.eof
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
