package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/server"
)

// fakes stands for all that is behind the routes.
type fakes struct {
	load    error // what the store answers
	backlog session.Backlog
	serve   http.HandlerFunc // the gateway; nil names the path

	mu      sync.Mutex
	flushed []time.Duration
}

func (f *fakes) Load(_ context.Context, id string) (trimtab.Session, error) {
	return trimtab.Session{}, fmt.Errorf("load %s: %w", id, f.load)
}

func (f *fakes) Backlog() session.Backlog { return f.backlog }

func (f *fakes) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, "gateway_metric 1\n")
	return int64(n), err
}

func (f *fakes) Flush(_ context.Context, quiet time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flushed = append(f.flushed, quiet)
}

func (f *fakes) flushes() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.flushed)
}

func (f *fakes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.serve != nil {
		f.serve(w, r)
		return
	}
	named("gateway").ServeHTTP(w, r)
}

func (f *fakes) options() server.Options {
	return server.Options{Gateway: f, Metrics: f, Sessions: f, Store: f, Hosts: []string{"localhost:1"}, Known: func(string) bool { return true }}
}

// named answers with its name and the path that it was asked for.
func named(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, name, r.URL.Path) })
}

func newServer(t *testing.T, opt server.Options) *server.Server {
	t.Helper()
	s, err := server.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask is one request to localhost:1, with headers as in "Origin: x".
func ask(h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost:1"+path, nil)
	for _, line := range header {
		k, v, _ := strings.Cut(line, ": ")
		if k == "Host" {
			r.Host = v
			continue
		}
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestRoutes(t *testing.T) {
	f := &fakes{load: trimtab.ErrNotFound}
	all := f.options()
	all.API, all.MCP = named("api"), named("mcp")
	for _, c := range []struct {
		name, method, path string
		opt                server.Options
		want               string
	}{
		{"health", "GET", "/healthz", all, "ok\n"},
		{"health by HEAD", "HEAD", "/healthz", all, "ok\n"}, // net/http leaves the body out
		{"ready", "GET", "/readyz", all, "ok\n"},
		{"the management API", "GET", "/trimtab/api/sessions", all, "api /trimtab/api/sessions\n"},
		{"any method of the management API", "DELETE", "/trimtab/", all, "api /trimtab/\n"},
		{"MCP", "POST", "/mcp", all, "mcp /mcp\n"},
		{"MCP has no paths below it", "POST", "/mcp/x", all, "gateway /mcp/x\n"},
		{"a provider's path", "POST", "/v1/messages", all, "gateway /v1/messages\n"},
		{"a path that is not clean is not redirected", "POST", "//v1/../v1/messages", all, "gateway //v1/../v1/messages\n"},
		{"a provider's own path of that name", "POST", "/healthz", all, "gateway /healthz\n"},
		{"no management API", "GET", "/trimtab/api/sessions", f.options(), "gateway /trimtab/api/sessions\n"},
		{"no MCP", "POST", "/mcp", f.options(), "gateway /mcp\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := ask(newServer(t, c.opt), c.method, c.path)
			if w.Code != http.StatusOK || w.Body.String() != c.want {
				t.Errorf("%d %q; want %q", w.Code, w.Body, c.want)
			}
		})
	}
}

// TestOnlyThisMachineIsAllowed: a page in a browser reaches loopback by a host name
// of its own, or names its origin.
func TestOnlyThisMachineIsAllowed(t *testing.T) {
	f := &fakes{load: trimtab.ErrNotFound}
	opt := f.options()
	opt.API, opt.MCP = named("api"), named("mcp")
	s := newServer(t, opt)
	for _, c := range []struct {
		name, header string
		allowed      bool
	}{
		{"its own name", "Host: localhost:1", true},
		{"its own origin", "Origin: http://localhost:1", true},
		{"another name", "Host: attacker.example:1", false},
		{"another port", "Host: localhost:2", false},
		{"no port", "Host: localhost", false},
		{"no host", "Host: ", false},
		{"another origin", "Origin: http://attacker.example", false},
		{"another scheme", "Origin: https://localhost:1", false},
		{"an origin that is not told", "Origin: null", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, path := range []string{"/metrics", "/trimtab/api/sessions", "/v1/messages"} {
				w := ask(s, "GET", path, c.header)
				if allowed := w.Code == http.StatusOK; allowed != c.allowed || !allowed && w.Code != http.StatusForbidden {
					t.Errorf("%s: %d %s", path, w.Code, w.Body)
				}
			}
			if w := ask(s, "GET", "/mcp", c.header); w.Body.String() != "mcp /mcp\n" {
				t.Errorf("MCP answers for itself: %d %s", w.Code, w.Body)
			}
		})
	}
}

func TestReady(t *testing.T) {
	for _, c := range []struct {
		name string
		f    *fakes
		code int
		want string
	}{
		{"all is well", &fakes{load: trimtab.ErrNotFound}, 200, "ok\n"},
		{"something waits", &fakes{load: trimtab.ErrNotFound, backlog: session.Backlog{Sessions: 1, Failures: 3}}, 200, "ok\n"},
		{"the store is away", &fakes{load: io.ErrUnexpectedEOF}, 503, "the store does not answer; requests still pass, unsteered\n"},
		{"the store takes nothing", &fakes{load: trimtab.ErrNotFound, backlog: session.Backlog{Err: io.ErrShortWrite}}, 503, "the store takes nothing; requests are steered from memory\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := ask(newServer(t, c.f.options()), "GET", "/readyz")
			if w.Code != c.code || w.Body.String() != c.want {
				t.Errorf("%d %q; want %d %q", w.Code, w.Body, c.code, c.want)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	f := &fakes{backlog: session.Backlog{Sessions: 2, Bytes: 300, Failures: 4}}
	w := ask(newServer(t, f.options()), "GET", "/metrics")
	want := `gateway_metric 1
# HELP trimtab_store_failures_total commits that the store did not take
# TYPE trimtab_store_failures_total counter
trimtab_store_failures_total 4
# HELP trimtab_store_waiting_sessions sessions of which something waits to be stored
# TYPE trimtab_store_waiting_sessions gauge
trimtab_store_waiting_sessions 2
# HELP trimtab_store_waiting_bytes bytes that wait to be stored
# TYPE trimtab_store_waiting_bytes gauge
trimtab_store_waiting_bytes 300
`
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	if kind := w.Header().Get("Content-Type"); kind != "text/plain; version=0.0.4" {
		t.Error(kind)
	}
}

func TestNewNeedsItsParts(t *testing.T) {
	if _, err := server.New(server.Options{}); err == nil {
		t.Error("a server of nothing was made")
	}
}

// TestShutdownLetsRepliesFinish: the context ends while a reply is under way. Nothing
// new is let in, the reply arrives whole, and what it told is flushed after it.
func TestShutdownLetsRepliesFinish(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	f := &fakes{}
	var early []time.Duration
	f.serve = func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "half ")
		_ = http.NewResponseController(w).Flush()
		close(begun)
		<-finish
		early = f.flushes()
		fmt.Fprint(w, "whole")
	}
	l, err := server.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	opt := f.options()
	opt.Hosts, opt.FlushQuiet = server.AllowedHosts(l.Addr()), time.Hour
	ctx, stop := context.WithCancel(t.Context())
	end := make(chan error, 1)
	go func() { end <- newServer(t, opt).Serve(ctx, l) }()

	reply, err := http.Get("http://" + l.Addr().String() + "/v1/messages")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	<-begun
	stop()
	for { // until the listener is closed
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			break
		}
		_ = c.Close()
	}
	select {
	case err := <-end:
		t.Fatalf("it did not wait for the reply: %v", err)
	default:
	}
	close(finish)
	text, err := io.ReadAll(reply.Body)
	if err != nil || string(text) != "half whole" {
		t.Errorf("%q, %v", text, err)
	}
	if err := <-end; err != nil {
		t.Error(err)
	}
	if got := f.flushes(); len(early) > 0 || !slices.Equal(got, []time.Duration{0}) {
		t.Errorf("flushed %v before the reply was over and %v after; want once, for all sessions", early, got)
	}
}

func TestServeTellsWhyItEnded(t *testing.T) {
	f := &fakes{}
	broken := errors.New("broken")
	err := newServer(t, f.options()).Serve(t.Context(), brokenListener{broken})
	if !errors.Is(err, broken) || len(f.flushes()) != 1 {
		t.Errorf("%v, flushed %v; want the listener's error, and what waits stored", err, f.flushes())
	}
}

type brokenListener struct{ err error }

func (b brokenListener) Accept() (net.Conn, error) { return nil, b.err }
func (brokenListener) Close() error                { return nil }
func (brokenListener) Addr() net.Addr              { return &net.TCPAddr{} }

// TestH7_TheGatewayIsAskedOnlyAtAnAddressThatWasHandedOut: whatever else a request
// says. The other routes have their own checks and stay where they are; a run has none.
func TestH7_TheGatewayIsAskedOnlyAtAnAddressThatWasHandedOut(t *testing.T) {
	secret := address.New()
	f := &fakes{load: trimtab.ErrNotFound}
	opt := f.options()
	opt.Known = address.Only(secret)
	opt.API, opt.MCP = named("api"), named("mcp")
	s := newServer(t, opt)
	asked := 0
	f.serve = func(_ http.ResponseWriter, r *http.Request) {
		asked++
		if strings.Contains(fmt.Sprint(r.URL, r.RequestURI, r.Header), secret) {
			t.Errorf("the gateway is told the secret: %v %v", r.URL, r.Header)
		}
	}
	for _, path := range []string{"/", "/v1/messages", "/s/x/v1/messages", "/k/" + address.New() + "/v1/messages", "/k/" + address.New() + "/trimtab/api", "/mcp/k/" + secret} {
		if w := ask(s, "POST", path, "X-Trimtab-Session: x"); w.Code != http.StatusForbidden || asked > 0 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for i, path := range []string{"/v1/messages", "/s/x/v1/messages", "/healthz", "/trimtab/api", "/mcp"} { // with the secret all is the gateway's
		if w := ask(s, "GET", "/k/"+secret+path); w.Code != http.StatusOK || asked != i+1 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := ask(s, "POST", "/k/"+secret+"/v1/messages", "Origin: http://attacker.example"); w.Code != http.StatusForbidden {
		t.Errorf("a page that knows the secret: %d", w.Code)
	}
	opt = f.options()
	opt.Known, opt.Bare = address.Only(secret), true
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/mcp", "/trimtab/api"} {
		if w := ask(newServer(t, opt), "GET", path); w.Code != http.StatusForbidden {
			t.Errorf("a run answers %s: %d", path, w.Code)
		}
	}
	opt.Known = nil
	if _, err := server.New(opt); err == nil {
		t.Error("a server without addresses would be open to all")
	}
}
