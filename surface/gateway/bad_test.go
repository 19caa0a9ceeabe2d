package gateway_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/wire/wiretest"
)

// digest is a provider that answers with the checksum of what arrived.
func digest(t *testing.T) *provider {
	t.Helper()
	return newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		fmt.Fprint(w, sum(raw))
	})
}

func sum(raw []byte) string {
	h := sha256.Sum256(raw)
	return hex.EncodeToString(h[:])
}

// carrier is a way to a provider without a socket.
type carrier func(*http.Request) (*http.Response, error)

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

// forgetful is a store that says that it keeps everything, and costs nothing.
type forgetful struct{ trimtab.Archive }

func (forgetful) Commit(_ context.Context, c trimtab.Commit) (int, error) {
	return c.Session.Version + 1, nil
}

// howManyBodies of each format are sent to the handler. Every fiftieth goes over a
// socket too.
func howManyBodies() int {
	if testing.Short() {
		return 500
	}
	return 10_000
}

// TestP7_GeneratedBodiesArriveIdentical sends conversations in all spellings that
// JSON has, with nothing to inject.
func TestP7_GeneratedBodiesArriveIdentical(t *testing.T) {
	bodies := howManyBodies()
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			b := &inbox{}
			r := newRig(t, parts{store: forgetful{memory.New()}, still: true, near: true, up: "http://provider.example", carrier: b.carry})
			far := newRig(t, parts{up: digest(t).URL, still: true})
			for seed := range uint64(bodies) {
				talk, c := wiretest.NewTalk(seed, 3)
				sent := d.corpus.Encode(talk, c, false)
				header := with(d.key, "X-Trimtab-Session", fmt.Sprint("s", seed%8*seed/100)) // some go on with another's history
				r.do(http.MethodPost, d.path, header, sent)
				if arrived := b.last(); !bytes.Equal(sent, arrived) {
					t.Fatalf("seed %d: sent\n%s\narrived\n%s", seed, sent, arrived)
				}
				b.all = nil
				if seed%50 == 0 {
					if a := far.do(http.MethodPost, d.path, header, sent); string(a.body) != sum(sent) {
						t.Fatalf("seed %d: another body arrived over HTTP than\n%s", seed, sent)
					}
				}
			}
			if main, side := r.gate.Stats.Main.Load(), r.gate.Stats.Side.Load(); main+side != int64(bodies) || main == 0 || side == 0 {
				t.Errorf("%d of %d were taken for main turns, %d for others", main, bodies, side)
			}
			for _, r := range []*rig{r, far} {
				if n := r.gate.Stats.Faults.Load(); n != 0 {
					t.Errorf("%d faults:\n%.2000s", n, r.log)
				}
			}
		})
	}
}

// odd are bodies that no client should send and some will.
func odd(d dialect) map[string][]byte {
	good := string(d.ask("hello", false))
	list := good
	key := map[string]string{"responses": "input", "gemini": "contents"}[d.corpus.Name]
	if key == "" {
		key = "messages"
	}
	deep := strings.Repeat("[", 10000) + strings.Repeat("]", 10000)
	all := map[string]string{
		"nothing": "", "blanks": " \n\t", "null": "null", "a number": "7", "a string": `"hello"`, "an array": "[1,2]", "no list": `{"model":"m"}`,
		"truncated": good[:len(good)-5], "half": good[:len(good)/2], "something behind it": good + "x", "twice": good + good,
		"nested 10,000 deep": `{"x":` + deep + `,` + good[1:], "only nesting": deep, "unclosed nesting": strings.Repeat("[", 100000), "nested objects": strings.Repeat(`{"a":`, 10000),
		"two lists": `{"` + key + `":[],` + good[1:], "the same name twice": `{"model":"a",` + good[1:], "an empty name twice": `{"":1,"":2,` + good[1:],
		"half a surrogate": strings.Replace(list, "hello", `\ud800 \udc00\ud83d`, 1), "a bad escape": strings.Replace(list, "hello", `\x41\u12`, 1),
		"huge numbers": `{"n":` + strings.Repeat("9", 5000) + `e99999,"m":-0.0,"k":1E400,` + good[1:], "odd numbers": `{"n":01,"m":+1,"k":.5,` + good[1:],
		"not UTF-8": strings.Replace(list, "hello", "\xff\xfe\xc3(\xa0\xa1", 1), "UTF-16": "\xff\xfe{\x00\"\x00", "control characters": strings.Replace(list, "hello", "\x00\x01\x1f\x7f", 1),
		"a byte order mark": "\xef\xbb\xbf" + good, "binary": string(bytes.Repeat([]byte{0, 1, 2, 254, 255}, 1000)), "a form": "a=1&b=2", "multipart": "--x\r\nContent-Type: text/plain\r\n\r\nhi\r\n--x--\r\n",
		"an unknown role": strings.Replace(list, `"user"`, `"wizard"`, 1), "a list of numbers": `{"` + key + `":[1,2,3]}`, "an empty list": `{"` + key + `":[]}`, "white space": strings.ReplaceAll(list, ":", " :\r\n\t "),
		"one string": `{"model":"m","` + key + `":"hello"}`, "a list in a list": `{"` + key + `":[[{"role":"user"}]]}`, "a long line": strings.Replace(list, "hello", strings.Repeat("x\\\"", 30000), 1),
	}
	out := map[string][]byte{}
	for name, text := range all {
		out[name] = []byte(text)
	}
	return out
}

// TestP7_OddBodiesArriveIdentical: what is no request, or a strange one, passes
// as it came, and the provider says what it thinks of it.
func TestP7_OddBodiesArriveIdentical(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			up := digest(t)
			r := newRig(t, parts{up: up.URL, still: true})
			for what, raw := range odd(d) {
				a := r.do(http.MethodPost, d.path, with(d.key, "X-Trimtab-Session", "s"), raw)
				if a.status != http.StatusOK || string(a.body) != sum(raw) {
					t.Errorf("%s: status %d, and arrived was %.200q", what, a.status, up.last(t).body)
				}
				if n := up.last(t).length; n != int64(len(raw)) {
					t.Errorf("%s: a length of %d for %d bytes", what, n, len(raw))
				}
			}
		})
	}
}

// TestP7_OddBodiesAreChangedByNotesOnly: of the strange ones, those that are
// steered differ by a note and by nothing else, and what is no request is not.
func TestP7_OddBodiesAreChangedByNotesOnly(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			up := newProvider(t, nil)
			r := newRig(t, parts{up: up.URL, opening: planning()})
			edited := 0
			for what, raw := range odd(d) {
				r.do(http.MethodPost, d.path, with(d.key, "X-Trimtab-Session", "s"+sum(raw)), raw)
				got := up.last(t).body
				if bytes.Equal(got, raw) {
					continue
				}
				edited++
				if what == "one string" { // it has become a list, with the same literal in it
					if !bytes.Contains(got, []byte(planned)) || !bytes.Contains(got, []byte(`"hello"`)) {
						t.Errorf("%s: arrived as %s", what, got)
					}
					continue
				}
				if added := inserted(raw, got); !bytes.Contains(added, []byte(planned)) {
					t.Errorf("%s: arrived as\n%.300q\nand was\n%.300q", what, got, raw)
				}
			}
			if edited == 0 {
				t.Error("nothing was steered at all")
			}
		})
	}
}

// TestP7_CompressedBodiesArriveIdentical: with nothing to inject a packed body
// stays packed; what cannot be unpacked, or is packed in an unknown way, passes.
func TestP7_CompressedBodiesArriveIdentical(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			up := digest(t)
			quiet, loud := newRig(t, parts{up: up.URL, still: true}), newRig(t, parts{up: up.URL, opening: planning()})
			raw := d.ask("hello", false)
			for _, c := range []struct {
				encoding string
				body     []byte
				rig      *rig
			}{
				{"gzip", pack(t, "gzip", raw), quiet},
				{"GZIP ", pack(t, "gzip", raw), quiet},
				{"zstd", pack(t, "zstd", raw), quiet},
				{"identity", raw, quiet},
				{"br", []byte("\x0b\x02\x80hello\x03"), loud},
				{"gzip, zstd", pack(t, "zstd", pack(t, "gzip", raw)), loud},
				{"gzip", raw, loud},
				{"gzip", pack(t, "gzip", raw)[:20], loud},
				{"zstd", pack(t, "zstd", raw)[:9], loud},
				{"zstd", []byte{}, loud},
				{"deflate", raw, loud},
			} {
				a := c.rig.do(http.MethodPost, d.path, with(d.key, "Content-Encoding", c.encoding, "X-Trimtab-Session", "s"), c.body)
				if string(a.body) != sum(c.body) || up.last(t).header.Get("Content-Encoding") != strings.TrimSpace(c.encoding) {
					t.Errorf("%s: arrived as %.100q with the encoding %q", c.encoding, up.last(t).body, up.last(t).header.Get("Content-Encoding"))
				}
			}
		})
	}
}

// A bomb is not unpacked further than a request may be long, and passes.
func TestP7_APackedBombPasses(t *testing.T) {
	up := digest(t)
	r := newRig(t, parts{up: up.URL, maxBody: 1 << 20})
	for _, encoding := range []string{"gzip", "zstd"} {
		bomb := pack(t, encoding, bytes.Repeat([]byte(" "), 8<<20))
		a := r.do(http.MethodPost, "/v1/messages", http.Header{"Content-Encoding": {encoding}, "X-Trimtab-Session": {"s"}}, bomb)
		if string(a.body) != sum(bomb) {
			t.Errorf("%s: another body arrived", encoding)
		}
	}
	if r.gate.Stats.Faults.Load() != 2 || !strings.Contains(r.log.String(), "larger than the limit") {
		t.Errorf("the bombs went off, or were not seen:\n%s", r.log)
	}
}

// TestP7_LargeBodiesStreamThrough: over the limit nothing is looked at, and
// nothing changes.
func TestP7_LargeBodiesStreamThrough(t *testing.T) {
	up := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		h := sha256.New()
		n, _ := io.Copy(h, r.Body)
		fmt.Fprintf(w, "%d %x", n, h.Sum(nil))
	})
	big := bytes.Repeat([]byte("0123456789abcde\n"), 64<<20/16)
	body := append([]byte(`{"messages":[{"role":"user","content":"`), big...)
	body = append(body, `"}]}`...)
	want := fmt.Sprintf("%d %s", len(body), sum(body))
	r := newRig(t, parts{up: up.URL, opening: planning()})
	if a := r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, body); string(a.body) != want {
		t.Errorf("with a length: %s, want %s", a.body, want)
	}
	if n := up.last(t).length; n != int64(len(body)) {
		t.Errorf("the length was passed on as %d", n)
	}
	small := newRig(t, parts{up: up.URL, opening: planning(), maxBody: 1024})
	chunked, err := small.try(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, struct{ io.Reader }{bytes.NewReader(body[:5<<20])})
	if err != nil || string(chunked.body) != fmt.Sprintf("%d %s", 5<<20, sum(body[:5<<20])) || up.last(t).length != -1 {
		t.Errorf("without a length: %s %v, length %d", chunked.body, err, up.last(t).length)
	}
	if r.gate.Stats.Main.Load()+small.gate.Stats.Main.Load() != 0 {
		t.Error("a body over the limit was steered")
	}
	// One that reads like a request and goes on beyond the limit is not.
	long := append(dialects()["anthropic"].ask("hello", false), bytes.Repeat([]byte(" "), 2000)...)
	if a := small.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, long); string(a.body) != fmt.Sprintf("%d %s", len(long), sum(long)) {
		t.Errorf("with blanks behind it: %d %s", a.status, a.body)
	}
	// One at the limit is.
	at := d1024(t)
	small.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"t"}}, at)
	if !bytes.Contains(up.last(t).body, []byte(planned)) {
		t.Error("a body at the limit was not steered")
	}
}

// d1024 is a request of 1,024 bytes.
func d1024(t *testing.T) []byte {
	t.Helper()
	raw := dialects()["anthropic"].ask("", false)
	return dialects()["anthropic"].ask(strings.Repeat("x", 1024-len(raw)), false)
}

func pack(t *testing.T, encoding string, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if encoding == "zstd" {
		z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestP7_ChunkedBodies: a body that comes in pieces and without a length is
// steered like any other.
func TestP7_ChunkedBodies(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			up := newProvider(t, nil)
			quiet, loud := newRig(t, parts{up: up.URL, still: true}), newRig(t, parts{up: up.URL, opening: planning()})
			raw := d.ask("hello", false)
			for _, r := range []*rig{quiet, loud} {
				a, err := r.try(http.MethodPost, d.path, with(d.key, "X-Trimtab-Session", "s"), io.MultiReader(bytes.NewReader(raw[:7]), bytes.NewReader(raw[7:])))
				if err != nil || a.status != http.StatusOK {
					t.Fatal(err, a.status)
				}
				got := up.last(t)
				if r == loud {
					got.body = uncut(t, d, got.body)
				}
				if !bytes.Equal(got.body, raw) || len(got.header["Transfer-Encoding"]) > 0 {
					t.Errorf("arrived as %s with %v", got.body, got.header)
				}
			}
		})
	}
}

// raw sends bytes to the gateway as they are and returns what comes back.
func (r *rig) raw(request string) (*http.Response, []byte) {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.front.Addr().String())
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		r.t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	method, _, _ := strings.Cut(request, " ")
	for {
		reply, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			r.t.Fatal(err)
		}
		if reply.StatusCode == http.StatusContinue {
			continue
		}
		raw, err := io.ReadAll(reply.Body)
		if err != nil {
			r.t.Fatal(err)
		}
		return reply, raw
	}
}

// TestP7_ExpectContinue: the client waits for leave to send its body, gets it,
// and the provider is not asked again.
func TestP7_ExpectContinue(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL, still: true})
	conn, err := net.Dial("tcp", r.front.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := dialects()["anthropic"].ask("hello", false)
	fmt.Fprintf(conn, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
	in := bufio.NewReader(conn)
	if first, err := http.ReadResponse(in, nil); err != nil || first.StatusCode != http.StatusContinue {
		t.Fatalf("no leave to go on: %v %v", first, err)
	}
	if _, err := conn.Write(body); err != nil {
		t.Fatal(err)
	}
	reply, err := http.ReadResponse(in, nil)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatal(reply, err)
	}
	if got := up.last(t); !bytes.Equal(got.body, body) || got.header.Get("Expect") != "" {
		t.Errorf("arrived as %s with %v", got.body, got.header)
	}
}

// TestG1_PathsAndMethodsPassAsTheyAre: everything under the known prefixes goes
// to the provider under the address that it came to.
func TestG1_PathsAndMethodsPassAsTheyAre(t *testing.T) {
	up := newProvider(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Seen", r.Method) })
	r := newRig(t, parts{up: up.URL, opening: planning()})
	for _, c := range []struct{ method, uri, want string }{
		{"GET", "/v1/models", ""},
		{"HEAD", "/api/hello", ""},
		{"HEAD", "/", ""},
		{"OPTIONS", "/v1/messages", ""},
		{"GET", "/v1/messages", ""},
		{"DELETE", "/v1/responses/resp_1", ""},
		{"POST", "/v1/messages/count_tokens?beta=true", ""},
		{"POST", "/v1/messages/batches", ""},
		{"POST", "/v1/responses/compact", ""},
		{"POST", "/v1/embeddings", ""},
		{"PATCH", "/v1/files/a%2Fb%20c%3F%23%25", ""},
		{"PUT", "/v1/files/%E4%BD%A0%zz?x", "400"},
		{"GET", "/v1/files/caf%c3%a9;v=1,2+3~!$&'()*@:=", ""},
		{"GET", "/v1/models?after=%2F%zz;&&a=b=c&d=%00+%20", ""},
		{"GET", "/v1/models?", ""},
		{"GET", "/v1/a//b/../c/./d", ""},
		{"GET", "/v1/%2e%2e/%2e/x", ""},
		{"GET", "/v1beta/models?key=k", ""},
		{"GET", "/v1alpha/x", ""},
		{"POST", "/v1beta/models/g:countTokens?alt=json", ""},
		{"POST", "/v1beta/files:upload", ""},
		{"REPORT", "/v1/x", ""},
		{"GET", "/s/abc/v1/models?x=1", "/v1/models?x=1"},
		{"GET", "/s/a%2Fb/v1/files/a%2Fb", "/v1/files/a%2Fb"},
	} {
		before := len(up.got())
		reply, _ := r.raw(c.method + " " + c.uri + " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
		if c.want == "400" {
			if reply.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s", c.uri, reply.Status)
			}
			continue
		}
		if c.want == "" {
			c.want = c.uri
		}
		if reply.StatusCode != http.StatusOK || reply.Header.Get("X-Seen") != c.method || len(up.got()) != before+1 {
			t.Errorf("%s %s: %s, %d arrived", c.method, c.uri, reply.Status, len(up.got())-before)
			continue
		}
		if got := up.last(t); got.uri != c.want || got.method != c.method {
			t.Errorf("%s %s arrived as %s %s", c.method, c.uri, got.method, got.uri)
		}
	}
}

// TestG1_UnknownPathsAreRefusedClearly: nothing is sent anywhere.
func TestG1_UnknownPathsAreRefusedClearly(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL})
	for _, uri := range []string{"/v2/messages", "/favicon.ico", "/v1", "/V1/messages", "/s/x/unknown", "/trimtab/api/x", "/metrics", "*"} {
		method := "POST"
		if uri == "*" {
			method = "PRI"
		}
		reply, body := r.raw(method + " " + uri + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
		if reply.StatusCode < 400 || reply.StatusCode > 499 || reply.StatusCode == http.StatusNotFound && !strings.Contains(string(body), "trimtab: ") {
			t.Errorf("%s: %s %s", uri, reply.Status, body)
		}
	}
	if n := len(up.got()); n != 0 {
		t.Errorf("%d were sent on", n)
	}
}

// TestG1_KeysGoToTheirOwnProvider: a request never reaches another provider than
// the one whose key it carries.
func TestG1_KeysGoToTheirOwnProvider(t *testing.T) {
	ups := map[string]*provider{}
	addresses := map[string]string{}
	for _, name := range []string{"anthropic", "openai", "gemini"} {
		ups[name] = newProvider(t, nil)
		addresses[name] = ups[name].URL
	}
	r := newRig(t, parts{upstreams: addresses})
	bearer, anthropic, google := http.Header{"Authorization": {"Bearer k"}}, http.Header{"X-Api-Key": {"k"}}, http.Header{"X-Goog-Api-Key": {"k"}}
	version := http.Header{"Anthropic-Version": {"2023-06-01"}, "Authorization": {"Bearer oauth"}}
	for _, c := range []struct {
		method, path string
		key          http.Header
		want         string
	}{
		{"POST", "/v1/messages", anthropic, "anthropic"},
		{"POST", "/v1/messages", version, "anthropic"},
		{"GET", "/v1/messages", anthropic, "anthropic"},
		{"OPTIONS", "/v1/messages", nil, "anthropic"},
		{"POST", "/v1/messages/count_tokens", anthropic, "anthropic"},
		{"GET", "/v1/models", anthropic, "anthropic"},
		{"GET", "/v1/models", version, "anthropic"},
		{"GET", "/v1/files", anthropic, "anthropic"},
		{"HEAD", "/", nil, "anthropic"},
		{"GET", "/api/oauth/usage", version, "anthropic"},
		{"GET", "/v1/models", bearer, "openai"},
		{"POST", "/v1/chat/completions", bearer, "openai"},
		{"POST", "/v1/responses", bearer, "openai"},
		{"GET", "/v1/responses/r1", bearer, "openai"},
		{"GET", "/v1/models/ft:gpt:us::1", bearer, "openai"},
		{"DELETE", "/v1/models/ft:gpt:us::1", bearer, "openai"},
		{"POST", "/v1/embeddings", bearer, "openai"},
		{"POST", "/v1beta/models/g:generateContent", google, "gemini"},
		{"GET", "/v1beta/models", google, "gemini"},
		{"GET", "/v1alpha/models", google, "gemini"},
		{"POST", "/v1/models/g:generateContent", google, "gemini"},
		{"POST", "/v1/models/g:streamGenerateContent?alt=sse", google, "gemini"},
		{"POST", "/v1/models/g:countTokens?key=k", nil, "gemini"},
		{"GET", "/v1/models", google, "gemini"},
	} {
		before := map[string]int{}
		for name, up := range ups {
			before[name] = len(up.got())
		}
		r.do(c.method, c.path, c.key, []byte("{}"))
		for name, up := range ups {
			if n := len(up.got()) - before[name]; n != 0 && name != c.want || n != 1 && name == c.want {
				t.Errorf("%s %s with %v: %s received %d", c.method, c.path, c.key, name, n)
			}
		}
	}
}

// TestG3_HeadersPassAsTheyAre: all that the client said, nothing that it did not.
func TestG3_HeadersPassAsTheyAre(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL, opening: planning()})
	body := string(dialects()["anthropic"].ask("hello", false))
	reply, _ := r.raw("POST /v1/messages HTTP/1.1\r\nHost: gateway.example\r\nX-API-KEY: k\r\nanthropic-beta: a,b\r\nanthropic-beta: c\r\nX-Odd:  caf\xc3\xa9 \xff \t x  \r\nx-empty:\r\n" +
		"Accept: */*\r\nContent-Type: text/plain; charset=odd\r\nX-Trimtab-Session: s\r\n" +
		"Connection: keep-alive, X-Private\r\nX-Private: 1\r\nKeep-Alive: timeout=5\r\nProxy-Connection: close\r\nProxy-Authorization: Basic x\r\nTE: trailers\r\n" +
		"Content-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body)
	if reply.StatusCode != http.StatusOK {
		t.Fatal(reply.Status)
	}
	got := up.last(t)
	want := http.Header{
		"X-Api-Key": {"k"}, "Anthropic-Beta": {"a,b", "c"}, "X-Odd": {"caf\xc3\xa9 \xff \t x"}, "X-Empty": {""},
		"Accept": {"*/*"}, "Content-Type": {"text/plain; charset=odd"}, "Content-Length": {fmt.Sprint(len(got.body))},
	}
	if diff := cmp.Diff(want, got.header); diff != "" {
		t.Errorf("what arrived differs: %s", diff)
	}
	if got.host != strings.TrimPrefix(up.URL, "http://") {
		t.Errorf("the provider was called %s", got.host)
	}
}

// TestG1_OnlyWebSocketsAreTurnedAway: they cannot be steered, and clients fall
// back to plain requests. Another upgrade is an offer that a server may ignore.
func TestG1_OnlyWebSocketsAreTurnedAway(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL, opening: planning()})
	reply, _ := r.raw("GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: BAWj01K2/SSGAPAes7VJ9Q==\r\n\r\n")
	if reply.StatusCode != http.StatusUpgradeRequired || len(up.got()) != 0 {
		t.Errorf("a WebSocket: %s, %d arrived", reply.Status, len(up.got()))
	}
	body := string(dialects()["anthropic"].ask("hello", false))
	reply, _ = r.raw("POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body)
	if reply.StatusCode != http.StatusOK || len(up.got()) != 1 {
		t.Fatalf("an offer of HTTP/2: %s", reply.Status)
	}
	if h := up.last(t).header; h.Get("Upgrade") != "" || h.Get("Http2-Settings") != "" {
		t.Errorf("the offer was passed on: %v", h)
	}
}

// TestP7_ABodyThatDoesNotArriveWholeIsNotSent: half a request is none.
func TestP7_ABodyThatDoesNotArriveWholeIsNotSent(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL})
	conn, err := net.Dial("tcp", r.front.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"mess")
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	reply, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || reply.StatusCode != http.StatusBadRequest {
		t.Errorf("half a body: %v %v", reply, err)
	}
	bad, _ := r.raw("POST /v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n")
	if bad.StatusCode != http.StatusBadRequest {
		t.Errorf("a bad chunk: %s", bad.Status)
	}
	if n := len(up.got()); n != 0 {
		t.Errorf("%d arrived", n)
	}
}
