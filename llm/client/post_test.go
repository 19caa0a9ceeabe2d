package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/client"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/anthropic"
	"github.com/trimtab/trimtab/wire/gemini"
	"github.com/trimtab/trimtab/wire/openaichat"
)

const secret = "sk-canary-0123456789-abcdefghij"

// answer is a carrier that always answers alike.
type answer func(*http.Request) (*http.Response, error)

func (a answer) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

func body(status int, header http.Header, r io.Reader) answer {
	return func(req *http.Request) (*http.Response, error) {
		if header == nil {
			header = http.Header{}
		}
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(r), Request: req}, nil
	}
}

func letter(f wire.Format) client.Letter {
	return client.Letter{Name: "x/y", URL: "https://api.example/v1?secret=1", Header: http.Header{}, Key: key.New(secret, "KEY"), Format: f}
}

func ask(ctx context.Context, s *client.Sender, l client.Letter) (chunks []llm.Chunk, err error) {
	for c, e := range s.Stream(ctx, l) {
		if e != nil {
			return chunks, e
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

// endless never ends.
type endless struct{ line string }

func (e endless) Read(b []byte) (int, error) {
	n := 0
	for n+len(e.line) <= len(b) {
		n += copy(b[n:], e.line)
	}
	if n == 0 && len(b) > 0 {
		b[0], n = ' ', 1
	}
	return n, nil
}

func TestAReplyThatNeverEndsIsLeft(t *testing.T) {
	for name, line := range map[string]string{
		"pings": "event: ping\ndata: {\"type\":\"ping\"}\n\n", "one long line": "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	} {
		s := client.New(client.Options{Carrier: body(200, nil, endless{line}), Most: 1 << 20})
		if _, err := ask(t.Context(), s, letter(anthropic.Format{})); !errors.Is(err, trimtab.ErrTooLarge) {
			t.Errorf("%s: err = %v", name, err)
		}
	}
}

// silent is a body that says nothing until it is closed.
type silent struct{ ctx context.Context }

func (s silent) Read([]byte) (int, error) { <-s.ctx.Done(); return 0, s.ctx.Err() }
func (s silent) Close() error             { return nil }

func TestASilentProviderIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carrier := answer(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: silent{r.Context()}}, nil
		})
		s := client.New(client.Options{Carrier: carrier, Silence: time.Minute, Tries: 2})
		chunks, err := ask(t.Context(), s, letter(anthropic.Format{}))
		if !errors.Is(err, llm.ErrCut) || !strings.Contains(err.Error(), "long time") || len(chunks) != 1 {
			t.Errorf("err = %v after %v", err, chunks)
		}
	})
}

func TestTheWaitGrowsAndIsSpread(t *testing.T) {
	for chance, want := range map[float64][]time.Duration{
		0: {375 * time.Millisecond, 750 * time.Millisecond, 1500 * time.Millisecond},
		1: {625 * time.Millisecond, 1250 * time.Millisecond, 2500 * time.Millisecond},
	} {
		var waits []time.Duration
		s := client.New(client.Options{
			Carrier: body(500, nil, strings.NewReader("")), Tries: 4, Chance: func() float64 { return chance },
			Wait: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil },
		})
		if _, err := ask(t.Context(), s, letter(anthropic.Format{})); !errors.Is(err, llm.ErrBusy) {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWhatTheProviderAsksOfRetriesIsHonoured(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		status int
		header http.Header
		body   string
		want   []time.Duration
	}{
		"seconds":            {429, http.Header{"Retry-After": {"3"}}, "", []time.Duration{3 * time.Second}},
		"parts of a second":  {429, http.Header{"Retry-After": {"0.5"}}, "", []time.Duration{500 * time.Millisecond}},
		"milliseconds first": {429, http.Header{"Retry-After": {"9"}, "Retry-After-Ms": {"250"}}, "", []time.Duration{250 * time.Millisecond}},
		"a date":             {503, http.Header{"Retry-After": {now.Add(4 * time.Second).Format(http.TimeFormat)}}, "", []time.Duration{4 * time.Second}},
		"a date gone by":     {503, http.Header{"Retry-After": {now.Add(-time.Hour).Format(http.TimeFormat)}}, "", []time.Duration{0}},
		"in the body":        {429, nil, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"6s"}]}}`, []time.Duration{6 * time.Second}},
		"nonsense":           {429, http.Header{"Retry-After": {"soon"}}, "", []time.Duration{500 * time.Millisecond}},
		"too long":           {429, http.Header{"Retry-After": {"61"}}, "", nil},
		"never":              {500, http.Header{"X-Should-Retry": {"false"}}, "", nil},
		"in any case":        {418, http.Header{"X-Should-Retry": {"true"}}, "", []time.Duration{500 * time.Millisecond}},
		"no money left":      {429, nil, `{"error":{"code":"insufficient_quota","message":"You exceeded your quota"}}`, nil},
	} {
		var waits []time.Duration
		s := client.New(client.Options{
			Carrier: body(c.status, c.header, strings.NewReader(c.body)), Tries: 2, Clock: func() time.Time { return now },
			Wait: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil },
		})
		if _, err := ask(t.Context(), s, letter(anthropic.Format{})); err == nil {
			t.Fatal("no error")
		}
		if diff := cmp.Diff(c.want, waits); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAnUnreachableProviderIsNamedByItsHostOnly(t *testing.T) {
	s := client.New(client.Options{Tries: 1, Carrier: answer(func(*http.Request) (*http.Response, error) { return nil, errors.New("no route for " + secret) })})
	_, err := ask(t.Context(), s, letter(anthropic.Format{}))
	if !errors.Is(err, llm.ErrReach) || !strings.Contains(err.Error(), "api.example") || strings.Contains(err.Error(), "secret=1") || strings.Contains(err.Error(), "canary") {
		t.Errorf("err = %v", err)
	}
}

func TestAWebPageIsNoReply(t *testing.T) {
	s := client.New(client.Options{Carrier: body(200, http.Header{"Content-Type": {"text/html; charset=utf-8"}}, strings.NewReader("<html>sign in</html>"))})
	chunks, err := ask(t.Context(), s, letter(openaichat.Format{}))
	if !errors.Is(err, llm.ErrReach) || len(chunks) != 0 {
		t.Errorf("err = %v after %v", err, chunks)
	}
}

func TestBase(t *testing.T) {
	k := key.New(secret, "KEY")
	for raw, ok := range map[string]bool{
		"https://api.example/": true, "http://127.0.0.1:8080/v1": true, "http://localhost:1": true, "http://[::1]:1": true, "http://192.168.1.7": true, "http://box": true, "http://box.local": true,
		"http://api.example": false, "http://8.8.8.8": false, "https://user:pass@api.example": false, "https://api.example?key=1": false, "ftp://x": false, "api.example": false, "": false, "https://": false, "%zz": false,
	} {
		got, err := client.Base(raw, k)
		if (err == nil) != ok {
			t.Errorf("%q: %q, %v", raw, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "pass") && strings.Contains(raw, "pass") && strings.Contains(err.Error(), ":pass") {
			t.Errorf("%q shows a password: %v", raw, err)
		}
	}
	if got, err := client.Base("http://api.example/", key.Key{}); err != nil || got != "http://api.example" {
		t.Errorf("without a key: %q, %v", got, err)
	}
}

func TestNear(t *testing.T) {
	names := []string{"claude-opus-5", "claude-opus-5-5", "claude-sonnet-5", "gpt-5.5", "whisper-1", "demo"}
	for name, want := range map[string][]string{
		"claude-opus-6": {"claude-opus-5", "claude-opus-5-5", "claude-sonnet-5"}, "claude-opus": {"claude-opus-5", "claude-opus-5-5"},
		"gpt5.5": {"gpt-5.5"}, "zzzzzzzzzz": nil, "": nil, "foo": nil, "dmo": {"demo"}, "w": {"whisper-1"},
	} {
		if diff := cmp.Diff(want, client.Near(name, names)); diff != "" {
			t.Errorf("%q: %s", name, diff)
		}
	}
}

func TestAListIsBounded(t *testing.T) {
	var into any
	s := client.New(client.Options{Carrier: body(200, nil, endless{`["a",`})})
	if err := s.Get(t.Context(), letter(nil), &into); !errors.Is(err, trimtab.ErrTooLarge) {
		t.Errorf("err = %v", err)
	}
	s = client.New(client.Options{Carrier: body(200, nil, strings.NewReader("<html>"))})
	if err := s.Get(t.Context(), letter(nil), &into); !errors.Is(err, llm.ErrReach) {
		t.Errorf("err = %v", err)
	}
}

// FuzzAnswer: whatever a provider sends, there is one end, and no key in it.
func FuzzAnswer(f *testing.F) {
	f.Add(200, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n", byte(0), byte(1))
	f.Add(200, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", byte(1), byte(3))
	f.Add(200, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n", byte(2), byte(9))
	f.Add(429, `{"error":{"message":"`+secret+`","details":[{"retryDelay":"1s"}]}}`, byte(0), byte(1))
	f.Add(400, `[{"error":"x"}]`, byte(2), byte(1))
	f.Add(401, "<html>\x1b[31m", byte(1), byte(1))
	f.Fuzz(func(t *testing.T, status int, text string, format, step byte) {
		formats := []wire.Format{anthropic.Format{}, openaichat.Format{}, gemini.Format{}}
		s := client.New(client.Options{
			Tries: 2, Wait: func(context.Context, time.Duration) error { return nil },
			Carrier: answer(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(&pieces{text, 1 + int(step)})}, nil
			}),
		})
		done := 0
		chunks, err := ask(t.Context(), s, letter(formats[int(format)%len(formats)]))
		for _, c := range chunks {
			if _, ok := c.(llm.Done); ok {
				done++
			}
		}
		if err == nil && done != 1 || err != nil && done != 0 {
			t.Fatalf("%d ends, err = %v", done, err)
		}
		if err != nil && (strings.Contains(err.Error(), secret) || strings.ContainsAny(err.Error(), "\x1b\n")) {
			t.Fatalf("err = %q", err)
		}
	})
}

type pieces struct {
	rest string
	step int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.rest == "" {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.step, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}
