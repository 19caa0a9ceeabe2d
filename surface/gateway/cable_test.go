package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// provider is a server that a test has say what it wants.
func provider(t *testing.T, serve func(n int, c net.Conn)) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			go serve(n, c)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/v1/messages"}
}

func cablesTo(t *testing.T, u *url.URL) *cables {
	t.Helper()
	p := newCables(newDialer(), map[string]*url.URL{"anthropic": u})
	if p == nil {
		t.Skip("there are no cables here")
	}
	t.Cleanup(func() { p.hangUp(0, maxIdle) })
	return p
}

// post sends a body and returns the reply, read to its end.
func post(t *testing.T, p *cables, u *url.URL, body string) (reply *http.Response, text string, sent bool, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	q := &http.Request{Method: http.MethodPost, URL: u, Host: u.Host, Header: http.Header{"X-Kept": {"1"}}}
	out := &parcel{size: len(body)}
	for half := range strings.SplitSeq(body, "|") { // pieces
		out.pieces = append(out.pieces, []byte(half))
	}
	out.size -= len(out.pieces) - 1
	if reply, sent, err = p.send(ctx, q, out); err != nil {
		return nil, "", sent, err
	}
	raw, err := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	return reply, string(raw), sent, err
}

const short = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// take reads a request.
func take(in *bufio.Reader) (string, error) {
	q, err := http.ReadRequest(in)
	if err != nil {
		return "", err
	}
	raw, err := io.ReadAll(q.Body)
	return q.Header.Get("X-Kept") + string(raw), err
}

func TestACableIsUsedAgain(t *testing.T) {
	var conns atomic.Int32
	u := provider(t, func(_ int, c net.Conn) {
		conns.Add(1)
		for in := bufio.NewReader(c); ; {
			got, err := take(in)
			if err != nil {
				return
			}
			if got != "1abcdef" {
				t.Errorf("the provider got %q", got)
			}
			_, _ = io.WriteString(c, short)
		}
	})
	p := cablesTo(t, u)
	for range 20 {
		if _, text, sent, err := post(t, p, u, "abc|def"); err != nil || text != "{}" || !sent {
			t.Fatalf("%q, sent %v, %v", text, sent, err)
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections for requests one after the other", n)
	}
}

// TestACableThatWasHungUpIsNotUsed: a provider may close a connection between two
// requests. The next one is sent on another, and once.
func TestACableThatWasHungUpIsNotUsed(t *testing.T) {
	var requests atomic.Int32
	closed := make(chan struct{}, 100)
	u := provider(t, func(_ int, c net.Conn) {
		if _, err := take(bufio.NewReader(c)); err == nil {
			requests.Add(1)
			_, _ = io.WriteString(c, short)
		}
		_ = c.Close()
		closed <- struct{}{}
	})
	p := cablesTo(t, u)
	for range 20 {
		if _, text, _, err := post(t, p, u, "abc"); err != nil || text != "{}" {
			t.Fatalf("%q, %v", text, err)
		}
		<-closed
	}
	if n := requests.Load(); n != 20 {
		t.Errorf("%d requests arrived of 20", n)
	}
}

// TestAReplyMayComeBeforeTheBodyIsTaken: a provider that refuses a body does not
// read it first. Its reply arrives whole, whether it hangs up or not.
func TestAReplyMayComeBeforeTheBodyIsTaken(t *testing.T) {
	const refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\n\r\ntoo large"
	body := strings.Repeat("x", 24<<20)
	end := make(chan struct{})
	defer close(end)
	for name, hold := range map[string]bool{"and holds on": true, "and ends its side": false} {
		t.Run(name, func(t *testing.T) {
			u := provider(t, func(_ int, c net.Conn) {
				_, _ = io.ReadFull(c, make([]byte, 1000))
				_, _ = io.WriteString(c, refusal)
				if hold {
					<-end
				} else if tcp, ok := c.(*net.TCPConn); ok {
					_ = tcp.CloseWrite()
				}
			})
			reply, text, sent, err := post(t, cablesTo(t, u), u, body)
			if err != nil || reply.StatusCode != http.StatusRequestEntityTooLarge || text != "too large" {
				t.Fatalf("%v, %q, %v", reply, text, err)
			}
			if sent {
				t.Error("a body that nobody took counts as sent: its bytes would be used again")
			}
		})
	}
}

// TestCablesReadWhatTheStandardClientReads holds them to it, reply by reply.
func TestCablesReadWhatTheStandardClientReads(t *testing.T) {
	for name, raw := range map[string]string{
		"a length":          short,
		"none":              "HTTP/1.1 204 No Content\r\n\r\n",
		"chunks":            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-Sum: 1\r\n\r\n",
		"to the end":        "HTTP/1.1 200 OK\r\n\r\nas long as it lasts",
		"an old server":     "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"hints before it":   "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + short,
		"an error":          "HTTP/1.1 529 Overloaded\r\nRetry-After: 1\r\nRetry-After: 2\r\nContent-Length: 4\r\n\r\nbusy",
		"cut":               "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}",
		"cut in a chunk":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"no chunk":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab",
		"two lengths":       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"something else":    "SSH-2.0\r\n",
		"nothing":           "",
		"half a head":       "HTTP/1.1 200 OK\r\nContent-",
		"more than it says": short + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad",
	} {
		t.Run(name, func(t *testing.T) {
			u := provider(t, func(_ int, c net.Conn) {
				if _, err := take(bufio.NewReader(c)); err == nil {
					_, _ = io.WriteString(c, raw)
				}
				_ = c.Close()
			})
			type seen struct {
				Status int
				Header http.Header
				Text   string
				Failed bool
			}
			var want, got seen
			tr := &http.Transport{DisableCompression: true}
			defer tr.CloseIdleConnections()
			q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.String(), strings.NewReader("abc"))
			if err != nil {
				t.Fatal(err)
			}
			if reply, err := tr.RoundTrip(q); err != nil {
				want.Failed = true
			} else {
				body, err := io.ReadAll(reply.Body)
				_ = reply.Body.Close()
				want = seen{reply.StatusCode, reply.Header, string(body), err != nil}
			}
			if reply, text, _, err := post(t, cablesTo(t, u), u, "abc"); reply == nil {
				got.Failed = err != nil
			} else {
				got = seen{reply.StatusCode, reply.Header, text, err != nil}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the standard client, and a cable:\n%s", diff)
			}
		})
	}
}

// TestAHeadWithoutEndIsGivenUp: a provider cannot fill the memory with it.
func TestAHeadWithoutEndIsGivenUp(t *testing.T) {
	u := provider(t, func(_ int, c net.Conn) {
		if _, err := take(bufio.NewReader(c)); err != nil {
			return
		}
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		for line := []byte("X-More: " + strings.Repeat("x", 1000) + "\r\n"); err == nil; {
			_, err = c.Write(line)
		}
	})
	if _, _, _, err := post(t, cablesTo(t, u), u, "abc"); !errors.Is(err, errLongHead) {
		t.Errorf("err = %v", err)
	}
}

// TestP12_ACableEndsWithItsRequest: who waits for a reply is woken when the client
// is gone, and the provider sees it.
func TestP12_ACableEndsWithItsRequest(t *testing.T) {
	came, gone := make(chan struct{}), make(chan struct{})
	u := provider(t, func(_ int, c net.Conn) {
		in := bufio.NewReader(c)
		_, _ = take(in)
		close(came)
		_, _ = in.ReadByte()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-came
		cancel()
	}()
	q := &http.Request{Method: http.MethodPost, URL: u, Host: u.Host, Header: http.Header{}}
	if _, _, err := cablesTo(t, u).send(ctx, q, &parcel{}); err == nil {
		t.Error("a reply came")
	}
	<-gone
}

// TestCablesThatNobodyUsesAreHungUp, and those in use are not.
func TestCablesThatNobodyUsesAreHungUp(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	defer s.Close()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := cablesTo(t, u)
	count := func() (n int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.idle[u.Host])
	}
	if _, _, _, err := post(t, p, u, "abc"); err != nil || count() != 1 {
		t.Fatalf("%d wait, %v", count(), err)
	}
	if p.hangUp(time.Hour, maxIdle); count() != 1 || p.timer == nil {
		t.Error("one that was just used was hung up, or nobody will look again")
	}
	ours, theirs := net.Pipe()
	defer theirs.Close()
	newest := &cable{conn: ours}
	p.put(u.Host, newest)
	if p.hangUp(time.Hour, 1); count() != 1 || p.idle[u.Host][0] != newest || p.timer == nil {
		t.Error("of two the newest should stay")
	}
	if p.hangUp(0, maxIdle); count() != 0 || p.timer != nil {
		t.Error("one that nobody uses waits still")
	}
}

// TestCablesGoOnlyWhereTheyMay: to providers in plain HTTP that are configured.
func TestCablesGoOnlyWhereTheyMay(t *testing.T) {
	parse := func(s string) *url.URL {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	if p := newCables(newDialer(), map[string]*url.URL{"anthropic": parse("https://api.anthropic.com")}); p != nil {
		t.Error("there are cables where TLS is spoken")
	}
	p := newCables(newDialer(), map[string]*url.URL{"a": parse("https://api.anthropic.com"), "b": parse("http://127.0.0.1:1/v1")})
	for to, want := range map[string]bool{"http://127.0.0.1:1/v1/messages": canPeek, "https://127.0.0.1:1/": false, "http://127.0.0.1:2/": false, "http://api.anthropic.com/": false} {
		if p.goes(parse(to)) != want {
			t.Errorf("%s: %v", to, !want)
		}
	}
}

// FuzzCable: whatever a provider says, a reply is what the standard reader makes
// of it, and nothing is read beyond the limit.
func FuzzCable(f *testing.F) {
	for _, s := range []string{short, "", "HTTP/1.1 103 Early Hints\r\n\r\n" + short, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "HTTP/1.0 200\r\n\r\nx", "HTTP/1.1 099 x\r\n\r\n", "HTTP/1.1 101 x\r\n\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		here, there := net.Pipe()
		defer here.Close()
		go func() {
			defer there.Close()
			in := bufio.NewReader(there)
			if _, err := take(in); err == nil {
				_, _ = there.Write(raw)
			}
		}()
		c := &cable{conn: here}
		c.in = bufio.NewReader(c)
		a := &asked{cable: c, cables: &cables{idle: map[string][]*cable{}}, stop: func() bool { return true }}
		q := &http.Request{Method: http.MethodPost, URL: &url.URL{Path: "/"}, Host: "h", Header: http.Header{}}
		reply, err := a.ask(q, &parcel{pieces: [][]byte{[]byte("abc")}, size: 3})
		if err != nil {
			a.end(false)
			return
		}
		got, failed := io.ReadAll(reply.Body)
		if reply.StatusCode < http.StatusOK {
			t.Fatalf("status %d", reply.StatusCode)
		}
		in := bufio.NewReader(bytes.NewReader(raw))
		for {
			want, err := http.ReadResponse(in, q)
			if err != nil {
				t.Fatalf("%q is a reply", raw)
			}
			if want.StatusCode < http.StatusOK {
				continue
			}
			text, err := io.ReadAll(want.Body)
			if want.StatusCode != reply.StatusCode || !bytes.Equal(text, got) || (err == nil) != (failed == nil) {
				t.Fatalf("%d %q %v, and not %d %q %v", reply.StatusCode, got, failed, want.StatusCode, text, err)
			}
			break
		}
		p := a.cables
		if p.hangUp(0, maxIdle); !a.over {
			t.Fatal("it does not end")
		}
	})
}
