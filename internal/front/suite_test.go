package front

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// server is what both servers can do.
type server interface {
	Serve(net.Listener) error
	Shutdown(context.Context) error
	Close() error
}

// ours and theirs serve the same handler.
func ours(h http.Handler) server {
	return &Server{Handler: h, ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeader: 8 << 10, Log: slog.New(slog.DiscardHandler)}
}

func theirs(h http.Handler) server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 8 << 10,
		ErrorLog: log.New(io.Discard, "", 0), DisableGeneralOptionsHandler: true,
	}
}

// open starts a server and returns its address.
func open(t *testing.T, s server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	end := make(chan error, 1)
	go func() { end <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-end; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("it ended with %v", err)
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// arrival is a request as the handler got it.
type arrival struct {
	Method, URI, Proto, Host, Path string
	Header, Trailer                http.Header
	Length                         int64
	Transfer                       []string
	Close, None                    bool // none: there is no body
	Body                           string
	Failed                         string // what reading it said
}

// answered is a reply as the client got it.
type answered struct {
	Status, Proto string
	Header        http.Header
	Length        int64
	Transfer      []string
	Close         bool
	Body          string
	Cut           bool
}

// exchange is all that both sides saw.
type exchange struct {
	Arrived []arrival
	Replies []answered
	Notes   []string // of the handler
	Open    bool     // another request would be answered
}

// stage is a handler that does what a path says, and keeps what arrived.
type stage struct {
	plain bool // without the acts in which the servers differ
	mu    sync.Mutex
	saw   exchange
}

func (s *stage) note(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saw.Notes = append(s.saw.Notes, fmt.Sprint(v))
}

func (s *stage) take(r *http.Request, read bool) string {
	a := arrival{
		Method: r.Method, URI: r.RequestURI, Proto: r.Proto, Host: r.Host, Path: r.URL.Path, Header: r.Header.Clone(),
		Length: r.ContentLength, Transfer: r.TransferEncoding, Close: r.Close, None: r.Body == http.NoBody,
	}
	if read {
		raw, err := io.ReadAll(r.Body)
		if a.Body = string(raw); err != nil {
			a.Failed = err.Error()
		}
		a.Trailer = r.Trailer.Clone()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saw.Arrived = append(s.saw.Arrived, a)
	return a.Body
}

func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	act, ok := acts[r.URL.Path]
	if !ok || s.plain && slices.Contains([]string{"/nolength", "/both", "/limited"}, r.URL.Path) {
		_, _ = io.WriteString(w, s.take(r, true))
		return
	}
	act(s, w, r)
}

// acts are the handlers, by path. Any other path echoes.
var acts = map[string]func(s *stage, w http.ResponseWriter, r *http.Request){
	"/probe":   func(_ *stage, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "probe") },
	"/ignore":  func(s *stage, w http.ResponseWriter, r *http.Request) { s.take(r, false); fmt.Fprint(w, "ignored") },
	"/nothing": func(s *stage, _ http.ResponseWriter, r *http.Request) { s.take(r, true) },
	"/some": func(s *stage, w http.ResponseWriter, r *http.Request) {
		b := make([]byte, 3)
		n, err := io.ReadFull(r.Body, b)
		s.note(fmt.Sprint(n, err))
		fmt.Fprintf(w, "%s", b)
	},
	"/shut": func(s *stage, w http.ResponseWriter, r *http.Request) {
		_ = r.Body.Close()
		_, err := r.Body.Read(make([]byte, 1))
		s.note(err)
		fmt.Fprint(w, "shut")
	},
	"/2048": func(_ *stage, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 2048)) },
	"/2049": func(_ *stage, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 2049)) },
	"/large": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		for i := range 40 {
			fmt.Fprint(w, strings.Repeat(string(rune('a'+i%26)), 1000*i))
		}
	},
	"/length": func(s *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5")
		s.note(fmt.Sprint(w.Write([]byte("12345"))))
	},
	"/long": func(s *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5")
		s.note(fmt.Sprint(w.Write([]byte("123"))))
		s.note(fmt.Sprint(w.Write([]byte("456"))))
	},
	"/short": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5")
		fmt.Fprint(w, "123")
	},
	"/nolength": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "many")
		fmt.Fprint(w, "123")
	},
	"/204": func(s *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "3")
		w.WriteHeader(http.StatusNoContent)
		s.note(fmt.Sprint(w.Write([]byte("123"))))
	},
	"/304": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "3")
		w.Header().Set("Content-Type", "text/x")
		w.Header().Set("Etag", "x")
		w.WriteHeader(http.StatusNotModified)
	},
	"/flush": func(s *stage, w http.ResponseWriter, _ *http.Request) {
		c := http.NewResponseController(w)
		s.note(c.Flush())
		for i := range 5 {
			fmt.Fprintf(w, "event %d\n", i)
			s.note(c.Flush())
		}
		fmt.Fprint(w, "end")
	},
	"/late": func(s *stage, w http.ResponseWriter, r *http.Request) { // reads when the head has left
		_ = http.NewResponseController(w).Flush()
		n, err := r.Body.Read(make([]byte, 10))
		s.note(fmt.Sprint(n, err != nil))
	},
	"/close": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "bye")
	},
	"/stay": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "keep-alive")
		w.Header().Set("Content-Length", "4")
		fmt.Fprint(w, "stay")
	},
	"/identity": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Transfer-Encoding", "identity")
		fmt.Fprint(w, "until the end")
	},
	"/both": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Transfer-Encoding", "chunked")
		w.Header().Set("Content-Length", "4")
		fmt.Fprint(w, "both")
	},
	"/header": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h["X-Two"] = []string{"1", "2"}
		h["X-Lines"] = []string{"a\r\nX-Smuggled: 1", " padded\t"}
		h["X Bad"] = []string{"1"}
		h["X-None"] = nil
		h["lower"] = []string{"kept"}
		w.WriteHeader(http.StatusTeapot)
		h.Set("X-Late", "1")
		fmt.Fprint(w, "tea")
	},
	"/type": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		fmt.Fprint(w, "<html>")
	},
	"/html": func(_ *stage, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<ht"); fmt.Fprint(w, "ml>") },
	"/packed": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "x")
		fmt.Fprint(w, "<html>")
	},
	"/own": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = nil
		fmt.Fprint(w, "no date")
	},
	"/twice": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		w.WriteHeader(http.StatusBadGateway)
	},
	"/odd": func(_ *stage, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(599) },
	"/hints": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "x")
		w.WriteHeader(http.StatusEarlyHints)
		fmt.Fprint(w, "then")
	},
	"/limited": func(s *stage, w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10))
		s.note(err)
		http.Error(w, "too much", http.StatusRequestEntityTooLarge)
	},
	"/trailer": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprint(w, "body")
		w.Header().Set("X-Sum", "1")
		w.Header().Set(http.TrailerPrefix+"X-More", "2")
	},
	"/panic": func(*stage, http.ResponseWriter, *http.Request) { panic("sk-secret") },
	"/abort": func(_ *stage, w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Repeat("x", 5000))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	},
}

// play sends bytes to a server and returns what happened. After n replies another
// request tells whether the connection is open.
func play(t *testing.T, make func(http.Handler) server, in []string, n int, half bool) exchange {
	t.Helper()
	s := &stage{}
	c := dial(t, open(t, make(s)))
	var methods []string
	for _, piece := range in {
		if _, err := io.WriteString(c, piece); err != nil {
			t.Fatal(err)
		}
		method, _, _ := strings.Cut(piece, " ")
		methods = append(methods, method)
	}
	if half {
		_ = c.CloseWrite()
		n = 100
	}
	var replies []answered
	from := bufio.NewReader(c)
	for i := 0; i < n; {
		q := &http.Request{Method: methods[min(i, len(methods)-1)]}
		a, err := receive(from, q)
		if err != nil {
			break
		}
		if replies = append(replies, a); !strings.HasPrefix(a.Status, "1") {
			i++
		}
	}
	again := false
	if _, err := io.WriteString(c, "GET /probe HTTP/1.1\r\nHost: h\r\n\r\n"); err == nil && !half {
		a, err := receive(from, &http.Request{Method: http.MethodGet})
		again = err == nil && a.Body == "probe"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saw.Replies, s.saw.Open = replies, again
	return s.saw
}

func receive(from *bufio.Reader, q *http.Request) (answered, error) {
	r, err := http.ReadResponse(from, q)
	if err != nil {
		return answered{}, err
	}
	a := answered{Status: r.Status, Proto: r.Proto, Header: r.Header, Length: r.ContentLength, Transfer: r.TransferEncoding, Close: r.Close}
	if r.StatusCode >= http.StatusOK {
		raw, err := io.ReadAll(r.Body)
		a.Body, a.Cut = string(raw), err != nil
		for k, v := range r.Trailer {
			a.Header["Trailer: "+k] = v
		}
	}
	if d := a.Header["Date"]; len(d) > 0 {
		if _, err := http.ParseTime(d[0]); err != nil || len(d) > 1 {
			return a, fmt.Errorf("the date is %q", d)
		}
		a.Header["Date"] = []string{"some"}
	}
	return a, nil
}

func get(path string, more ...string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: h\r\n" + strings.Join(more, "") + "\r\n"
}

func post(path, body string, more ...string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n%s\r\n%s", path, len(body), strings.Join(more, ""), body)
}

// row is an exchange by name.
type row struct {
	name string
	in   []string
	n    int // replies; 1 if 0
	half bool
}

func rows() []row {
	var all []row
	for path := range acts {
		all = append(all,
			row{name: "get " + path, in: []string{get(path)}},
			row{name: "head " + path, in: []string{strings.Replace(get(path), "GET", "HEAD", 1)}},
			row{name: "post " + path, in: []string{post(path, "a body of some length")}},
			row{name: "old " + path, in: []string{"GET " + path + " HTTP/1.0\r\n\r\n"}},
			row{name: "old and lasting " + path, in: []string{"GET " + path + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"}},
			row{name: "the last " + path, in: []string{get(path, "Connection: close\r\n")}},
		)
	}
	slices.SortFunc(all, func(a, b row) int { return strings.Compare(a.name, b.name) })
	chunks := "Transfer-Encoding: chunked\r\n"
	raw := func(name string, in ...string) { all = append(all, row{name: name, in: in}) }
	raw("a chunked body", "POST / HTTP/1.1\r\nHost: h\r\n"+chunks+"\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")
	raw("a body in pieces", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\na", "bc", "def")
	raw("a head in pieces", "PO", "ST / HTTP/1.1\r\nHo", "st: h\r\nContent-Length: 0\r", "\n\r", "\n")
	raw("trailers", "POST / HTTP/1.1\r\nHost: h\r\nTrailer: X-Sum\r\n"+chunks+"\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n")
	raw("trailers that nobody announced", "POST / HTTP/1.1\r\nHost: h\r\n"+chunks+"\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n")
	raw("chunks that nobody wants", "POST /ignore HTTP/1.1\r\nHost: h\r\n"+chunks+"\r\n3\r\nabc\r\n0\r\n\r\n")
	raw("no chunk", "POST / HTTP/1.1\r\nHost: h\r\n"+chunks+"\r\nzz\r\nabc\r\n0\r\n\r\n")
	raw("no chunk, and nobody wants it", "POST /ignore HTTP/1.1\r\nHost: h\r\n"+chunks+"\r\nzz\r\nabc\r\n0\r\n\r\n")
	raw("a length and chunks", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"+chunks+"\r\n3\r\nabc\r\n0\r\n\r\n")
	raw("two lengths", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")
	raw("the same length twice", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc")
	raw("a length below nothing", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -3\r\n\r\nabc")
	raw("another transfer encoding", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n")
	raw("two transfer encodings", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
	raw("no host", "GET / HTTP/1.1\r\n\r\n")
	raw("no host, and the name in the path", "GET http://h/x HTTP/1.1\r\n\r\n")
	raw("an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n")
	raw("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
	raw("a host of another case", "GET / HTTP/1.1\r\nhOST:h \r\n\r\n")
	raw("a host on two lines", "GET / HTTP/1.1\r\nHost:\r\n h\r\n\r\n")
	raw("a host that goes on", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n")
	raw("a bad host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n")
	raw("a bad host, and the name in the path", "GET http://h/x HTTP/1.1\r\nHost: a/b\r\n\r\n")
	raw("another host than the path's", "GET http://h/x HTTP/1.1\r\nHost: other\r\n\r\n")
	raw("a host in the body", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nHost: h\r\n")
	raw("connect without a host", "CONNECT h:1 HTTP/1.1\r\n\r\n")
	raw("an old request without a host", "GET / HTTP/1.0\r\n\r\n")
	raw("options of all", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n")
	raw("a space in a name", get("/", "X y: 1\r\n"))
	raw("a space after a name", get("/", "X-Y : 1\r\n"))
	raw("no name", get("/", ": 1\r\n"))
	raw("no colon", get("/", "X-Y\r\n"))
	raw("a control character in a value", get("/", "X-Y: a\x01b\r\n"))
	raw("a nought in a value", get("/", "X-Y: a\x00b\r\n"))
	raw("umlauts in a value", get("/", "X-Y: ü\xff\r\n"))
	raw("a value over two lines", get("/", "X-Y: a\r\n\tb\r\n"))
	raw("a head that begins with a space", "GET / HTTP/1.1\r\n Host: h\r\n\r\n")
	raw("lines that end with a line feed only", "GET / HTTP/1.1\nHost: h\n\n")
	raw("a bad method", "G@T / HTTP/1.1\r\nHost: h\r\n\r\n")
	raw("a bad path", "GET %zz HTTP/1.1\r\nHost: h\r\n\r\n")
	raw("a bad version", "GET / HTTP/one\r\nHost: h\r\n\r\n")
	raw("HTTP/1.2", "GET / HTTP/1.2\r\nHost: h\r\n\r\n")
	raw("HTTP/3", "GET / HTTP/3.0\r\nHost: h\r\n\r\n")
	raw("HTTP/0.9", "GET / HTTP/0.9\r\nHost: h\r\n\r\n")
	raw("not HTTP", "hello\r\n\r\n")
	raw("an empty line first", "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")
	raw("a long head", get("/", "X-Y: "+strings.Repeat("x", 20<<10)+"\r\n"))
	raw("many headers", get("/", strings.Repeat("X-Y: x\r\n", 3000)))
	raw("a head of nearly the limit", get("/", "X-Y: "+strings.Repeat("x", 8000)+"\r\n"))
	raw("an expectation", post("/", "abc", "Expect: 100-continue\r\n"))
	raw("an expectation, ignored", post("/ignore", "abc", "Expect: 100-continue\r\n"))
	raw("an expectation and no body", get("/", "Expect: 100-continue\r\n"))
	raw("another expectation", get("/", "Expect: miracles\r\n"))
	raw("an old expectation", "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc")
	raw("a large body that nobody wants", post("/ignore", strings.Repeat("x", 200<<10)))
	raw("a larger body that nobody wants", post("/ignore", strings.Repeat("x", 300<<10)))
	raw("a larger body of which some is wanted", post("/some", strings.Repeat("x", 300<<10)))
	raw("a larger body, closed", post("/shut", strings.Repeat("x", 300<<10)))
	raw("a large body", post("/", strings.Repeat("0123456789", 100<<10)))
	raw("a list of what to do", get("/", "Connection: x, Close\r\n"))
	raw("a list without commas", get("/", "Connection: x close\r\n"))
	all = append(all,
		row{name: "two at once", in: []string{get("/a"), get("/b")}, n: 2},
		row{name: "five at once, with bodies", in: []string{post("/a", "1") + post("/ignore", "2") + post("/c", "3") + get("/large") + post("/d", "4")}, n: 5},
		row{name: "one behind the other on one line too many", in: []string{post("/a", "1") + "\r\n" + post("/b", "2")}, n: 2},
		row{name: "one after a get on one line too many", in: []string{get("/a") + "\r\n" + get("/b")}, n: 2},
		row{name: "one behind a bad one", in: []string{get("/a") + "x\r\n\r\n" + get("/b")}, n: 2},
		row{name: "one behind a cut reply", in: []string{get("/short") + get("/b")}, n: 2},
		row{name: "one behind the last", in: []string{get("/close") + get("/b")}, n: 2},
		row{name: "an expectation, and another", in: []string{post("/", "abc", "Expect: 100-continue\r\n") + get("/b")}, n: 2},
		row{name: "nothing", in: []string{""}, half: true},
		row{name: "half a line", in: []string{"GET / HT"}, half: true},
		row{name: "half a head", in: []string{"GET / HTTP/1.1\r\nHost"}, half: true},
		row{name: "half a body", in: []string{"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc"}, half: true},
		row{name: "half a body that nobody wants", in: []string{"POST /ignore HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc"}, half: true},
		row{name: "half a chunk", in: []string{"POST / HTTP/1.1\r\nHost: h\r\n" + chunks + "\r\n5\r\nab"}, half: true},
		row{name: "a whole one and its end", in: []string{get("/a")}, half: true},
		row{name: "a whole one and two bytes", in: []string{get("/a") + "GE"}, half: true},
		row{name: "a whole one and half of one", in: []string{get("/a") + "GET / HTTP/1.1\r\n"}, half: true},
	)
	return all
}

// better are the exchanges in which the standard server does what nobody wants.
var better = map[string]string{
	"get /nolength":             "a length that is none is forgotten there, and the reply chunked",
	"post /nolength":            "the same",
	"the last /nolength":        "the same",
	"head /nolength":            "the line is sent as it is",
	"old /nolength":             "the line is sent as it is",
	"old and lasting /nolength": "the line is sent as it is",
	"old and lasting /both":     "the connection is said to last, and closed",
	"half a body":               "the connection is closed, and not said to be",
	"post /limited":             "a body over a handler's limit ends the connection, also where little of it is left",
}

// TestWhereItDiffersFromTheStandardServer: what it does in those.
func TestWhereItDiffersFromTheStandardServer(t *testing.T) {
	for _, r := range rows() {
		if better[r.name] == "" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			got := play(t, ours, r.in, 1, r.half)
			if len(got.Replies) != 1 {
				t.Fatalf("%+v", got)
			}
			a := got.Replies[0]
			if a.Cut || a.Length < 0 && !a.Close || a.Length >= 0 && a.Body != "" && a.Length != int64(len(a.Body)) || a.Close == got.Open {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestItAnswersAsTheStandardServerDoes holds it to it, byte for byte of what was
// sent and field for field of what came. What is said to differ must.
func TestItAnswersAsTheStandardServerDoes(t *testing.T) {
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			want := play(t, theirs, r.in, max(r.n, 1), r.half)
			got := play(t, ours, r.in, max(r.n, 1), r.half)
			diff, why := cmp.Diff(want, got), better[r.name]
			if diff != "" && why == "" {
				t.Errorf("the standard server, and ours:\n%.4000s", diff)
			}
			if diff == "" && why != "" {
				t.Errorf("it does as ours now, and is said to differ: %s", why)
			}
		})
	}
}
