package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// sent is what a model wrote: status, headers and body.
type sent struct {
	status int
	header http.Header
	body   []byte
}

// watch stands before a model and keeps what it wrote last.
func watch(model http.Handler, last *sent) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		model.ServeHTTP(rec, r)
		*last = sent{rec.Code, rec.Header().Clone(), bytes.Clone(rec.Body.Bytes())}
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes()) //nolint:errcheck // the client will see
	}
}

// TestG4_ErrorsOfTheProviderPassUnchanged: clients read their wording, and wait as
// long as they say.
func TestG4_ErrorsOfTheProviderPassUnchanged(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			var now fakemodel.Reply
			var wrote sent
			model := fakemodel.New(fakemodel.Options{Script: func(fakemodel.Request) fakemodel.Reply { return now }})
			up := newProvider(t, watch(model, &wrote))
			r := newRig(t, parts{up: up.URL, still: true})
			for _, status := range []int{400, 401, 403, 404, 413, 429, 500, 502, 503, 529} {
				for _, stream := range []bool{false, true} {
					now = fakemodel.Reply{Status: status, Text: fmt.Sprintf("prompt is too long: %d tokens > 200000 maximum", status), Headers: http.Header{
						"Retry-After": {"7"}, "X-Should-Retry": {"true"}, "Anthropic-Ratelimit-Tokens-Remaining": {"0"}, "Set-Cookie": {"a=1", "b=2"}, "Www-Authenticate": {"Bearer"},
					}}
					path := d.path
					if stream {
						path = d.stream
					}
					a := r.do(http.MethodPost, path, with(d.key, "X-Trimtab-Session", "s"), d.ask("hello", stream))
					same(t, fmt.Sprint(status), wrote, a)
					if a.status != status || !strings.Contains(string(a.body), "prompt is too long") {
						t.Errorf("%d: %d %s", status, a.status, a.body)
					}
				}
			}
			r.settle()
			if s := r.session("s"); s.Step != 0 {
				t.Errorf("%d steps were counted for errors", s.Step)
			}
			if n := r.gate.Stats.Faults.Load() + r.gate.Stats.Failed.Load(); n != 0 {
				t.Errorf("the provider's errors were counted as ours: %d", n)
			}
		})
	}
}

// same holds what reached the client against what was written.
func same(t *testing.T, what string, wrote sent, a answer) {
	t.Helper()
	got := a.header.Clone()
	got.Del("Date") // the provider's server said it, not its handler
	if wrote.header.Get("Content-Length") == "" {
		got.Del("Content-Length")
	}
	if diff := cmp.Diff(wrote.header, got); diff != "" || a.status != wrote.status || !bytes.Equal(a.body, wrote.body) || a.err != nil {
		t.Errorf("%s: %d became %d (%v), the headers differ %s\nwrote\n%s\narrived\n%s", what, wrote.status, a.status, a.err, diff, wrote.body, a.body)
	}
}

// TestG4_EveryReplyPassesUnchanged: other statuses, no content, no type, and what
// is no HTTP of this century.
func TestG4_EveryReplyPassesUnchanged(t *testing.T) {
	for _, c := range []struct{ name, method, reply, body string }{
		{"no content", "POST", "HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n", ""},
		{"nothing", "POST", "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 0\r\n\r\n", ""},
		{"no type", "POST", "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 6\r\n\r\n<html>", "<html>"},
		{"no length", "POST", "HTTP/1.1 200 OK\r\nX-A: 1\r\nConnection: close\r\n\r\nsome text", "some text"},
		{"HTTP/1.0", "POST", "HTTP/1.0 200 OK\r\nX-A: 1\r\n\r\nsome text", "some text"},
		{"a head", "HEAD", "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 1234\r\n\r\n", ""},
		{"created", "POST", "HTTP/1.1 201 Created\r\nX-A: 1\r\nContent-Length: 2\r\n\r\n{}", "{}"},
		{"not modified", "GET", "HTTP/1.1 304 Not Modified\r\nX-A: 1\r\nEtag: \"x\"\r\n\r\n", ""},
		{"odd status", "POST", "HTTP/1.1 799 Odd\r\nX-A: 1\r\nContent-Length: 2\r\n\r\n{}", "{}"},
		{"early hints", "POST", "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 2\r\n\r\n{}", "{}"},
		{"a redirect", "POST", "HTTP/1.1 302 Found\r\nX-A: 1\r\nLocation: http://elsewhere.example/v1\r\nContent-Length: 2\r\n\r\n{}", "{}"},
		{"a redirect that keeps the method", "POST", "HTTP/1.1 307 Temporary Redirect\r\nX-A: 1\r\nLocation: /v1/messages\r\nContent-Length: 2\r\n\r\n{}", "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := spoken(t, c.reply)
			r := newRig(t, parts{up: up.url, still: true})
			a := r.do(c.method, "/v1/messages", nil, []byte(`{"messages":[{"role":"user","content":"hello"}]}`))
			want, err := http.ReadResponse(bufio.NewReader(strings.NewReader(c.reply[strings.LastIndex(c.reply, "HTTP/1."):])), &http.Request{Method: c.method})
			if err != nil {
				t.Fatal(err)
			}
			want.Header.Del("Connection")
			got := a.header.Clone()
			got.Del("Date")
			if want.Header.Get("Content-Length") == "" {
				got.Del("Content-Length")
			}
			if diff := cmp.Diff(want.Header, got); diff != "" || a.status != want.StatusCode || string(a.body) != c.body || a.err != nil {
				t.Errorf("status %d, %v, %q, headers %s", a.status, a.err, a.body, diff)
			}
			if n := up.asked(); n != 1 {
				t.Errorf("the provider was asked %d times", n)
			}
		})
	}
}

// voice is a provider that answers each connection with the same bytes.
type voice struct {
	url string
	n   chan int
}

func (v *voice) asked() int {
	n := <-v.n
	v.n <- n
	return n
}

func spoken(t *testing.T, reply string) *voice {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v := &voice{"http://" + l.Addr().String(), make(chan int, 1)}
	v.n <- 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			r, err := http.ReadRequest(bufio.NewReader(conn))
			if err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				v.n <- <-v.n + 1
				_, _ = io.WriteString(conn, reply)
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return v
}

// TestG4_HopByHopHeadersEndHere: those of the provider's connection are not the
// client's.
func TestG4_HopByHopHeadersEndHere(t *testing.T) {
	up := spoken(t, "HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Private\r\nX-Private: 1\r\nKeep-Alive: timeout=5\r\nProxy-Connection: x\r\nProxy-Authenticate: Basic\r\nTrailer: X-Sum\r\nUpgrade: h2c\r\nX-Kept: 1\r\nContent-Length: 2\r\n\r\n{}")
	r := newRig(t, parts{up: up.url})
	a := r.do(http.MethodGet, "/v1/models", nil, nil)
	a.header.Del("Date")
	if diff := cmp.Diff(http.Header{"X-Kept": {"1"}, "Content-Length": {"2"}}, a.header); diff != "" {
		t.Errorf("%s", diff)
	}
	if b := r.do(http.MethodGet, "/v1/models", nil, nil); b.status != http.StatusOK {
		t.Errorf("the second request: %d %s", b.status, b.body)
	}
}

// TestG4_AProviderThatIsDown: a 502 in a form that clients read, with the name of
// the provider and of its host, and nothing else of the address.
func TestG4_AProviderThatIsDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	silent, garbled, cut := spoken(t, ""), spoken(t, "SSH-2.0-OpenSSH sk-canary\r\n"), spoken(t, "HTTP/1.1 200 OK\r\nsk-canary-without-a-colon\r\n\r\n")
	odd := spoken(t, "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n")
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0)
	stranger.StartTLS()
	t.Cleanup(stranger.Close)
	for name, c := range map[string]struct{ url, why string }{
		"nobody listens":                  {"http://" + addr + "/tenant-canary", "refused"},
		"it says nothing":                 {silent.url, "closed the connection"},
		"it speaks something else":        {garbled.url, "no HTTP reply"},
		"half a header":                   {cut.url, "no HTTP reply"},
		"no such status":                  {odd.url, "no HTTP reply"},
		"a certificate that nobody knows": {stranger.URL, "x509"},
	} {
		for provider, path := range map[string]string{"anthropic": "/v1/messages", "openai": "/v1/chat/completions", "gemini": "/v1beta/models/g:generateContent"} {
			r := newRig(t, parts{up: c.url, still: true})
			a := r.do(http.MethodPost, path+"?key=sk-canary", http.Header{"X-Api-Key": {"sk-canary"}, "Authorization": {"Bearer sk-canary"}}, []byte(`{"messages":[{"role":"user","content":"hello"}]}`))
			var body struct {
				Type  string
				Error struct{ Type, Message string }
			}
			decode(t, a.body, &body)
			host := strings.Split(c.url, "/")[2]
			if a.status != http.StatusBadGateway || !strings.Contains(body.Error.Message, provider) || !strings.Contains(body.Error.Message, host) || !strings.Contains(body.Error.Message, c.why) || body.Type != "error" {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
			if all := string(a.body) + r.log.String(); strings.Contains(all, "canary") {
				t.Errorf("%s: %s", name, all)
			}
			if r.gate.Stats.Failed.Load() != 1 || !strings.Contains(r.log.String(), "provider="+provider) {
				t.Errorf("%s: it was not counted or not logged: %s", name, r.log)
			}
		}
	}
}

// TestG4_WhyAProviderWasNotReached: in words that hold nothing of the request or
// of what came back.
func TestG4_WhyAProviderWasNotReached(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "canary.example", Server: "10.0.0.1:53", IsNotFound: true}}, "no such host"},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", errors.New("network is unreachable"))}, "network is unreachable"},
		{fmt.Errorf("reading: %w", context.DeadlineExceeded), "timed out"},
		{&url.Error{Op: "Post", URL: "https://x/?key=canary", Err: errors.New("canary")}, "no HTTP reply"},
		{fmt.Errorf("malformed HTTP response %q", "canary"), "no HTTP reply"},
		{fmt.Errorf("http2: server sent GOAWAY, debug=%q", "canary"), "no HTTP reply"},
		{fmt.Errorf("transport connection broken: %w", io.ErrUnexpectedEOF), "closed the connection"},
	} {
		r := newRig(t, parts{up: "http://provider.example", carrier: func(*http.Request) (*http.Response, error) { return nil, c.err }})
		a := r.do(http.MethodGet, "/v1/models", nil, nil)
		if all := string(a.body) + r.log.String(); a.status != http.StatusBadGateway || !strings.Contains(string(a.body), c.want) || strings.Contains(all, "canary") {
			t.Errorf("%v: %d %s", c.err, a.status, all)
		}
	}
}
