package front

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// conn is one connection. Its goroutine reads a request, runs the handler, and
// waits for the next.
type conn struct {
	server *Server
	rwc    net.Conn
	remote string
	base   context.Context
	in     *bufio.Reader // nil while nothing is to be read
	left   int           // bytes that may come yet of a head; below 0 is no limit
	hosts  hosts
	posted bool  // the last request was a POST
	body   *body // of the request under way; nil where there is none
	mark   atomic.Uint32
	watch  watch
	sweep  sweep
}

// A mark says what a connection does, and counts how often that has changed.
const (
	fresh   = iota // nothing came yet
	idle           // waits for another request
	heading        // the head of one is coming
	running        // the handler is called
	over           // somebody else has closed it
	marks   = 8
)

func newConn(s *Server, rwc net.Conn) *conn {
	c := &conn{server: s, rwc: rwc, left: -1}
	if a := rwc.RemoteAddr(); a != nil {
		c.remote = a.String()
	}
	c.base = context.WithValue(context.Background(), http.LocalAddrContextKey, rwc.LocalAddr())
	return c
}

// turn goes on to the next mark, unless the connection was closed.
func (c *conn) turn(to uint32) bool {
	was := c.mark.Load()
	return was%marks != over && c.mark.CompareAndSwap(was, was-was%marks+marks+to)
}

// dismiss closes a connection on which no request is under way.
func (c *conn) dismiss() {
	if was := c.mark.Load(); was%marks <= idle && c.mark.CompareAndSwap(was, over) {
		_ = c.rwc.Close()
	}
}

func (c *conn) serve() {
	defer c.end()
	for first := true; c.await(first); first = false {
		r, err := c.read()
		if err != nil {
			c.refuse(err)
			return
		}
		if !c.turn(running) || !c.answer(r) || !c.turn(idle) || c.server.ending.Load() {
			return
		}
	}
}

// end closes the connection, and waits for those who read from it.
func (c *conn) end() {
	_ = c.rwc.Close()
	c.unwatch()
	if c.body != nil {
		c.body.finish()
	}
	c.restReader()
	c.server.forget(c)
}

// restReader gives the reader back where nothing is left in it.
func (c *conn) restReader() {
	if c.in != nil {
		c.in.Reset(nil)
		c.server.readers.Put(c.in)
		c.in = nil
	}
}

// await waits for the first bytes of a request.
func (c *conn) await(first bool) bool {
	if c.in == nil {
		c.in = c.server.reader(c)
	}
	enough := 4 // fewer are no request
	if first {
		enough = 1
	}
	_, err := c.in.Peek(enough)
	return err == nil && c.turn(heading)
}

// Read reads from the connection for the connection's own reader.
func (c *conn) Read(b []byte) (n int, err error) {
	if c.left >= 0 {
		if c.left == 0 {
			return 0, io.EOF
		}
		b = b[:min(len(b), c.left)]
	}
	if c.watch.has && len(b) > 0 { // nobody watches now
		b[0], n, c.watch.has = c.watch.kept[0], 1, false
	} else if n, err = c.rwc.Read(b); err != nil {
		c.hungUp()
	}
	if c.left >= 0 {
		c.left -= n
		c.hosts.feed(b[:n])
	}
	return n, err
}

// answer has the handler answer a request and reports whether another may come.
func (c *conn) answer(r *http.Request) (again bool) {
	ctx, cancel := context.WithCancel(c.base)
	w := newReply(c, r)
	in := r
	r = r.WithContext(ctx)
	r.RemoteAddr = c.remote
	if in.Body != http.NoBody {
		c.body = newBody(c, w, in, r)
		w.body, r.Body = c.body, c.body
	} else {
		c.body = nil
	}
	c.begin(cancel, c.body == nil)
	if w.unmet {
		w.fail()
	} else if !c.handle(w, r) {
		return false
	}
	again = w.finish()
	c.unwatch()
	if !again && c.body != nil && !c.body.whole() {
		_ = c.rwc.SetReadDeadline(past)
		c.body.finish()
		c.linger()
	}
	return again
}

// handle calls the handler. One that panics has its reply cut.
func (c *conn) handle(w *reply, r *http.Request) (whole bool) {
	defer func() {
		if whole {
			return
		}
		w.drop()
		p := recover()
		if err, ok := p.(error); p == nil || ok && errors.Is(err, http.ErrAbortHandler) {
			return
		}
		text := fmt.Sprintf("a value of type %T", p) // it may hold what a request holds
		if err, ok := p.(runtime.Error); ok {
			text = err.Error()
		}
		c.server.log().Error("a handler panicked; its reply was cut", "panic", text, "stack", string(debug.Stack()))
	}()
	c.server.Handler.ServeHTTP(w, r)
	return true
}

// linger ends our side and reads what the client is still sending: one that is
// closed on would lose the reply.
func (c *conn) linger() {
	half, ok := c.rwc.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil || c.rwc.SetReadDeadline(time.Now().Add(lingering)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, c.rwc, 64*maxDrain)
}

const lingering = 500 * time.Millisecond

// past is a deadline that wakes whoever reads.
var past = time.Unix(1, 0)
