package gateway

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/trimtab/trimtab/wire"
)

// copying returns a reader for the copy of a reply, where anybody wants to know
// what it says.
func (g *Steerer) copying(reply *http.Response, t *turn, way *trail) copier {
	var format wire.Format
	stream := strings.HasPrefix(reply.Header.Get("Content-Type"), "text/event-stream")
	switch {
	case reply.StatusCode != http.StatusOK:
		return nil
	case t != nil:
		format, stream = t.format, stream || t.stream
	case way != nil && way.format != nil: // a side call, or its steering failed: what it cost counts all the same
		format, stream = way.format, stream || way.Stream
	default:
		return nil
	}
	return newCopier(reply.Header.Get("Content-Encoding"), &guarded{reply: format.NewReply(stream), gate: g})
}

// unread counts a reply that passed and could not be read.
func (g *Steerer) unread(p any) {
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
	gate  *Steerer // is told of it
	off   bool
}

func (c *guarded) catch() {
	if p := recover(); p != nil {
		c.off = true
		c.gate.unread(p)
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
