package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab/agent/tool"
)

// fetching returns the tool for a server on loopback, which the settings have to name.
func fetching(t *testing.T, cfg Config, h http.HandlerFunc) (tool.Tool, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	cfg.Private = append(cfg.Private, strings.TrimPrefix(s.URL, "http://"))
	f, err := Fetch(Options{Config: cfg, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return f, s.URL
}

func call(t *testing.T, f tool.Tool, url string, after int) (string, error) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"url": url, "after": after})
	if err != nil {
		t.Fatal(err)
	}
	return f.Call(t.Context(), raw)
}

func TestAPageIsReadAsText(t *testing.T) {
	f, at := fetching(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" || r.Header.Get("Authorization") != "" {
			t.Error("it sends more than it should")
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<html><head><title>The  mill</title><style>p{}</style></head><body><nav>menu</nav><h1>Wind</h1><p>It <b>turns</b>, <a href="/sails?a=1&amp;b=2">by sails</a>.</p><ul><li>one<li>two</ul><pre>a  b
c</pre><script>alert("no")</script><table><tr><td>x<td>y</table></body></html>`)
	})
	text, err := call(t, f, at+"/", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := "Title: The mill\n\n# Wind\n\nIt turns, by sails (" + at + "/sails?a=1&b=2).\n\n- one\n- two\n\na  b\nc\n\n| x | y"
	if text != want {
		t.Errorf("%q\nwant\n%q", text, want)
	}
}

// TestChat_6_PrivateAddressesAreRefused, also where a name or a redirect leads to one.
func TestChat_6_PrivateAddressesAreRefused(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was read") }))
	defer s.Close()
	f, at := fetching(t, Config{}, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, s.URL+"/secret", http.StatusFound) })
	port := s.URL[strings.LastIndexByte(s.URL, ':'):]
	for _, addr := range []string{s.URL, "http://localhost" + port, "http://[::1]" + port, "http://0.0.0.0" + port, "http://[::ffff:127.0.0.1]" + port, "http://2130706433" + port} {
		if text, err := call(t, f, addr, 0); err == nil {
			t.Errorf("%s: %q", addr, text)
		}
	}
	if text, err := call(t, f, at, 0); err != nil || !strings.Contains(text, "another host") || !strings.Contains(text, s.URL+"/secret") {
		t.Errorf("%q, %v", text, err)
	}
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "10.1.2.3": false, "127.8.8.8": false, "169.254.169.254": false, "172.31.0.1": false, "192.168.1.1": false, "100.64.0.1": false,
		"::1": false, "fe80::1": false, "fd00::1": false, "64:ff9b::7f00:1": false, "::ffff:10.0.0.1": false, "2002:7f00:1::": false, "0.0.0.0": false, "255.255.255.255": false, "224.0.0.1": false,
	} {
		if got := public(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s is public: %v", addr, got)
		}
	}
}

func TestARedirectOnTheHostIsFollowed(t *testing.T) {
	f, at := fetching(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
			return
		}
		if r.URL.Path == "/round" {
			http.Redirect(w, r, "/round", http.StatusFound)
			return
		}
		fmt.Fprint(w, "plain words")
	})
	if text, err := call(t, f, at, 0); err != nil || text != "plain words" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := call(t, f, at+"/round", 0); err == nil || !strings.Contains(err.Error(), "too many redirects") {
		t.Error(err)
	}
}

// TestChat_6_APageHasLimits: a page without end is cut, one that never comes is given up,
// and a long one comes in pieces.
func TestChat_6_APageHasLimits(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	f, at := fetching(t, Config{Bytes: 100_000, Seconds: 1}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hang":
			select {
			case <-stop:
			case <-time.After(time.Minute):
			}
		case "/bin":
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write([]byte{0, 1, 2})
		case "/no":
			http.Error(w, "no such page", http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "text/plain")
			for range 40_000 {
				if _, err := fmt.Fprint(w, "word "); err != nil {
					return
				}
			}
		}
	})
	text, err := call(t, f, at+"/long", 0)
	if err != nil || !strings.Contains(text, "after=32768 goes on") || len(text) > maxPiece+200 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if text, err = call(t, f, at+"/long", 98_304); err != nil || !strings.Contains(text, "[cut: the first 100000 bytes of the page]") {
		t.Errorf("%q, %v", text, err)
	}
	for path, want := range map[string]string{"/hang": "no answer within 1 seconds", "/bin": "no text", "/no": "404"} {
		if _, err := call(t, f, at+path, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAHostIsAskedForOnce(t *testing.T) {
	f, _ := fetching(t, Config{Allow: []string{"pkg.go.dev"}}, nil)
	ctx := tool.WithSession(t.Context(), "s1")
	need := func(url string) (tool.Ask, bool) {
		ask, need, err := f.Question(ctx, json.RawMessage(`{"url":"`+url+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		return ask, need
	}
	if _, asked := need("https://pkg.go.dev/net/http"); asked {
		t.Error("it asks for a host of the settings")
	}
	ask, asked := need("https://example.com/a")
	if !asked || ask.Rule != "web_fetch: pages of example.com" || !strings.Contains(ask.Title, "https://example.com/a") {
		t.Fatalf("%+v", ask)
	}
	if err := f.Always(ctx, ask, tool.ForSession); err != nil {
		t.Fatal(err)
	}
	if _, asked := need("https://Example.com/b"); asked {
		t.Error("it asks again")
	}
	if _, asked := need("https://sub.example.com/b"); !asked {
		t.Error("another host needs no question")
	}
	for _, bad := range []string{"file:///etc/passwd", "ftp://a", "https://user:pw@example.com/", "example.com", "https://"} {
		if _, err := call(t, f, bad, 0); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("<h1>a<p>b<a href='c'>d</a><pre> e")
	f.Add(strings.Repeat("<div>", 1000) + "<title>x<script><!--")
	at, _ := url.Parse("https://example.com/x/")
	f.Fuzz(func(t *testing.T, page string) {
		text, err := Text(strings.NewReader(page), at)
		if err == nil && utf8.ValidString(page) && !utf8.ValidString(text) {
			t.Errorf("%q", text)
		}
		if len(text) > 20*len(page)+2000 {
			t.Errorf("%d bytes became %d", len(page), len(text))
		}
	})
}
