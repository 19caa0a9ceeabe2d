package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestRepliesAreReadWhole(t *testing.T) {
	for _, c := range []struct {
		name, in string
		body     string
		again    bool
		bad      bool
	}{
		{"of a length", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", "hello", true, false},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", "hello", true, false},
		{"the last on the connection", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "ok", false, false},
		{"cut", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", "hel", false, true},
		{"cut between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n", "hel", false, true},
		{"a chunk that is longer than it says", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n", "hel", false, true},
		{"no reply", "hello\r\n\r\n", "", false, true},
		{"without an end", "HTTP/1.1 200 OK\r\n\r\nhello", "", false, true},
		{"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []byte
			r, again, err := readReply(bufio.NewReader(strings.NewReader(c.in)), func(b []byte) { got = append(got, b...) })
			if (err != nil) != c.bad || string(got) != c.body || err == nil && again != c.again {
				t.Fatalf("read %q, again %v, error %v", got, again, err)
			}
			if r.length != len(got) || r.sum != crc32.Checksum(got, table()) {
				t.Errorf("length %d, sum %x", r.length, r.sum)
			}
		})
	}
}

func FuzzReadReply(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n0\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\nx"))
	f.Fuzz(func(t *testing.T, in []byte) {
		n := 0
		r, _, err := readReply(bufio.NewReader(bytes.NewReader(in)), func(b []byte) { n += len(b) })
		if r.length != n || n > len(in) {
			t.Fatalf("length %d, seen %d of %d bytes, error %v", r.length, n, len(in), err)
		}
	})
}

// server is a target on a handler.
func server(t *testing.T, h http.Handler) *target {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c := &target{name: "test", host: strings.TrimPrefix(s.URL, "http://")}
	t.Cleanup(c.hangUp)
	return c
}

func TestAWholeStreamIsToldFromACutOne(t *testing.T) {
	m := newModel()
	good := server(t, m)
	body := newTalk(1, 10_000, 120, true).body()
	for seed := 1; seed <= 3; seed++ {
		if !whole(t.Context(), good, request{session: "s", body: body}, seed, 20) {
			t.Errorf("the stream of seed %d is not what was expected", seed)
		}
	}
	for name, change := range map[string]func([]byte) []byte{
		"cut":     func(b []byte) []byte { return b[:len(b)-1] },
		"changed": func(b []byte) []byte { b[len(b)/2]++; return b },
		"another": func([]byte) []byte { return opening(0, 1) },
	} {
		bad := server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := httptest.NewRecorder()
			m.ServeHTTP(rec, r)
			_, _ = w.Write(change(rec.Body.Bytes()))
		}))
		if whole(t.Context(), bad, request{session: "s", body: body}, 1, 20) {
			t.Errorf("%s: taken for whole", name)
		}
	}
}

func TestNoEventComesBeforeAllStreamsAreOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel()
		r := httptest.NewRequest(http.MethodPost, "/v1/messages", http.NoBody)
		r.Header.Set(gateHeader, "g/3")
		var through atomic.Int32
		for n := range int32(3) {
			if synctest.Wait(); through.Load() != 0 {
				t.Fatalf("a stream went on when %d of 3 were open", n)
			}
			go func() {
				m.wait(r)
				through.Add(1)
			}()
		}
		if synctest.Wait(); through.Load() != 3 {
			t.Errorf("%d of 3 streams went on", through.Load())
		}
	})
}

func TestAskingEndsWithItsTime(t *testing.T) {
	c := server(t, newModel())
	ctx, cancel := context.WithCancel(t.Context())
	headers := fmt.Sprintf("%s: 5\r\n%s: never/2\r\n", eventsHeader, gateHeader) // no other stream will come
	_, err := c.ask(ctx, request{session: "s", headers: headers, each: func([]byte) { cancel() }})
	if err == nil {
		t.Error("a stream that waits for ever came whole")
	}
}

func TestMarksAreAges(t *testing.T) {
	var seen []time.Duration
	old := time.Now().Add(-time.Hour).UnixNano()
	marks(&seen)(fmt.Appendf(nil, "data: t=%d; x\n\ndata: t=%d; y\n\ndata: t=12", old, old))
	if len(seen) != 2 || seen[0] < time.Hour {
		t.Errorf("seen %v", seen)
	}
}

func TestTheModelCountsWhatItRead(t *testing.T) {
	rec := httptest.NewRecorder()
	newModel().ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/v1/messages", io.LimitReader(strings.NewReader(strings.Repeat("x", 400)), 400)))
	if !strings.Contains(rec.Body.String(), `"input_tokens":100`) {
		t.Error(rec.Body.String())
	}
}
