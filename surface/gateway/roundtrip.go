package gateway

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"sync"
)

// RoundTrip sends a request of a client in this process through next, steered where
// it is a main turn, and returns its reply, a copy of which is read as the client
// reads it. The session is the one that the header X-Trimtab-Session names, else
// this one; where both are empty it is found as a gateway finds it.
//
// Like every http.RoundTripper it leaves the request as it is and closes its body.
// What next returns as an error is returned as it is.
func (g *Steerer) RoundTrip(r *http.Request, session string, next http.RoundTripper) (*http.Response, error) {
	g.Stats.Requests.Add(1)
	out := r.Clone(r.Context())
	out.Header.Del(sessionHeader)
	to, ok := findFormat(r)
	if !ok || r.Body == nil || r.Body == http.NoBody {
		return next.RoundTrip(out)
	}
	to.session = cmp.Or(r.Header.Get(sessionHeader), session)
	way := g.follow(r, to, r.URL.Host)
	body, err := g.readWhole(r)
	if err != nil {
		_ = r.Body.Close()
		return nil, err
	}
	s := &sending{}
	if len(body.b) > g.opt.MaxBody {
		begun := newOutgoing(body, body.b)
		out.Body = newRestBody(begun.reader(), r.Body)
		begun.release()
		body.release()
	} else {
		_ = r.Body.Close()
		s = g.steer(out, to, body, nil, way)
		defer body.release()
		defer s.body.release()
		s.body.into(out)
	}
	reply, err := next.RoundTrip(out)
	if err == nil {
		if other, ok := g.again(s, to, out.Header, reply); ok {
			_ = reply.Body.Close()
			defer other.release()
			out = out.Clone(out.Context())
			other.into(out)
			reply, err = next.RoundTrip(out)
		}
	}
	if err != nil {
		if r.Context().Err() != nil {
			way.left()
		} else {
			way.unreached(err)
			g.Stats.Failed.Add(1)
		}
		g.traced(way)
		return reply, err
	}
	reply.Request = r
	if reply.Body != nil && reply.StatusCode != http.StatusSwitchingProtocols {
		reply.Body = &observedBody{ReadCloser: reply.Body, request: r, seen: g.observe(reply, s.turn, way)}
	}
	return reply, nil
}

const sessionHeader = "X-Trimtab-Session"

// readWhole reads the body of a request, up to one byte more than is steered.
func (g *Steerer) readWhole(r *http.Request) (*buffer, error) {
	length := r.ContentLength
	if length <= 0 { // with a body, 0 is not known either
		length = -1
	}
	return g.pool.readBody(r.Body, length, g.opt.MaxBody+1)
}

// restBody is a body of which the beginning was read already.
type restBody struct {
	io.Reader
	begun, rest io.Closer
}

func newRestBody(begun, rest io.ReadCloser) *restBody {
	return &restBody{io.MultiReader(begun, rest), begun, rest}
}

func (b *restBody) Close() error { return errors.Join(b.begun.Close(), b.rest.Close()) }

// observedBody is the body of a reply that is followed while the client reads it.
type observedBody struct {
	io.ReadCloser
	request *http.Request

	mu   sync.Mutex // a client may close a body while it reads it
	seen *observer  // nil when it has ended
}

func (b *observedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p) // without the lock, so that Close can end it
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil {
		return n, err
	}
	if n > 0 {
		b.seen.came()
		b.seen.write(p[:n])
	}
	switch {
	case errors.Is(err, io.EOF):
		b.end((*observer).whole)
	case err != nil:
		b.end(func(o *observer) { o.cut(b.request.Context()) })
	}
	return n, err
}

func (b *observedBody) Close() error {
	err := b.ReadCloser.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end((*observer).closed)
	return err
}

// end ends the following, whichever comes first. It is called with the lock held.
func (b *observedBody) end(how func(*observer)) {
	if b.seen == nil {
		return
	}
	how(b.seen)
	b.seen.gate.traced(b.seen.way)
	b.seen = nil
}
