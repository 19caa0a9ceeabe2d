package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/todo"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/wire/wiretest"
)

// parts are what a rig is made of. The zero parts steer as a fresh install does,
// keep sessions in memory, and go to no provider.
type parts struct {
	up        string            // the provider, for all three
	upstreams map[string]string // or one each
	still     bool              // no interventions: there is never anything to inject
	store     trimtab.Archive
	service   func(*session.Service) gateway.Service // stands before the session service
	history   gateway.History                        // the store if nil
	carrier   carrier                                // nil is one of the gateway's own
	opening   []trimtab.Event
	maxBody   int
	patience  int  // milliseconds
	near      bool // without sockets, as where time is not real
	opt       gateway.Options
}

// rig is a gateway whose parts the test chooses. Where harness plays an agent, rig
// looks at bytes.
type rig struct {
	t       *testing.T
	store   trimtab.Archive
	service *session.Service
	gate    *gateway.Gateway
	front   net.Listener
	http    *http.Client
	log     *notebook // what the gateway and its server logged
	url     string
}

func newRig(t *testing.T, p parts) *rig {
	t.Helper()
	r := &rig{t: t, store: p.store, log: &notebook{}}
	if r.store == nil {
		r.store = memory.New()
	}
	engine, err := steer.New(steer.Config{Todo: todo.Config{Timing: "fixed"}})
	if p.still {
		engine, err = trimtab.New(trimtab.Config{})
	}
	if err != nil {
		t.Fatal(err)
	}
	records := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.service = session.New(engine, r.store, session.Options{Clock: noon, Log: records})
	opt := p.opt
	opt.Service, opt.History, opt.Log, opt.Clock = r.service, r.store, records, noon
	if p.service != nil {
		opt.Service = p.service(r.service)
	}
	if p.history != nil {
		opt.History = p.history
	}
	if p.carrier != nil {
		opt.Transport = p.carrier
	}
	opt.Opening, opt.MaxBody, opt.Patience, opt.Upstreams = p.opening, p.maxBody, p.patience, p.upstreams
	if p.up != "" {
		opt.Upstreams = map[string]string{"anthropic": p.up, "openai": p.up, "gemini": p.up}
	}
	if r.gate, err = gateway.New(opt); err != nil {
		t.Fatal(err)
	}
	if p.near {
		return r
	}
	if r.front, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	server, end := &http.Server{Handler: r.gate, ErrorLog: slog.NewLogLogger(records.Handler(), slog.LevelWarn)}, make(chan error, 1)
	go func() { end <- server.Serve(r.front) }()
	t.Cleanup(func() {
		if err := server.Shutdown(context.Background()); err != nil || !errors.Is(<-end, http.ErrServerClosed) {
			t.Errorf("the server ended badly: %v", err)
		}
	})
	r.url = "http://" + r.front.Addr().String()
	r.http = newClient(t)
	return r
}

func noon() time.Time { return time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC) }

// newClient is a client that changes nothing: no compression and no user agent
// of its own, no redirects.
func newClient(t *testing.T) *http.Client {
	tr := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// answer is a reply as it reached the client. err says that its body was cut.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
}

func (r *rig) do(method, path string, header http.Header, body []byte) answer {
	r.t.Helper()
	a, err := r.try(method, path, header, bytes.NewReader(body))
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// try is do for goroutines, which may not end the test.
func (r *rig) try(method, path string, header http.Header, body io.Reader) (answer, error) {
	q, err := http.NewRequestWithContext(context.Background(), method, r.url+path, body)
	if err != nil {
		return answer{}, err
	}
	maps.Copy(q.Header, header)
	if r.front == nil {
		w := httptest.NewRecorder()
		r.gate.ServeHTTP(w, q)
		return answer{w.Code, w.Header(), w.Body.Bytes(), nil}, nil
	}
	if _, named := q.Header["User-Agent"]; !named {
		q.Header["User-Agent"] = nil
	}
	reply, err := r.http.Do(q)
	if err != nil {
		return answer{}, err
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	return answer{reply.StatusCode, reply.Header, raw, err}, nil
}

// settle waits for the replies under way, and has the last ones told and stored.
func (r *rig) settle() {
	r.t.Helper()
	until(r.t, "the replies are through", func() bool { return r.gate.Stats.Streams.Load() == 0 })
	r.gate.Flush(context.Background(), 0)
	if err := r.service.Flush(context.Background()); err != nil {
		r.t.Fatal(err)
	}
}

// session returns a session, which must be there.
func (r *rig) session(id string) trimtab.Session {
	r.t.Helper()
	s, err := r.store.Load(context.Background(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// ids are the sessions that there are.
func (r *rig) ids() []string {
	r.t.Helper()
	var all []string
	for info, err := range r.store.List(context.Background(), trimtab.Query{}) {
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, info.ID)
	}
	return all
}

// said are the messages of a session.
func (r *rig) said(id string) []trimtab.Message {
	r.t.Helper()
	var all []trimtab.Message
	for m, err := range r.store.Messages(context.Background(), id, 0) {
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// until waits for a condition. It fails only when that never comes.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for !holds() {
		if ctx.Err() != nil {
			all := make([]byte, 1<<20)
			t.Fatalf("this never came: %s\n%s", what, all[:runtime.Stack(all, true)])
		}
		runtime.Gosched()
	}
}

// happens waits for a channel to close.
func happens(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	select {
	case <-c:
	case <-ctx.Done():
		t.Fatalf("this never came: %s", what)
	}
}

// notebook is a log that many may write to.
type notebook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notebook) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notebook) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// arrival is a request as it reached the provider.
type arrival struct {
	method, uri, host string
	header            http.Header
	length            int64
	body              []byte
}

// inbox is a provider without a socket: it keeps what arrives and says nothing.
type inbox struct {
	mu  sync.Mutex
	all [][]byte
}

func (b *inbox) carry(q *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(q.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, raw)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, err
}

func (b *inbox) last() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all[len(b.all)-1]
}

// provider is an upstream that the test plays: it keeps what arrives and answers
// as it is told.
type provider struct {
	*httptest.Server
	mu  sync.Mutex
	all []arrival
}

func newProvider(t *testing.T, reply http.HandlerFunc) *provider {
	t.Helper()
	p := &provider{}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		p.mu.Lock()
		p.all = append(p.all, arrival{r.Method, r.RequestURI, r.Host, r.Header.Clone(), r.ContentLength, body})
		p.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		if reply != nil {
			reply(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"ok":true}`)
	}))
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.Start()
	t.Cleanup(p.Close)
	return p
}

// got is all that arrived.
func (p *provider) got() []arrival {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

// last is what arrived last.
func (p *provider) last(t *testing.T) arrival {
	t.Helper()
	all := p.got()
	if len(all) == 0 {
		t.Fatal("nothing reached the provider")
	}
	return all[len(all)-1]
}

// planning opens each session in a mode, so that there is a note from its first
// request on.
func planning() []trimtab.Event {
	return []trimtab.Event{trimtab.Asked{Command: "mode", Args: []string{"planning"}, Away: true}}
}

// planned is in that note.
const planned = "You are in PLANNING MODE"

// dialect is one of the four APIs as a client knows it.
type dialect struct {
	path, stream string // of a whole and of a streamed reply
	key          http.Header
	corpus       wiretest.Corpus
	ask          func(prompt string, stream bool) []byte
}

func dialects() map[string]dialect {
	plain := func(list, item string) func(string, bool) []byte {
		return func(prompt string, stream bool) []byte {
			return fmt.Appendf(nil, `{"model":"m","max_tokens":100,"stream":%t,%q:[%s]}`, stream, list, fmt.Sprintf(item, prompt))
		}
	}
	bearer := http.Header{"Authorization": {"Bearer sk-test"}, "Content-Type": {"application/json"}}
	return map[string]dialect{
		"anthropic": {
			"/v1/messages", "/v1/messages",
			http.Header{"X-Api-Key": {"sk-test"}, "Anthropic-Version": {"2023-06-01"}, "Content-Type": {"application/json"}},
			wiretest.Anthropic(), plain("messages", `{"role":"user","content":%q}`),
		},
		"openaichat": {"/v1/chat/completions", "/v1/chat/completions", bearer, wiretest.OpenAIChat(), plain("messages", `{"role":"user","content":%q}`)},
		"responses":  {"/v1/responses", "/v1/responses", bearer, wiretest.Responses(), plain("input", `{"type":"message","role":"user","content":%q}`)},
		"gemini": {
			"/v1beta/models/g:generateContent", "/v1beta/models/g:streamGenerateContent?alt=sse",
			http.Header{"X-Goog-Api-Key": {"sk-test"}, "Content-Type": {"application/json"}},
			wiretest.Gemini(), func(prompt string, _ bool) []byte {
				return fmt.Appendf(nil, `{"contents":[{"role":"user","parts":[{"text":%q}]}]}`, prompt)
			},
		},
	}
}

// with is a header with more in it.
func with(h http.Header, more ...string) http.Header {
	h = h.Clone()
	if h == nil {
		h = http.Header{}
	}
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}
