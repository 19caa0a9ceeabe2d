package gateway

import (
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// How long a client may stand still. A request that does not arrive and a reply
// that is not taken hold memory and a connection to the provider; a whole reply may
// take hours, so what is limited is the time in which no byte moves.
const (
	readStall  = time.Minute
	writeStall = 10 * time.Minute
)

// How much memory a request may get before any of its bytes have come, and with the
// first of them.
const (
	silentRead = 512
	firstRead  = 256 << 10
)

// readBody reads up to limit bytes. The buffer grows with what arrives, never with
// what Content-Length promises: a thousand connections that promise much and send
// nothing must cost next to nothing.
func (p *bufferPool) readBody(r io.Reader, promised int64, limit int) (*buffer, error) {
	size := int64(firstRead)
	if promised >= 0 {
		size = min(promised+1, firstRead) // one more, so that the end is seen without growing
	}
	var head [silentRead]byte // many connections may be silent at once
	came, err := r.Read(head[:min(silentRead, limit)])
	if err != nil && err != io.EOF {
		return nil, err
	}
	b := p.get(int(min(max(size, int64(came)), int64(limit))))
	if b.b = append(b.b, head[:came]...); err == io.EOF {
		return b, nil
	}
	for len(b.b) < limit {
		if len(b.b) == cap(b.b) {
			size := 16 * cap(b.b)
			if known := promised + 1; known > int64(cap(b.b)) && known < int64(size) {
				size = int(known)
			}
			larger := p.get(min(size, limit))
			larger.b = append(larger.b, b.b...)
			b.release()
			b = larger
		}
		n, err := r.Read(b.b[len(b.b):min(cap(b.b), limit)])
		b.b = b.b[:len(b.b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			b.release()
			return nil, err
		}
	}
	return b, nil
}

// stallReader fails when no byte of a request has come for a while, or when they come so
// slowly that somebody means to hold a connection and memory for as long as they like.
type stallReader struct {
	io.Reader
	conn  *http.ResponseController
	begun time.Time
	set   time.Time // when the deadline was last set
	came  int64     // bytes so far
}

// slowest is the rate in bytes a second below which a request is not waited for longer
// than it may stand still.
const slowest = 1 << 10

func (r *stallReader) Read(p []byte) (int, error) {
	if now := time.Now(); now.Sub(r.set) > readStall/10 { // not for each of many small reads
		if r.begun.IsZero() {
			r.begun = now
		}
		r.set = now
		end, whole := now.Add(readStall), r.begun.Add(readStall+time.Duration(r.came)*time.Second/slowest)
		if whole.Before(end) {
			end = whole
		}
		_ = r.conn.SetReadDeadline(end) // what has no deadlines has no connection either
	}
	n, err := r.Reader.Read(p)
	r.came += int64(n)
	if err == io.EOF { // the server goes on reading, to learn when the client hangs up
		_ = r.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

// outgoing is a body on its way to a provider: runs of the bytes that came, and of
// the notes put between them. It holds the buffer that they lie in until release.
type outgoing struct {
	pieces [][]byte
	size   int
	from   *buffer
}

func newOutgoing(from *buffer, pieces ...[]byte) outgoing {
	o := outgoing{pieces: pieces, from: from.retain()}
	for _, p := range pieces {
		o.size += len(p)
	}
	return o
}

func (o outgoing) release() { o.from.release() }

// into makes it the body of a request, which can be sent again.
func (o outgoing) into(r *http.Request) {
	r.Body, r.ContentLength = o.reader(), int64(o.size)
	r.GetBody = func() (io.ReadCloser, error) { return o.reader(), nil }
}

// reader reads the body from its beginning, and holds the buffer until it is
// closed: a transport may read on after the reply has come, and closes a body when
// it is done with it.
func (o outgoing) reader() io.ReadCloser {
	return &outgoingReader{left: slices.Clone(o.pieces), from: o.from.retain()}
}

type outgoingReader struct {
	mu   sync.Mutex // HTTP/2 closes a body that it gives up while it may be reading
	left net.Buffers
	from *buffer
}

func (r *outgoingReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left.Read(p)
}

func (r *outgoingReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = nil
	r.from.release()
	r.from = nil
	return nil
}
