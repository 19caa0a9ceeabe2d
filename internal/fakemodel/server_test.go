package fakemodel_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

func TestWithoutACredentialTheProvidersOwnErrorComes(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{})
	for f, want := range map[fakemodel.Format]struct {
		status int
		words  []string
	}{
		fakemodel.Anthropic: {401, []string{`"type":"error"`, `"authentication_error"`, "x-api-key header is required"}},
		fakemodel.Chat:      {401, []string{`"invalid_request_error"`, "You didn't provide an API key"}},
		fakemodel.Responses: {401, []string{`"invalid_request_error"`, "You didn't provide an API key"}},
		fakemodel.Gemini:    {403, []string{`"PERMISSION_DENIED"`, `"code":403`}},
	} {
		path, body := hello(f, "false")
		r := request(t, s.URL+path, f, strings.NewReader(body))
		for _, h := range []string{"X-Api-Key", "Authorization", "X-Goog-Api-Key"} {
			r.Header.Del(h)
		}
		status, _, got := do(t, r)
		if status != want.status {
			t.Errorf("%s answered %d, want %d", f, status, want.status)
		}
		has(t, got, want.words...)
	}
	if got := len(s.Refused()); got != 4 {
		t.Errorf("%d refusals in the log, want 4", got)
	}
}

func TestOtherPlacesForTheCredentialCountToo(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{})
	path, body := hello(fakemodel.Gemini, "false")
	r := request(t, s.URL+path+"?key=AIza-secret", fakemodel.Gemini, strings.NewReader(body))
	r.Header.Del("X-Goog-Api-Key")
	if status, _, got := do(t, r); status != 200 {
		t.Errorf("a key in the query gave %d: %s", status, got)
	}
	path, body = hello(fakemodel.Anthropic, "false")
	r = request(t, s.URL+path, fakemodel.Anthropic, strings.NewReader(body))
	r.Header.Del("X-Api-Key")
	r.Header.Set("Authorization", "Bearer oauth-token")
	if status, _, got := do(t, r); status != 200 {
		t.Errorf("a bearer token gave %d: %s", status, got)
	}
	for i, secret := range []string{"AIza-secret", "oauth-token"} {
		logged := s.Requests()[i]
		if dump := fmt.Sprintf("%+v", logged); strings.Contains(dump, secret) {
			t.Errorf("the log holds %s", secret)
		}
		if !logged.HasKey(secret) || logged.HasKey("another") {
			t.Errorf("the log does not know %s again", secret)
		}
	}
}

func TestAnthropicWantsItsVersion(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{})
	path, body := hello(fakemodel.Anthropic, "false")
	r := request(t, s.URL+path, fakemodel.Anthropic, strings.NewReader(body))
	r.Header.Del("Anthropic-Version")
	status, _, got := do(t, r)
	if status != 400 {
		t.Errorf("answered %d", status)
	}
	has(t, got, "anthropic-version: header is required", "invalid_request_error")
}

func TestTheLogShowsRequestsAndNoCredential(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{})
	const secret = "sk-canary-123"
	path, body := hello(fakemodel.Chat, "false")
	r := request(t, s.URL+path+"?a=1", fakemodel.Chat, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Cookie", "session="+secret)
	r.Header.Set("X-Session-Id", "s1")
	do(t, r)
	got := s.Requests()[0]
	if dump := fmt.Sprintf("%+v", got); strings.Contains(dump, secret) {
		t.Errorf("the log holds the credential: %s", dump)
	}
	if got.Header.Get("Authorization") != "Bearer ***" || got.Header.Get("Cookie") != "***" || got.Header.Get("X-Session-Id") != "s1" {
		t.Errorf("headers %v", got.Header)
	}
	if got.N != 1 || got.Method != "POST" || got.Path != path || got.Query.Get("a") != "1" || string(got.Body) != body {
		t.Errorf("logged %+v", got)
	}
	if got.Format != fakemodel.Chat || got.Model != "fake-model" || got.Stream || len(got.Tools) != 1 || got.Tools[0].Name != "bash" {
		t.Errorf("read as %+v", got)
	}
	if raw := got.Raw("messages"); string(raw) != `[{"role":"user","content":"hello"}]` {
		t.Errorf("raw messages %s", raw)
	}
	if got.Raw("nothing") != nil {
		t.Error("a key that is not there has bytes")
	}
}

// The body in the log is what the client wrote before packing it, byte for byte.
func TestPackedBodiesAreUnpacked(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{MaxBody: 100_000})
	_, body := hello(fakemodel.Responses, "false")
	for name, pack := range packers {
		t.Run(name, func(t *testing.T) {
			send := func(body []byte) (int, []byte) {
				r := request(t, s.URL+paths[fakemodel.Responses], fakemodel.Responses, bytes.NewReader(body))
				r.Header.Set("Content-Encoding", name)
				status, _, got := do(t, r)
				return status, got
			}
			if status, got := send(pack(t, body)); status != 200 {
				t.Fatalf("answered %d: %s", status, got)
			}
			all := s.Requests()
			if got := all[len(all)-1]; string(got.Body) != body || got.Encoding != name {
				t.Errorf("logged %q with the encoding %s", got.Body, got.Encoding)
			}
			if status, got := send([]byte(body)); status != 400 {
				t.Errorf("a body that is not packed gave %d: %s", status, got)
			}
			bomb := pack(t, strings.Repeat(" ", 5_000_000)+body)
			if len(bomb) > 100_000 {
				t.Fatalf("the packed body has %d bytes", len(bomb))
			}
			if status, got := send(bomb); status != 413 {
				t.Errorf("a body that unpacks to 5 MB gave %d: %s", status, got)
			}
		})
	}
	r := request(t, s.URL+paths[fakemodel.Responses], fakemodel.Responses, strings.NewReader(body))
	r.Header.Set("Content-Encoding", "br")
	if status, _, got := do(t, r); status != 400 {
		t.Errorf("an encoding that it does not know gave %d: %s", status, got)
	}
}

var packers = map[string]func(testing.TB, string) []byte{
	"gzip": func(t testing.TB, s string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(s))
		if err := errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	},
	"zstd": func(t testing.TB, s string) []byte {
		var b bytes.Buffer
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		_, err = z.Write([]byte(s))
		if err := errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	},
}

func TestABodyOver32MBIsRefusedWith413(t *testing.T) {
	for _, f := range fakemodel.Formats() {
		s := fakemodel.Start(t, fakemodel.Options{Keep: 1, MaxBody: 10_000})
		path, body := hello(f, "false")
		pad := func(size int) string {
			return strings.Replace(body, "hello", strings.Repeat("a", size-len(body)+len("hello")), 1)
		}
		post(t, s, f, path, pad(10_000), 200)
		has(t, post(t, s, f, path, pad(10_001), 413), "maximum size")
		if got := len(s.Requests()); got != 1 {
			t.Errorf("%d requests kept, want 1", got)
		}
	}
	// The true limit, with bodies that are refused as soon as they are read.
	s := fakemodel.Start(t, fakemodel.Options{Keep: 1})
	huge := strings.Repeat("a", 32<<20)
	has(t, post(t, s, fakemodel.Anthropic, "/v1/messages", huge, 400), "not valid JSON")
	has(t, post(t, s, fakemodel.Anthropic, "/v1/messages", huge+"a", 413), "request_too_large")
}

func TestProbesListsAndCountsAreAnswered(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Models: []string{"a", "b"}})
	ask := func(f fakemodel.Format, method, path string, more ...string) (int, []byte) {
		r := request(t, s.URL+path, f, nil)
		r.Method = method
		for i := 0; i+1 < len(more); i += 2 {
			r.Header.Set(more[i], more[i+1])
		}
		status, _, body := do(t, r)
		return status, body
	}
	for _, c := range []struct {
		f            fakemodel.Format
		method, path string
		status       int
		words        []string
	}{
		{fakemodel.Anthropic, "HEAD", "/api/hello", 404, nil},
		{fakemodel.Anthropic, "HEAD", "/", 404, nil},
		{fakemodel.Anthropic, "GET", "/api/hello", 404, []string{"not_found_error"}},
		{fakemodel.Gemini, "POST", "/v1beta/models/x:unknown", 404, []string{"NOT_FOUND"}},
		{fakemodel.Chat, "POST", "/v1/embeddings", 404, []string{`"error"`}},
		{fakemodel.Chat, "GET", "/v1/chat/completions", 404, []string{`"error"`}},
		{fakemodel.Chat, "GET", "/v1/models", 200, []string{`"object":"list"`, `"id":"a"`, `"id":"b"`}},
		{fakemodel.Chat, "GET", "/v1/models/b", 200, []string{`"id":"b"`}},
		{fakemodel.Chat, "GET", "/v1/models/c", 404, []string{"there is no model c"}},
		{fakemodel.Anthropic, "GET", "/v1/models", 200, []string{`"has_more":false`, `"type":"model"`}},
		{fakemodel.Gemini, "GET", "/v1beta/models", 200, []string{`"name":"models/a"`}},
	} {
		status, body := ask(c.f, c.method, c.path)
		if status != c.status {
			t.Errorf("%s %s gave %d, want %d: %s", c.method, c.path, status, c.status, body)
		}
		has(t, body, c.words...)
	}
	if status, body := ask(fakemodel.Responses, "GET", "/v1/responses", "Connection", "Upgrade", "Upgrade", "websocket"); status != 426 {
		t.Errorf("a WebSocket gave %d: %s", status, body)
	}
	has(t, post(t, s, fakemodel.Anthropic, "/v1/messages/count_tokens", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, 200), `"input_tokens"`)
	has(t, post(t, s, fakemodel.Anthropic, "/v1/messages/count_tokens", `{"model":"m","messages":[]}`, 400), "at least one message")
	has(t, post(t, s, fakemodel.Gemini, "/v1beta/models/m:countTokens", `{"contents":[{"parts":[{"text":"hi"}]}]}`, 200), `"totalTokens"`)
	has(t, post(t, s, fakemodel.Gemini, "/v1beta/models/m:countTokens", `{"generateContentRequest":{"model":"models/m","contents":[{"parts":[{"text":"hi"}]}]}}`, 200), `"totalTokens"`)
	if got := s.Main(); len(got) != 0 {
		t.Errorf("%d of these were taken for main turns", len(got))
	}
}

func TestARefusedRequestGetsTheFormAndIsInTheLog(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{})
	got := post(t, s, fakemodel.Anthropic, "/v1/messages", claude(userHi, useA, said(note, gotA)), 400)
	has(t, got, `"type":"error"`, `"invalid_request_error"`, "immediately after: a")
	refused := s.Refused()
	if len(refused) != 1 || len(s.Main()) != 0 {
		t.Fatalf("%d refused, %d main", len(refused), len(s.Main()))
	}
	var refusal *fakemodel.Refusal
	if !errors.As(refused[0].Refused, &refusal) || refusal.Status != 400 {
		t.Errorf("the log says %v", refused[0].Refused)
	}
	seen := &recorder{}
	s.NoneRefused(seen)
	if len(seen.errors) != 1 || !strings.Contains(seen.errors[0], "user text note") {
		t.Errorf("NoneRefused says %q", seen.errors)
	}
}

// recorder is a test that is only listened to.
type recorder struct{ errors []string }

func (*recorder) Helper()                     {}
func (*recorder) Cleanup(func())              {}
func (r *recorder) Fatalf(f string, a ...any) { r.Errorf(f, a...) }
func (r *recorder) Errorf(f string, a ...any) { r.errors = append(r.errors, fmt.Sprintf(f, a...)) }

func TestWaitReturnsWhenTheRequestsAreThere(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{})
	path, body := hello(fakemodel.Chat, "false")
	r := request(t, s.URL+path, fakemodel.Chat, strings.NewReader(body))
	go func() { _, _ = answerTo(r) }()
	all, err := s.Wait(t.Context(), 1)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d requests, %v", len(all), err)
	}
	all, err = s.Until(t.Context(), func(all []fakemodel.Request) bool { return len(all) == 1 && all[0].Said("user", "hello") })
	if err != nil || len(all) != 1 {
		t.Fatalf("%d requests, %v", len(all), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Wait(ctx, 2); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "1 came") {
		t.Errorf("a wait that ends early says %v", err)
	}
	if _, err := s.Until(ctx, func([]fakemodel.Request) bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that ends early says %v", err)
	}
}

func TestAServerCanBeClosedTwiceAndThenRefuses(t *testing.T) {
	s, err := fakemodel.Listen(fakemodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if resp, err := http.Get(s.URL); err == nil {
		resp.Body.Close()
		t.Error("it still answers")
	}
}
