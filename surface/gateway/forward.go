package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/trimtab/trimtab/wire"
)

// ServeHTTP passes a request on, steered where it is a main turn.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.Stats.Requests.Add(1)
	to, ok := find(r)
	if !ok {
		refuse(w, http.StatusNotFound, fmt.Sprintf("trimtab: no provider is known for %s", r.URL.Path))
		return
	}
	if r.Header.Get("Upgrade") != "" {
		refuse(w, http.StatusUpgradeRequired, "trimtab: only plain HTTP requests pass here")
		return
	}
	raw, rest, err := g.read(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "trimtab: the request did not arrive whole: "+err.Error())
		return
	}
	var t *turn
	if to.format != nil && rest == nil {
		raw, t = g.steer(r, to, raw)
	}
	g.forward(w, r, to, raw, rest, t)
}

// read reads the body whole: only then can a reply not overtake it. Of one over
// the limit, rest is what was not read.
func (g *Gateway) read(r *http.Request) (raw []byte, rest io.Reader, err error) {
	if r.Body == nil || r.ContentLength == 0 {
		return nil, nil, nil
	}
	size := r.ContentLength
	if size < 0 || size > int64(g.opt.MaxBody) {
		size = 64 << 10
	}
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(r.Body, int64(g.opt.MaxBody)+1)); err != nil {
		return nil, nil, err
	}
	if buf.Len() > g.opt.MaxBody {
		return buf.Bytes(), r.Body, nil
	}
	return buf.Bytes(), nil, nil
}

// hop are headers of one connection, not of the request.
var hop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func (g *Gateway) forward(w http.ResponseWriter, r *http.Request, to route, raw []byte, rest io.Reader, t *turn) {
	out := &http.Request{Method: r.Method, URL: target(g.upstreams[to.provider], to.path, r.URL.RawQuery), Header: r.Header.Clone(), ContentLength: int64(len(raw))}
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
	out.Header.Del("X-Trimtab-Session")
	if _, named := out.Header["User-Agent"]; !named {
		out.Header["User-Agent"] = nil // say nothing that the client did not say
	}
	reply, err := g.carrier.RoundTrip(out.WithContext(r.Context()))
	if err != nil {
		if r.Context().Err() == nil {
			g.Stats.Failed.Add(1)
			g.opt.Log.Warn("provider not reached", "provider", to.provider, "error", plainError(err))
			refuse(w, http.StatusBadGateway, fmt.Sprintf("trimtab: %s at %s could not be reached: %v", to.provider, g.upstreams[to.provider].Host, plainError(err)))
		}
		return
	}
	defer reply.Body.Close()
	g.Stats.Streams.Add(1)
	defer g.Stats.Streams.Add(-1)
	g.pass(w, r, reply, t)
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
func (g *Gateway) pass(w http.ResponseWriter, r *http.Request, reply *http.Response, t *turn) {
	strip(reply.Header)
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(reply.StatusCode)
	var copied copier
	if t != nil && reply.StatusCode == http.StatusOK {
		copied = newCopier(reply.Header.Get("Content-Encoding"), t.format.NewReply(t.stream || strings.HasPrefix(reply.Header.Get("Content-Type"), "text/event-stream")))
	}
	flush := http.NewResponseController(w)
	buf := make([]byte, 32<<10)
	for {
		n, err := reply.Body.Read(buf)
		if n > 0 {
			if copied != nil {
				copied.Write(buf[:n])
			}
			if _, writing := w.Write(buf[:n]); writing != nil {
				break // the client is gone; returning cancels the request to the provider
			}
			_ = flush.Flush()
		}
		if err != nil {
			if copied != nil && errors.Is(err, io.EOF) {
				g.record(t, copied.Close())
				return
			}
			if !errors.Is(err, io.EOF) {
				if copied != nil {
					copied.Close()
				}
				panic(http.ErrAbortHandler) // the reply was cut; so is ours
			}
			return
		}
	}
	if copied != nil {
		copied.Close()
	}
}

// copier reads a copy of a reply.
type copier interface {
	Write(p []byte)
	Close() wire.Result
}

// newCopier undoes the compression of the copy. One that it does not know is
// not read: the next request tells what was said.
func newCopier(encoding string, reply wire.Reply) copier {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return reply
	case "gzip", "zstd":
		return unpack(encoding, reply)
	}
	return nil
}

// unpacker decompresses a copy beside the stream.
type unpacker struct {
	pipe  *io.PipeWriter
	done  chan struct{}
	reply wire.Reply
}

func unpack(encoding string, reply wire.Reply) *unpacker {
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

// decoded undoes the compression of a request.
func decoded(encoding string, raw []byte, limit int) ([]byte, error) {
	var plain io.Reader
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return raw, nil
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		plain = z
	case "zstd":
		z, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		defer z.Close()
		plain = z
	default:
		return nil, fmt.Errorf("content encoding %q is not known", encoding)
	}
	out, err := io.ReadAll(io.LimitReader(plain, int64(limit)+1))
	if err == nil && len(out) > limit {
		err = errors.New("larger than the limit when unpacked")
	}
	return out, err
}

// plainError is an error without the address, which may hold a key.
func plainError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("timed out")
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// refuse answers with an error in the form that all three providers share.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": "trimtab_error", "message": text, "code": status}})
}
