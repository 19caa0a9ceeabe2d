package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Run answers one client, line by line, until it hangs up or the context ends.
// What it asked before it hung up is still answered.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	t := &tally{open: map[string]bool{}, answered: make(chan struct{}, 1)}
	err := s.mcp.Run(ctx, &sdk.IOTransport{
		Reader: &asked{ReadCloser: in, ctx: ctx, tally: t}, Writer: &told{WriteCloser: out, tally: t}, MaxLineLength: maxFrame,
	})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil // the end, as it should be
	}
	if err != nil {
		return fmt.Errorf("mcp on stdio: %w", err)
	}
	return nil
}

// lastWords is how long answers may take after the client has hung up.
const lastWords = 5 * time.Second

// tally knows which requests have no answer yet.
type tally struct {
	mu       sync.Mutex
	open     map[string]bool
	answered chan struct{}
}

// note takes a message, of the client or of the server.
func (t *tally) note(line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch m.Method {
	case "subscriptions/listen": // it is answered by the end
	case "":
		delete(t.open, string(m.ID))
		select {
		case t.answered <- struct{}{}:
		default:
		}
	default:
		t.open[string(m.ID)] = true
	}
}

func (t *tally) left() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// lines hands whole lines on. One that is too long is passed over.
type lines struct {
	rest []byte
	skip bool
}

func (l *lines) feed(p []byte, to func([]byte)) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		end := i + 1
		if i < 0 {
			end = len(p)
		}
		if l.skip = l.skip || len(l.rest)+end > maxFrame; l.skip {
			l.rest = nil
		} else {
			l.rest = append(l.rest, p[:end]...)
		}
		if i >= 0 {
			if !l.skip {
				to(l.rest)
			}
			l.rest, l.skip = l.rest[:0], false
		}
		p = p[end:]
	}
}

// asked is what the client sends. Its end is told when all is answered.
type asked struct {
	io.ReadCloser
	ctx context.Context
	*tally
	lines lines
}

func (a *asked) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	a.lines.feed(p[:n], a.note)
	if err != io.EOF {
		return n, err
	}
	a.lines.feed([]byte("\n"), a.note)
	ctx, cancel := context.WithTimeout(a.ctx, lastWords)
	defer cancel()
	for a.left() > 0 && n == 0 {
		select {
		case <-a.answered:
		case <-ctx.Done():
			return n, err
		}
	}
	if n > 0 {
		return n, nil // the end comes with the next read
	}
	return n, err
}

// told is what the server sends. It writes a message at once, so nothing comes
// between the pieces of two.
type told struct {
	io.WriteCloser
	*tally
	lines lines
}

func (w *told) Write(p []byte) (int, error) {
	n, err := w.WriteCloser.Write(p)
	w.lines.feed(p[:n], w.note)
	return n, err
}
