package gateway

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/trimtab/trimtab/surface/hook/relay"
)

// ServeHTTP passes a request on, steered where it is a main turn.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.Stats.Requests.Add(1)
	g.rest.begin()
	defer g.rest.end(g.rested)
	if own := r.URL.Path == relay.Path || r.URL.Path == relay.TypedPath; own && g.user(r) != "" {
		refuse(w, http.StatusForbidden, "trimtab: hooks speak to the gateway of their own run") // they name sessions as they like
		return
	}
	if r.URL.Path == relay.Path {
		g.serveHook(w, r)
		return
	}
	if r.URL.Path == relay.TypedPath {
		g.serveTyped(w, r)
		return
	}
	to, ok := g.find(r)
	if !ok {
		refuse(w, http.StatusNotFound, "trimtab: no provider is known for this path; what begins with /v1/, /v1beta/, /v1alpha/ or /api/ is passed on")
		return
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") { // other offers may be ignored
		refuse(w, http.StatusUpgradeRequired, "trimtab: only plain HTTP requests pass here")
		return
	}
	way := g.follow(r, to, g.upstream(to).Host)
	defer g.traced(way)
	body, rest, err := g.read(w, r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "trimtab: the request did not arrive whole: "+err.Error())
		return
	}
	defer body.release()
	if !g.admit(w, r, to, body, way) {
		way.aside()
		return
	}
	defer g.over(r, way)
	s := g.steer(r, to, body, rest, way)
	defer s.body.release()
	g.forward(w, r, to, s, rest, way)
}

// read reads the body whole: only then can a reply not overtake it. Of one over
// the limit, rest is what was not read.
func (g *Gateway) read(w http.ResponseWriter, r *http.Request) (body *buffer, rest io.Reader, err error) {
	if r.Body == nil || r.ContentLength == 0 {
		return &buffer{}, nil, nil
	}
	in := &stallReader{Reader: r.Body, conn: http.NewResponseController(w)}
	if body, err = g.pool.readBody(in, r.ContentLength, g.opt.MaxBody+1); err != nil {
		return nil, nil, err
	}
	if len(body.b) > g.opt.MaxBody {
		rest = in
	}
	return body, rest, nil
}

// hop are headers of one connection, not of the request.
var hop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// forward sends a request on and hands its reply back.
func (g *Gateway) forward(w http.ResponseWriter, r *http.Request, to route, s *sending, rest io.Reader, way *trail) {
	out := &http.Request{Method: r.Method, URL: g.address(to, r.URL), Header: r.Header}
	out.Host = out.URL.Host
	strip(out.Header)
	for _, name := range own {
		delete(out.Header, name)
	}
	if _, named := out.Header["User-Agent"]; !named {
		out.Header["User-Agent"] = nil // say nothing that the client did not say
	}
	reply, err := g.send(r, out, s.body, rest)
	if err == nil && rest == nil {
		if next, ok := g.again(s, to, out.Header, reply); ok {
			_ = reply.Body.Close()
			defer next.release()
			reply, err = g.send(r, out, next, nil)
		}
	}
	if err != nil {
		defer g.unanswered(s.turn)
		if r.Context().Err() != nil {
			way.left()
		} else {
			way.unreached(err)
			g.Stats.Failed.Add(1)
			g.opt.Log.Warn("provider not reached", "provider", cmp.Or(to.named, to.provider), "error", plainError(err))
			refuse(w, http.StatusBadGateway, fmt.Sprintf("trimtab: %s at %s could not be reached: %v", cmp.Or(to.named, to.provider), g.upstream(to).Host, plainError(err)))
		}
		return
	}
	defer reply.Body.Close()
	g.pass(w, r, reply, s.turn, way)
}

// own are headers that are made anew, or meant for us: an expectation was met
// when the body was read.
var own = []string{"Content-Length", "Expect", sessionHeader}

// send sends a request with its body.
func (g *Gateway) send(r, out *http.Request, body outgoing, rest io.Reader) (reply *http.Response, err error) {
	switch {
	case rest != nil:
		out.Body, out.ContentLength = io.NopCloser(io.MultiReader(body.reader(), rest)), r.ContentLength
	case body.size == 0:
		out.Body = http.NoBody
	default:
		body.into(out)
	}
	reply, err = g.transport.RoundTrip(out.WithContext(r.Context()))
	if err == nil && reply.StatusCode < http.StatusOK { // no server can pass these on as a reply
		_ = reply.Body.Close()
		return nil, errNoHTTP
	}
	return reply, err
}

func strip(h http.Header) {
	for _, value := range h.Values("Connection") {
		for name := range strings.SplitSeq(value, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hop {
		h.Del(name)
	}
}

// How much of a reply is read at once: most events are small, and many streams
// may wait for one; of a reply that comes faster than that, more.
const (
	small = 4 << 10
	large = 32 << 10
)

// pass hands the reply on as it comes and reads a copy.
func (g *Gateway) pass(w http.ResponseWriter, r *http.Request, reply *http.Response, t *turn, way *trail) {
	strip(reply.Header)
	w.Header()["Content-Type"] = nil // none is guessed where the provider gave none
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(reply.StatusCode)
	seen := g.observe(reply, t, way)
	conn := http.NewResponseController(w)
	_ = conn.SetWriteDeadline(time.Now().Add(writeStall))
	if reply.ContentLength < 0 {
		_ = conn.Flush() // the client may wait long for the first event, but not for its headers
	}
	buf := make([]byte, small)
	for {
		n, err := reply.Body.Read(buf)
		if n > 0 {
			seen.came()
			_ = conn.SetWriteDeadline(time.Now().Add(writeStall))
			_, writing := w.Write(buf[:n])
			if writing == nil {
				writing = conn.Flush()
			}
			seen.write(buf[:n]) // the client does not wait for it
			if writing != nil {
				seen.left() // the client is gone; returning cancels the request to the provider
				return
			}
			if n == small {
				buf = make([]byte, large)
			}
		}
		if errors.Is(err, io.EOF) {
			seen.whole()
			return
		}
		if err != nil {
			seen.cut(r.Context())
			panic(http.ErrAbortHandler) // the reply was cut; so is ours
		}
	}
}

// decoded undoes the compression of a request. What it returns is held.
func (g *Steerer) decoded(encoding string, body *buffer) (*buffer, error) {
	limit := g.opt.MaxBody
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body.retain(), nil
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body.b))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		out, err := g.pool.readBody(z, -1, limit+1)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		if len(out.b) > limit {
			out.release()
			return nil, errUnpacked
		}
		return out, nil
	case "zstd":
		z, err := g.zstd()
		if err != nil {
			return nil, err
		}
		out, err := z.DecodeAll(body.b, nil)
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return &buffer{b: out}, nil
	}
	return nil, fmt.Errorf("content encoding %q is not known", encoding)
}

var errUnpacked = errors.New("larger than the limit when unpacked")

// newZstd makes the one decoder for all requests when the first one needs it.
func newZstd(limit int) func() (*zstd.Decoder, error) {
	return sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(uint64(limit)))
	})
}

var errNoHTTP = errors.New("no HTTP reply came from it")

// plainError is an error in words that hold nothing of the request or of the
// reply: both may hold a key.
func plainError(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return errors.New("timed out")
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return errors.New(name.Err)
	}
	var dial *net.OpError
	if errors.As(err, &dial) {
		err = dial.Err
		for inner := err; inner != nil; inner = errors.Unwrap(err) {
			err = inner
		}
		return err
	}
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return certificate.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it closed the connection")
	}
	return errNoHTTP
}

// refuse answers with an error in the form that all three providers share.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": "trimtab_error", "message": text, "code": status}})
}
