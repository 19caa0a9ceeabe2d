package front

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// reply is the http.ResponseWriter of one request. What the handler writes is held
// until there is enough of it, or it is flushed, or the handler is through; then it
// leaves in one piece, the first time with the head before it.
type reply struct {
	conn   *conn
	body   *body // of the request; nil where there is none
	isHead bool  // the request wants no body
	new    bool  // the client speaks HTTP/1.1
	lasts  bool  // it speaks HTTP/1.0 and wants the connection to last
	leaves bool  // it wants it to be closed
	asks   bool  // it waits to be asked for the body of its request
	unmet  bool  // it expects what nobody can do

	mu      sync.Mutex
	header  http.Header
	status  int   // 0 before it is decided
	said    said  // what the handler said in its header then
	length  int64 // of the body, where it is known; else below 0
	written int64
	out     *sheet // the head, until it leaves
	held    *sheet // some of the body
	sent    bool   // the head has left
	chunked bool
	closes  bool // the connection is not used again
	limits  bool // the handler set a deadline
	over    bool
	err     error // of the connection
}

const (
	hold  = 2 << 10 // bytes of a body that are held, as many as net/http holds
	whole = 8 << 10 // of one that are copied together; of more, each piece is written from where it is
)

func newReply(c *conn, r *http.Request) *reply {
	w := &reply{conn: c, header: make(http.Header, 8), length: -1, isHead: r.Method == http.MethodHead, new: r.ProtoAtLeast(1, 1)}
	connection := first(r.Header, "Connection")
	w.leaves = r.Close || connection != "" && hasToken(connection, "close")
	w.lasts = r.ProtoMajor == 1 && r.ProtoMinor == 0 && hasToken(connection, "keep-alive")
	if expects := first(r.Header, "Expect"); expects != "" {
		known := hasToken(expects, "100-continue")
		w.asks, w.unmet = known && w.new && r.ContentLength != 0, !known
	}
	return w
}

// Header is the header of the reply, until that is written.
func (w *reply) Header() http.Header { return w.header }

// WriteHeader decides the status. A status below 200 is sent at once, and another
// follows.
func (w *reply) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case code < 100 || code > 999:
		panic(fmt.Sprintf("front: status %d", code))
	case w.over || w.status != 0:
		w.conn.server.log().Warn("a handler wrote the head of its reply twice", "status", code)
	case code <= 199 && code != http.StatusSwitchingProtocols:
		w.asks = w.asks && code != http.StatusContinue
		w.inform(code)
	default:
		w.decide(code)
	}
}

// Write writes to the body.
func (w *reply) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return 0, errOver
	}
	if w.status == 0 {
		w.decide(http.StatusOK)
	}
	switch {
	case len(p) == 0:
		return 0, nil
	case !bodyAllowed(w.status):
		return 0, http.ErrBodyNotAllowed
	case w.err != nil:
		return 0, w.err
	}
	w.written += int64(len(p))
	if w.length >= 0 && w.written > w.length {
		return 0, http.ErrContentLength
	}
	if w.holding()+len(p) > hold {
		w.send(p, false)
	} else {
		if w.held == nil {
			w.held = w.conn.server.sheet()
		}
		w.held.b = append(w.held.b, p...)
	}
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

var errOver = errors.New("front: the reply is over")

// Flush sends what is held.
func (w *reply) Flush() { _ = w.FlushError() }

// FlushError sends what is held.
func (w *reply) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return errOver
	}
	if w.status == 0 {
		w.decide(http.StatusOK)
	}
	if !w.sent || w.holding() > 0 {
		w.send(nil, false)
	}
	return w.err
}

// SetReadDeadline is for http.ResponseController. It ends with the reply.
func (w *reply) SetReadDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limits = true
	return w.conn.rwc.SetReadDeadline(t)
}

// SetWriteDeadline is for http.ResponseController. It ends with the reply.
func (w *reply) SetWriteDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limits = true
	return w.conn.rwc.SetWriteDeadline(t)
}

func (w *reply) holding() int {
	if w.held == nil {
		return 0
	}
	return len(w.held.b)
}

// send sends what is held and p, after the head where that has not left. The last
// piece ends the body.
func (w *reply) send(p []byte, last bool) {
	s := w.conn.server
	if !w.sent {
		w.complete(p, last)
	}
	out := w.out
	if out == nil {
		out = s.sheet()
	}
	var held []byte
	if w.held != nil {
		held = w.held.b
	}
	size := len(held) + len(p)
	var end []byte
	if w.isHead || !bodyAllowed(w.status) {
		held, p, size = nil, nil, 0
	} else if w.chunked {
		if size > 0 {
			out.b, end = append(strconv.AppendUint(out.b, uint64(size), 16), lineEnd...), lineEnd
		}
		if last {
			end = w.lastChunk(size > 0)
		}
	}
	if size <= whole {
		out.b = append(append(append(out.b, held...), p...), end...)
		if len(out.b) > 0 {
			w.tell(w.conn.rwc.Write(out.b))
		}
	} else {
		pieces := net.Buffers{out.b, held, p, end}
		_, err := pieces.WriteTo(w.conn.rwc)
		w.tell(0, err)
	}
	s.giveBack(out)
	s.giveBack(w.held)
	w.out, w.held = nil, nil
}

var (
	lineEnd   = []byte("\r\n")
	lastChunk = []byte("\r\n0\r\n\r\n")
)

// lastChunk ends a body, after a chunk or not.
func (w *reply) lastChunk(after bool) []byte {
	end := lastChunk
	if h := w.trailer(); h != nil {
		end = slices.Clone(end[:len(end)-len(lineEnd)])
		end, _ = appendHeader(end, h, http.StatusOK)
		end = append(end, lineEnd...)
	}
	if !after {
		end = end[len(lineEnd):]
	}
	return end
}

// tell is called with the result of a write.
func (w *reply) tell(_ int, err error) {
	if err != nil {
		w.err = err
		w.conn.hungUp()
	}
}

// finish ends the reply when the handler is through, and reports whether the
// connection can be used again.
func (w *reply) finish() (again bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		w.decide(http.StatusOK)
	}
	if !w.sent || w.holding() > 0 || w.chunked {
		w.send(nil, true)
	}
	w.over = true
	if w.limits {
		_ = w.conn.rwc.SetDeadline(time.Time{})
	}
	cut := w.length >= 0 && w.length != w.written && !w.isHead && bodyAllowed(w.status)
	return w.err == nil && !w.closes && !cut
}

// drop ends a reply whose handler panicked.
func (w *reply) drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
}

// fail answers an expectation that nobody can meet.
func (w *reply) fail() {
	w.header.Set("Connection", "close")
	w.WriteHeader(http.StatusExpectationFailed)
}
