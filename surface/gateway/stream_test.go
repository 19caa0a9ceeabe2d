package gateway_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/wire/wiretest"
)

// tap stands before a strict model and keeps the checksum of each reply, by the
// header X-Stream of its request.
type tap struct {
	*fakemodel.Model
	mu   sync.Mutex
	sums map[string]string
}

func (m *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := sha256.New()
	m.Model.ServeHTTP(tee{w, h}, r)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sums[r.Header.Get("X-Stream")] = fmt.Sprintf("%x", h.Sum(nil))
}

type tee struct {
	http.ResponseWriter
	to io.Writer
}

func (t tee) Write(p []byte) (int, error) {
	t.to.Write(p) //nolint:errcheck // a hash never fails
	return t.ResponseWriter.Write(p)
}

func (t tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// prompt is what a person said last in a request.
func prompt(r fakemodel.Request) string {
	for _, item := range slices.Backward(r.Items) {
		if item.Role == "user" && item.Kind == fakemodel.Text {
			return item.Text
		}
	}
	return ""
}

const streams = 1000

// TestP10_AThousandStreamsAtOnce: all are under way together; each client gets
// the bytes of its own reply, and nothing of another's; and when they are
// through, nothing of them is left.
func TestP10_AThousandStreamsAtOnce(t *testing.T) {
	var arrived atomic.Int32
	var together atomic.Pointer[chan struct{}]
	model := &tap{sums: map[string]string{}, Model: fakemodel.New(fakemodel.Options{Keep: 1, Script: func(r fakemodel.Request) fakemodel.Reply {
		all := *together.Load()
		return fakemodel.Reply{
			Text: strings.Repeat(prompt(r)+" ", 80), Piece: 8 * len(prompt(r)+" "),
			Before: func(ctx context.Context, event int) {
				if event != 2 {
					return
				}
				if arrived.Add(1) == streams {
					close(all)
				}
				select {
				case <-all:
				case <-ctx.Done():
				}
			},
		}
	}})}
	up := newProvider(t, model.ServeHTTP)
	r := newRig(t, parts{up: up.URL, still: true, patience: 60000}) // on a small machine they all wait for each other
	tr := r.http.Transport.(*http.Transport)
	before := runtime.NumGoroutine()
	round := func() (heap uint64) {
		all := make(chan struct{})
		arrived.Store(0)
		together.Store(&all)
		floodOf(t, r, model)
		up.mu.Lock()
		up.all = nil
		up.mu.Unlock()
		r.settle()
		tr.CloseIdleConnections()
		up.CloseClientConnections()
		until(t, "as few goroutines as before", func() bool { return runtime.NumGoroutine() <= before })
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	first := round() // fills what is kept on purpose: sessions, ledgers, pools
	if grown := int64(round()) - int64(first); grown > streams*4<<10 {
		t.Errorf("%d KB of the heap stay behind after %d more streams", grown>>10, streams)
	}
	if n := r.gate.Stats.Faults.Load(); n != 0 {
		t.Errorf("%d faults:\n%.2000s", n, r.log)
	}
}

// floodOf asks for all streams at once and holds what comes against what was sent.
func floodOf(t *testing.T, r *rig, model *tap) {
	t.Helper()
	names := slices.Sorted(maps.Keys(dialects()))
	all := dialects()
	var wg sync.WaitGroup
	for n := range streams {
		wg.Go(func() {
			d := all[names[n%len(names)]]
			mine := fmt.Sprintf("<s%04d>", n)
			a, err := r.try(http.MethodPost, d.stream, with(d.key, "X-Stream", mine, "X-Trimtab-Session", fmt.Sprint("s", n)), bytes.NewReader(d.ask(mine, true)))
			if err != nil || a.err != nil || a.status != http.StatusOK {
				t.Errorf("stream %d: %v %v, status %d: %.300s", n, err, a.err, a.status, a.body)
				return
			}
			model.mu.Lock()
			want := model.sums[mine]
			model.mu.Unlock()
			text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(a.body))
			if sum(a.body) != want || strings.Count(text, mine) < 80 || strings.Count(text, "<s0")+strings.Count(text, "<s1") != strings.Count(text, mine) {
				t.Errorf("stream %d of %s: not what was sent, or mixed with another: %.300s", n, d.corpus.Name, a.body)
			}
		})
	}
	wg.Wait()
}

// recorded is a reply of a provider, as bytes and as what it says.
type recorded struct {
	said     wiretest.Said
	raw      []byte
	encoding string
}

// packed packs a stream as servers do: what there is goes out at every event.
func packed(t *testing.T, encoding string, raw []byte) []byte {
	t.Helper()
	if encoding == "" {
		return raw
	}
	var out bytes.Buffer
	var w interface {
		io.WriteCloser
		Flush() error
	} = gzip.NewWriter(&out)
	if encoding == "zstd" {
		z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	for _, event := range bytes.SplitAfter(raw, []byte("\n\n")) {
		if _, err := w.Write(event); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// play is a provider that answers with a recorded reply, in pieces of one to five
// bytes. cut ends the reply after so many bytes; below 0 is not at all.
func play(t *testing.T, reply func() (rec recorded, kind string, length bool, cut int)) *provider {
	t.Helper()
	return newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
		rec, kind, length, cut := reply()
		w.Header().Set("Content-Type", kind)
		if rec.encoding != "" {
			w.Header().Set("Content-Encoding", rec.encoding)
		}
		if length {
			w.Header().Set("Content-Length", fmt.Sprint(len(rec.raw)))
		}
		c := wiretest.NewChance(uint64(len(rec.raw)))
		raw := rec.raw
		if cut >= 0 {
			raw = raw[:cut]
		}
		flush := http.NewResponseController(w)
		if err := flush.Flush(); err != nil {
			return
		}
		for len(raw) > 0 {
			n := min(len(raw), 1+c.N(5))
			if _, err := w.Write(raw[:n]); err != nil {
				return
			}
			if err := flush.Flush(); err != nil {
				return
			}
			raw = raw[n:]
		}
		if cut >= 0 {
			panic(http.ErrAbortHandler)
		}
	})
}

const events = "text/event-stream; charset=utf-8"

// TestP11_RepliesPassByteForByte: streamed or whole, packed or not, however they
// are cut into pieces, with comments and pings; and what they say is read.
func TestP11_RepliesPassByteForByte(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			var now recorded
			kind, length := events, false
			up := play(t, func() (recorded, string, bool, int) { return now, kind, length, -1 })
			r := newRig(t, parts{up: up.URL, still: true})
			for seed := range uint64(6) {
				for _, encoding := range []string{"", "gzip", "zstd", "GZIP"} {
					for _, whole := range []bool{false, true} {
						c := wiretest.NewChance(seed)
						now = recorded{said: wiretest.NewSaid(c), encoding: encoding}
						path, raw := d.stream, []byte(nil)
						if kind, length = events, false; whole {
							kind, length, path, raw = "application/json", true, d.path, d.corpus.Document(now.said)
						} else {
							raw = append([]byte(": hello\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\n"), d.corpus.Stream(now.said, c)...)
							if name == "gemini" || name == "openaichat" { // they have no events with names
								raw = append([]byte(": hello\n\n"), d.corpus.Stream(now.said, wiretest.NewChance(seed))...)
							}
						}
						now.raw = packed(t, strings.ToLower(encoding), raw)
						id := fmt.Sprintf("s%d%s%v", seed, encoding, whole)
						a := r.do(http.MethodPost, path, with(d.key, "X-Trimtab-Session", id), d.ask("hello", !whole))
						if a.err != nil || !bytes.Equal(a.body, now.raw) || a.header.Get("Content-Encoding") != encoding || a.header.Get("Content-Type") != kind {
							t.Fatalf("%s: %v, headers %v, sent\n%q\narrived\n%q", id, a.err, a.header, now.raw, a.body)
						}
						r.settle()
						heard(t, id, r, now.said)
					}
				}
			}
			if n := r.gate.Stats.Faults.Load(); n != 0 {
				t.Errorf("%d faults:\n%.2000s", n, r.log)
			}
		})
	}
}

// heard checks that a session's last message is the reply.
func heard(t *testing.T, what string, r *rig, said wiretest.Said) {
	t.Helper()
	all := r.said(what)
	m := all[len(all)-1]
	var text string
	var calls []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			text += p.Text
		case trimtab.ToolCall:
			calls = append(calls, p.Name)
		}
	}
	var want []string
	for _, c := range said.Calls {
		want = append(want, c.Name)
	}
	if r.session(what).Step != 1 || m.Role != trimtab.RoleAssistant || text != said.Text || !slices.Equal(calls, want) || m.Usage == nil || m.Usage.Output != said.Usage[1] {
		t.Fatalf("%s: the model said\n%+v\nand we heard\n%+v", what, said, m)
	}
}

// TestP11_ACutReplyIsCutForTheClient: wherever the provider breaks off, the
// client sees what came and that it was cut, and no step is counted.
func TestP11_ACutReplyIsCutForTheClient(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			var now recorded
			var kind string
			var length bool
			var cut int
			up := play(t, func() (recorded, string, bool, int) { return now, kind, length, cut })
			r := newRig(t, parts{up: up.URL, still: true})
			for seed := range uint64(2) {
				for _, encoding := range []string{"", "gzip", "zstd"} {
					for _, whole := range []bool{false, true} {
						c := wiretest.NewChance(seed)
						said := wiretest.NewSaid(c)
						raw, path := d.corpus.Stream(said, c), d.stream
						if kind, length = events, false; whole {
							kind, length, raw, path = "application/json", true, d.corpus.Document(said), d.path
						}
						now = recorded{raw: packed(t, encoding, raw), encoding: encoding}
						last := len(now.raw) // of a stream even the whole text is not its end
						if whole {
							last--
						}
						for _, cut = range []int{0, 1, c.N(last), c.N(last), last - 1, last} {
							id := fmt.Sprintf("s%d%s%v.%d", seed, encoding, whole, cut)
							a, err := r.try(http.MethodPost, path, with(d.key, "X-Trimtab-Session", id), bytes.NewReader(d.ask("hello", !whole)))
							if err != nil && whole && cut == 0 {
								a.err = err // not even its headers came
							}
							if a.err == nil || !bytes.Equal(a.body, now.raw[:cut]) {
								t.Fatalf("%s: a clean end, or other bytes: %v\nsent\n%q\narrived\n%q", id, a.err, now.raw[:cut], a.body)
							}
							r.settle()
							if s := r.session(id); s.Step != 0 || s.Seq != 1 {
								t.Fatalf("%s: %d steps and %d messages", id, s.Step, s.Seq)
							}
						}
					}
				}
			}
		})
	}
}

// TestP11_AStreamWithoutItsEndIsNoReply: the connection ends in good order, the
// reply does not. It passes, and is not a step.
func TestP11_AStreamWithoutItsEndIsNoReply(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			var now recorded
			up := play(t, func() (recorded, string, bool, int) { return now, events, false, -1 })
			r := newRig(t, parts{up: up.URL, still: true})
			c := wiretest.NewChance(5)
			now.raw = d.corpus.Stream(wiretest.NewSaid(c), c)
			now.raw = now.raw[:len(now.raw)/2]
			a := r.do(http.MethodPost, d.stream, with(d.key, "X-Trimtab-Session", "s"), d.ask("hello", true))
			r.settle()
			if a.err != nil || !bytes.Equal(a.body, now.raw) || r.session("s").Step != 0 {
				t.Errorf("%v, %d steps", a.err, r.session("s").Step)
			}
		})
	}
}

// TestP11_FragmentsComeAsTheyAreSent: the headers and each event reach the client
// while the provider still holds the next one back.
func TestP11_FragmentsComeAsTheyAreSent(t *testing.T) {
	next := make(chan struct{})
	up := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", events)
		flush := http.NewResponseController(w)
		for n := range 4 {
			if n > 0 { // the headers come first
				fmt.Fprintf(w, "data: %d\n\n", n)
			}
			if flush.Flush() != nil {
				return
			}
			select {
			case <-next:
			case <-r.Context().Done():
				return
			}
		}
	})
	r := newRig(t, parts{up: up.URL})
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/v1/messages", strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"hello"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var reply *http.Response
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		reply, err = r.http.Do(q)
	}()
	happens(t, "the headers while the first event is held back", answered)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	in := bufio.NewReader(reply.Body)
	next <- struct{}{}
	for n := 1; n < 4; n++ {
		got := make(chan struct{})
		var line string
		go func() {
			defer close(got)
			line, _ = in.ReadString('\n')
			_, _ = in.ReadString('\n')
		}()
		happens(t, fmt.Sprint("event ", n, " while the next one is held back"), got)
		if line != fmt.Sprintf("data: %d\n", n) {
			t.Fatalf("event %d: %q", n, line)
		}
		next <- struct{}{}
	}
}

// TestP12_AClientThatIsGoneIsNoticed: the request to the provider ends with it,
// before the first byte of the reply and in the middle, packed or not.
func TestP12_AClientThatIsGoneIsNoticed(t *testing.T) {
	for _, encoding := range []string{"", "gzip", "zstd"} {
		for _, begun := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s begun %v", encoding, begun), func(t *testing.T) {
				asked, gone := make(chan struct{}), make(chan struct{})
				up := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
					if begun {
						w.Header().Set("Content-Type", events)
						if encoding != "" {
							w.Header().Set("Content-Encoding", encoding)
						}
						w.Write(packed(t, encoding, []byte("data: {}\n\n"))[:5]) //nolint:errcheck // the client will see
						_ = http.NewResponseController(w).Flush()
					}
					close(asked)
					<-r.Context().Done()
					close(gone)
				})
				r := newRig(t, parts{up: up.URL})
				before := runtime.NumGoroutine()
				ctx, leave := context.WithCancel(t.Context())
				q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/messages", strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"hello"}]}`))
				if err != nil {
					t.Fatal(err)
				}
				done := make(chan error, 1)
				go func() {
					reply, err := r.http.Do(q)
					if err == nil {
						_, err = io.Copy(io.Discard, reply.Body)
						reply.Body.Close()
					}
					done <- err
				}()
				happens(t, "the provider is asked", asked)
				leave()
				happens(t, "the provider's request ends", gone)
				if err := <-done; err == nil {
					t.Error("the client saw a clean end")
				}
				up.CloseClientConnections()
				until(t, "as few goroutines as before", func() bool { return runtime.NumGoroutine() <= before })
				if n := r.gate.Stats.Failed.Load(); n != 0 {
					t.Error("a client that left was counted as a provider that failed")
				}
			})
		}
	}
}
