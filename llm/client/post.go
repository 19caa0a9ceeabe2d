package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/wire"
)

// Options set how a Sender behaves. The zero value works.
type Options struct {
	Carrier http.RoundTripper                          // one of our own if nil
	Tries   int                                        // of one request; 6 if not given, 1 is no retry
	Longest time.Duration                              // that a provider may ask to wait before the next try; a minute if not given
	Most    int                                        // bytes of a reply, whatever it holds; 64 MB if not given
	Silence time.Duration                              // that a stream may last without a byte; 5 minutes if not given
	Clock   func() time.Time                           // time.Now if nil
	Chance  func() float64                             // from 0 to 1, so that many do not try again at once; always a half if nil
	Wait    func(context.Context, time.Duration) error // lets time pass; a timer if nil
}

// Sender carries requests. It is safe to share.
type Sender struct {
	opt    Options
	client *http.Client
}

// New returns a Sender.
func New(opt Options) *Sender {
	opt.Tries = cmp.Or(max(opt.Tries, 0), 6)
	opt.Most = cmp.Or(max(opt.Most, 0), 4*wire.MaxReply)
	opt.Longest = cmp.Or(opt.Longest, time.Minute)
	opt.Silence = cmp.Or(opt.Silence, 5*time.Minute)
	if opt.Carrier == nil {
		opt.Carrier = carrier(opt.Silence)
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Chance == nil {
		opt.Chance = func() float64 { return 0.5 }
	}
	if opt.Wait == nil {
		opt.Wait = wait
	}
	client := &http.Client{Transport: opt.Carrier, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Sender{opt, client}
}

func carrier(silence time.Duration) http.RoundTripper {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: silence,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   4,
		ForceAttemptHTTP2:     true,
		// A reply's headers are a few kilobytes.
		MaxResponseHeaderBytes: 1 << 20,
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Letter is a request as a provider's package wrote it.
type Letter struct {
	Name   string            // of the model, for the reply's message
	URL    string            //
	Header http.Header       // without the key
	Seal   func(http.Header) // puts the key into it
	Body   []byte
	Key    key.Key                        // to be hidden in errors
	Format wire.Format                    // of the reply
	Near   func(context.Context) []string // names like the model's, for one that does not exist

	// Spare is the request without the model's earlier thinking, for a provider
	// that does not take that back: newer ones bind it to all that stood before
	// it, and steering may have changed that since.
	Spare func() ([]byte, error)
}

// Stream sends a letter and yields the reply.
func (s *Sender) Stream(ctx context.Context, l Letter) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for try := 1; ; try++ {
			r := reading{sender: s, letter: l, yield: yield}
			err := r.once(ctx)
			switch {
			case r.left || err == nil:
				return
			case ctx.Err() != nil:
				yield(nil, ctx.Err())
				return
			}
			if l.lighten(err) {
				continue
			}
			pause, again := s.retryDelay(try, err)
			if r.begun || !again {
				yield(nil, s.advise(ctx, l, err))
				return
			}
			if !yield(llm.Retrying{Wait: pause, Why: reason(err)}, nil) {
				return
			}
			if err := s.opt.Wait(ctx, pause); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// lighten takes the spare request, once, where that helps.
func (l *Letter) lighten(err error) bool {
	var t *trouble
	if !errors.As(err, &t) || !t.bound || l.Spare == nil {
		return false
	}
	body, err := l.Spare()
	l.Body, l.Spare = body, nil
	return err == nil
}

var errSilent = errors.New("nothing came for a long time")

// reading is one try.
type reading struct {
	sender *Sender
	letter Letter
	yield  func(llm.Chunk, error) bool
	deltas []wire.Delta
	begun  bool // something was yielded
	left   bool // the reader left
}

// once sends the letter and yields what comes of it.
func (r *reading) once(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.letter.URL, bytes.NewReader(r.letter.Body))
	if err != nil {
		return r.sender.unreached(r.letter, err)
	}
	req.Header = r.letter.Header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if r.letter.Seal != nil {
		r.letter.Seal(req.Header)
	}
	resp, err := r.sender.client.Do(req)
	if err != nil {
		return r.sender.unreached(r.letter, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return r.sender.refused(r.letter, resp)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return page(r.letter)
	}
	watch := time.AfterFunc(r.sender.opt.Silence, func() { cancel(errSilent) })
	defer watch.Stop()
	reply := r.letter.Format.NewReply(true)
	reply.Watch(func(d wire.Delta) { r.deltas = append(r.deltas, d) })
	err = r.pour(resp.Body, reply, func() { watch.Reset(r.sender.opt.Silence) })
	if r.left {
		return nil
	}
	if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
		err = cause
	}
	return r.end(reply.Close(), err)
}

// pour reads the body to its end. What it returns is why it could not.
func (r *reading) pour(body io.Reader, reply wire.Reply, alive func()) error {
	buf := make([]byte, 32<<10)
	for total := 0; ; {
		n, err := body.Read(buf)
		if n > 0 {
			alive()
			reply.Write(buf[:n])
			if r.tell(); r.left {
				return nil
			}
		}
		if total += n; total > r.sender.opt.Most { // one that never ends must not go on for ever
			return trimtab.ErrTooLarge
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// tell yields the pieces that were read.
func (r *reading) tell() {
	for _, d := range r.deltas {
		var c llm.Chunk
		switch {
		case d.Call != "" || d.Name != "":
			c = llm.CallDelta{ID: d.Call, Name: d.Name, Input: d.Input}
		case d.Thought != "":
			c = llm.ThinkingDelta{Text: d.Thought}
		default:
			c = llm.TextDelta{Text: d.Text}
		}
		r.begun = true
		if !r.yield(c, nil) {
			r.left = true
			return
		}
	}
	r.deltas = r.deltas[:0]
}

// end yields the whole reply, or says why there is none. A reply that came to its
// end is whole, however the connection fared after that.
func (r *reading) end(res wire.Result, err error) error {
	where := host(r.letter.URL)
	r.tell() // what Close gave, of a reply that was no stream
	switch {
	case r.left:
		return nil
	case res.Fault != "":
		return r.sender.faulted(r.letter, res.Fault)
	case res.Cut || errors.Is(err, trimtab.ErrTooLarge):
		return fmt.Errorf("%s: the reply is %w", where, trimtab.ErrTooLarge)
	case !res.Complete && err != nil:
		return fmt.Errorf("%s: %w (%s)", where, llm.ErrCut, r.letter.Key.Hide(clean(bare(err).Error())))
	case !res.Complete:
		return fmt.Errorf("%s: %w", where, llm.ErrCut)
	}
	m := res.Message
	m.Model = r.letter.Name
	if len(m.Parts) == 0 && res.Stop != wire.StopRefused && res.Stop != wire.StopLength {
		return fmt.Errorf("%s: %w (it ended without output: %s)", where, llm.ErrCut, cmp.Or(clean(res.Reason), "no reason given"))
	}
	r.begun = true
	r.left = !r.yield(llm.Done{Message: m, Stop: stop(res)}, nil)
	return nil
}

// stop is why a reply ended. Some servers end calls with the word for an end.
func stop(res wire.Result) llm.StopReason {
	switch {
	case res.Stop == wire.StopLength:
		return llm.StopLength
	case res.Stop == wire.StopRefused:
		return llm.StopRefused
	case len(llm.Calls(res.Message)) > 0:
		return llm.StopCalls
	}
	return llm.StopEnd
}

// host is the part of a URL that may be shown.
func host(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "the provider"
	}
	return u.Host
}
