package gateway

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/trimtab/trimtab/wire"
)

// ServeHTTP passes a request on, steered where it is a main turn.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.Stats.Requests.Add(1)
	to, ok := find(r)
	if !ok {
		refuse(w, http.StatusNotFound, "trimtab: no provider is known for this path; what begins with /v1/, /v1beta/, /v1alpha/ or /api/ is passed on")
		return
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") { // other offers may be ignored
		refuse(w, http.StatusUpgradeRequired, "trimtab: only plain HTTP requests pass here")
		return
	}
	way := g.follow(r, to)
	defer g.traced(way)
	body, rest, err := g.read(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "trimtab: the request did not arrive whole: "+err.Error())
		return
	}
	var t *turn
	if to.format != nil && rest == nil && body != nil {
		came := body
		body, t = g.steer(r, to, came, way)
		came.release()
	}
	defer body.release()
	g.forward(w, r, to, body, rest, t, way)
}

// read reads the body whole: only then can a reply not overtake it. Of one over
// the limit, rest is what was not read.
func (g *Gateway) read(r *http.Request) (body *buffer, rest io.Reader, err error) {
	if r.Body == nil || r.ContentLength == 0 {
		return nil, nil, nil
	}
	size := r.ContentLength
	if size < 0 || size > int64(g.opt.MaxBody) {
		size = 64 << 10
	}
	if body, err = g.stock.readAll(r.Body, int(size), g.opt.MaxBody+1); err != nil {
		return nil, nil, err
	}
	if len(body.b) > g.opt.MaxBody {
		rest = r.Body
	}
	return body, rest, nil
}

// hop are headers of one connection, not of the request.
var hop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func (g *Gateway) forward(w http.ResponseWriter, r *http.Request, to route, body *buffer, rest io.Reader, t *turn, way *trail) {
	var raw []byte
	if body != nil {
		raw = body.b
	}
	var sent watch
	defer func() {
		if !sent.over() {
			body.leave()
		}
	}()
	out := &http.Request{Method: r.Method, URL: target(g.upstreams[to.provider], to.path, r.URL), Header: r.Header.Clone(), ContentLength: int64(len(raw))}
	out.Host = out.URL.Host
	out.Body = io.NopCloser(bytes.NewReader(raw))
	switch {
	case rest != nil:
		out.Body, out.ContentLength = io.NopCloser(io.MultiReader(bytes.NewReader(raw), rest)), r.ContentLength
	case len(raw) == 0:
		out.Body, out.ContentLength = http.NoBody, 0
	default:
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	}
	strip(out.Header)
	out.Header.Del("Content-Length")
	out.Header.Del("Expect") // it was met when the body was read
	out.Header.Del("X-Trimtab-Session")
	if _, named := out.Header["User-Agent"]; !named {
		out.Header["User-Agent"] = nil // say nothing that the client did not say
	}
	reply, err := g.carrier.RoundTrip(out.WithContext(sent.trace(r.Context())))
	if err == nil && reply.StatusCode < http.StatusOK { // no server can pass these on as a reply
		_ = reply.Body.Close()
		err = errNoHTTP
	}
	if err != nil {
		if r.Context().Err() != nil {
			way.left()
		} else {
			way.unreached(err)
			g.Stats.Failed.Add(1)
			g.opt.Log.Warn("provider not reached", "provider", to.provider, "error", plainError(err))
			refuse(w, http.StatusBadGateway, fmt.Sprintf("trimtab: %s at %s could not be reached: %v", to.provider, g.upstreams[to.provider].Host, plainError(err)))
		}
		return
	}
	defer reply.Body.Close()
	g.Stats.Streams.Add(1)
	defer g.Stats.Streams.Add(-1)
	g.pass(w, r, reply, t, way)
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

// pass hands the reply on as it comes and reads a copy.
func (g *Gateway) pass(w http.ResponseWriter, r *http.Request, reply *http.Response, t *turn, way *trail) {
	strip(reply.Header)
	w.Header()["Content-Type"] = nil // none is guessed where the provider gave none
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(reply.StatusCode)
	way.replied(reply.StatusCode)
	copied := g.copying(reply, t, way)
	flush := http.NewResponseController(w)
	if reply.ContentLength < 0 {
		_ = flush.Flush() // the client may wait long for the first event, but not for its headers
	}
	piece := g.stock.get(16 << 10)
	defer piece.release()
	buf := piece.b[:cap(piece.b)]
	for {
		n, err := reply.Body.Read(buf)
		if n > 0 {
			way.piece(g.opt.Clock)
			if copied != nil {
				copied.Write(buf[:n])
			}
			if _, writing := w.Write(buf[:n]); writing != nil {
				way.left()
				break // the client is gone; returning cancels the request to the provider
			}
			_ = flush.Flush()
		}
		if err != nil {
			if copied != nil && errors.Is(err, io.EOF) {
				result := copied.Close()
				way.read(result)
				g.record(t, result)
				return
			}
			if !errors.Is(err, io.EOF) {
				if r.Context().Err() != nil {
					way.left()
				} else {
					way.cut()
				}
				if copied != nil {
					way.read(copied.Close())
				}
				panic(http.ErrAbortHandler) // the reply was cut; so is ours
			}
			return
		}
	}
	if copied != nil {
		way.read(copied.Close())
	}
}

// copying returns a reader for the copy of a reply, where anybody wants to know
// what it says.
func (g *Gateway) copying(reply *http.Response, t *turn, way *trail) copier {
	var format wire.Format
	stream := strings.HasPrefix(reply.Header.Get("Content-Type"), "text/event-stream")
	switch {
	case reply.StatusCode != http.StatusOK:
		return nil
	case t != nil:
		format, stream = t.format, stream || t.stream
	case way != nil && way.main: // its steering failed, and it is traced all the same
		format, stream = way.format, stream || way.Stream
	default:
		return nil
	}
	return newCopier(reply.Header.Get("Content-Encoding"), &guarded{reply: format.NewReply(stream), fault: g.unread})
}

// unread counts a reply that passed and could not be read.
func (g *Gateway) unread(p any) {
	g.Stats.Faults.Add(1)
	g.opt.Log.Error("reading a reply panicked; the reply passed", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
}

// copier reads a copy of a reply.
type copier interface {
	Write(p []byte)
	Close() wire.Result
}

// newCopier undoes the compression of the copy. One that it does not know is
// not read: the next request tells what was said.
func newCopier(encoding string, reply copier) copier {
	switch encoding = strings.ToLower(strings.TrimSpace(encoding)); encoding {
	case "", "identity":
		return reply
	case "gzip", "zstd":
		return unpack(encoding, reply)
	}
	return nil
}

// guarded reads a copy of a reply. A bug in the reading ends that, and not the
// reply itself.
type guarded struct {
	reply wire.Reply
	fault func(p any)
	off   bool
}

func (c *guarded) catch() {
	if p := recover(); p != nil {
		c.off = true
		c.fault(p)
	}
}

func (c *guarded) Write(p []byte) {
	defer c.catch()
	if !c.off {
		c.reply.Write(p)
	}
}

func (c *guarded) Close() (r wire.Result) {
	defer c.catch()
	if !c.off {
		r = c.reply.Close()
	}
	return r
}

// unpacker decompresses a copy beside the stream.
type unpacker struct {
	pipe  *io.PipeWriter
	done  chan struct{}
	reply copier
}

func unpack(encoding string, reply copier) *unpacker {
	r, w := io.Pipe()
	u := &unpacker{w, make(chan struct{}), reply}
	go func() {
		defer close(u.done)
		defer r.Close()
		var plain io.Reader
		var err error
		if encoding == "gzip" {
			plain, err = gzip.NewReader(r)
		} else {
			var z *zstd.Decoder
			if z, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20)); err == nil {
				defer z.Close()
				plain = z
			}
		}
		if err != nil {
			return
		}
		buf := make([]byte, 16<<10)
		for {
			n, err := plain.Read(buf)
			reply.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	return u
}

func (u *unpacker) Write(p []byte) { _, _ = u.pipe.Write(p) }

func (u *unpacker) Close() wire.Result {
	_ = u.pipe.Close()
	<-u.done
	return u.reply.Close()
}

// decoded undoes the compression of a request. What it returns is held.
func (g *Gateway) decoded(encoding string, body *buffer) (*buffer, error) {
	limit := g.opt.MaxBody
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body.hold(), nil
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body.b))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		out, err := g.stock.readAll(z, 4*len(body.b), limit+1)
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
		out := g.stock.get(min(4*len(body.b), limit))
		if out.b, err = z.DecodeAll(body.b, out.b); err != nil {
			out.release()
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return out, nil
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
