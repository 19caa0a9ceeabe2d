package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/internal/rest"
)

var now = time.Date(2026, 11, 15, 10, 15, 0, 0, time.UTC)

// serve returns a client of a server, on a clock that stands still.
func serve(t *testing.T, handle http.HandlerFunc) *rest.Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return rest.New(rest.Options{
		Name: "hub", Base: server.URL, Token: func(context.Context) (string, error) { return "canary-token", nil },
		Now: func() time.Time { return now }, Wait: func(context.Context, time.Duration) error { return nil },
	})
}

func TestWhatAnAnswerMeans(t *testing.T) {
	for _, c := range []struct {
		status     int
		header     string
		body       string
		get, write error
	}{
		{200, "", `{}`, nil, nil},
		{201, "", `{"number":1}`, nil, nil},
		{200, "", `{"number":`, forge.ErrUnreachable, forge.ErrUnclear},
		{200, "", `<html>`, forge.ErrUnreachable, forge.ErrUnclear},
		{200, "", ``, forge.ErrUnreachable, forge.ErrUnclear},
		{301, "Location: https://elsewhere.example/x", ``, forge.ErrRefused, forge.ErrRefused},
		{307, "Location: https://elsewhere.example/x", ``, forge.ErrRefused, forge.ErrRefused},
		{400, "", `{"message":"no"}`, forge.ErrRefused, forge.ErrRefused},
		{401, "", ``, forge.ErrRefused, forge.ErrRefused},
		{403, "", `{"message":"Must have admin rights"}`, forge.ErrRefused, forge.ErrRefused},
		{403, "", `{"message":"You have exceeded a secondary rate limit"}`, forge.ErrLimited, forge.ErrLimited},
		{403, "Retry-After: 5", ``, forge.ErrLimited, forge.ErrLimited},
		{403, "X-RateLimit-Remaining: 0", ``, forge.ErrLimited, forge.ErrLimited},
		{403, "X-RateLimit-Remaining: 10", ``, forge.ErrRefused, forge.ErrRefused},
		{404, "", ``, forge.ErrNotFound, forge.ErrNotFound},
		{408, "", ``, forge.ErrUnreachable, forge.ErrUnclear},
		{409, "", `{"message":["there"]}`, forge.ErrExists, forge.ErrExists},
		{410, "", `{"message":"Issues are disabled"}`, forge.ErrRefused, forge.ErrRefused},
		{422, "", `{"message":{"title":["is too long"]}}`, forge.ErrRefused, forge.ErrRefused},
		{429, "", ``, forge.ErrLimited, forge.ErrLimited},
		{500, "", ``, forge.ErrUnreachable, forge.ErrUnclear},
		{502, "", `<html>`, forge.ErrUnreachable, forge.ErrUnclear},
		{503, "Retry-After: 5", ``, forge.ErrUnreachable, forge.ErrUnclear},
		{504, "", ``, forge.ErrUnreachable, forge.ErrUnclear},
	} {
		for method, want := range map[string]error{"GET": c.get, "POST": c.write, "PATCH": c.write, "PUT": c.write} {
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if k, v, ok := strings.Cut(c.header, ": "); ok {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			var out struct{ Number int }
			err := client.Do(t.Context(), rest.Call{Doing: "try", Method: method, Path: "/x", Out: &out})
			if !errors.Is(err, want) || want != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("%s %d %s %q: %v, not %v", method, c.status, c.header, c.body, err, want)
			}
		}
	}
}

func TestWhenALimitEnds(t *testing.T) {
	for _, c := range []struct {
		header map[string]string
		want   time.Duration
	}{
		{map[string]string{}, time.Minute},
		{map[string]string{"Retry-After": "7"}, 7 * time.Second},
		{map[string]string{"Retry-After": "0"}, 0},
		{map[string]string{"Retry-After": now.Add(9 * time.Second).Format(http.TimeFormat)}, 9 * time.Second},
		{map[string]string{"Retry-After": "soon"}, time.Minute},
		{map[string]string{"Retry-After": "-5"}, time.Minute},
		{map[string]string{"Retry-After": "99999999999999"}, 24 * time.Hour},
		{map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(now.Unix() + 11)}, 11 * time.Second},
		{map[string]string{"RateLimit-Remaining": "0", "RateLimit-Reset": fmt.Sprint(now.Unix() + 12)}, 12 * time.Second},
		{map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999999"}, 24 * time.Hour},
		{map[string]string{"X-RateLimit-Remaining": "50", "X-RateLimit-Reset": fmt.Sprint(now.Unix() + 11)}, time.Minute},
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			for k, v := range c.header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(http.StatusTooManyRequests)
		})
		err := client.Do(t.Context(), rest.Call{Doing: "try", Method: "GET", Path: "/x"})
		e, ok := errors.AsType[*forge.Error](err)
		if !ok || e.Until.Sub(now) != c.want {
			t.Errorf("%v: %v", c.header, err)
		}
	}
}

func TestTheLastRequestBeforeALimitIsTheLast(t *testing.T) {
	sent := 0
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		sent++
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", fmt.Sprint(now.Unix()+60))
		fmt.Fprint(w, "{}")
	})
	call := rest.Call{Doing: "try", Method: "GET", Path: "/x"}
	first, second := client.Do(t.Context(), call), client.Do(t.Context(), call)
	if first != nil || !errors.Is(second, forge.ErrLimited) || sent != 1 {
		t.Errorf("%v, %v, %d sent", first, second, sent)
	}
}

func TestWritingRequestsKeepTheirDistance(t *testing.T) {
	var waited []time.Duration
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
	defer server.Close()
	at := now
	client := rest.New(rest.Options{Name: "hub", Base: server.URL, Pace: time.Second, Now: func() time.Time { return at }, Wait: func(_ context.Context, d time.Duration) error {
		waited, at = append(waited, d), at.Add(d)
		return nil
	}})
	for _, method := range []string{"POST", "GET", "POST", "GET", "PATCH"} {
		if err := client.Do(t.Context(), rest.Call{Doing: "try", Method: method, Path: "/x"}); err != nil {
			t.Fatal(err)
		}
	}
	at = at.Add(time.Hour)
	if err := client.Do(t.Context(), rest.Call{Doing: "try", Method: "POST", Path: "/x"}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]time.Duration{time.Second, time.Second}, waited); d != "" {
		t.Error(d)
	}
}

func TestAListThatNeverEndsIsAnError(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `<https://elsewhere.example/?page=2>; rel="next"`)
		fmt.Fprint(w, `[1]`)
	})
	n := 0
	var last error
	for _, err := range rest.List[int](t.Context(), client, rest.Call{Doing: "list", Path: "/x"}) {
		n++
		last = err
	}
	if last == nil || n != 501 {
		t.Errorf("%d entries, %v", n, last)
	}
}

func TestTheNextPageStaysAtOurHost(t *testing.T) {
	var asked []string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		if len(asked) < 3 {
			w.Header().Set("Link", fmt.Sprintf(`<https://a.example/>; rel="first", <https://elsewhere.example/other?after=c%d&state=all>; rel="next"`, len(asked)))
		}
		fmt.Fprint(w, `[]`)
	})
	for _, err := range rest.List[int](t.Context(), client, rest.Call{Doing: "list", Path: rest.Path("a/b", "c d"), Query: map[string][]string{"state": {"all"}}}) {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"/a%2Fb/c%20d?state=all", "/a%2Fb/c%20d?after=c1&state=all", "/a%2Fb/c%20d?after=c2&state=all"}, asked); d != "" {
		t.Error(d)
	}
}

func TestAddresses(t *testing.T) {
	for raw, want := range map[string]string{
		"https://github.example/": "https://github.example", "http://127.0.0.1:80/git/": "http://127.0.0.1:80/git", "http://[::1]:3000": "http://[::1]:3000", "http://localhost": "http://localhost",
		"": "https://fallback.example", "http://github.example": "", "https://ada:secret@github.example": "", "https://github.example?x=secret": "", "ftp://x": "", "github.example": "", "https://": "", "http://127.0.0.1.example": "",
	} {
		got, err := rest.Base(raw, "https://fallback.example")
		if got != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %q, %v", raw, got, err)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(422, `{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists"}]}`, `<https://a.example/?page=2>; rel="next"`, "7")
	f.Add(403, `{"message":{"base":["a","b"]},"error":"x"}`, `<>; rel="next", <`, "-1")
	f.Add(200, `[1,2]`, `<%zz>; rel="next"`, "Sun, 15 Nov 2026 10:15:00 GMT")
	f.Add(429, `[[[[`, "", "1e9")
	f.Fuzz(func(t *testing.T, status int, body, link, after string) {
		if status < 200 || status > 599 {
			return
		}
		client := rest.New(rest.Options{Name: "hub", Base: "http://127.0.0.1", Now: func() time.Time { return now }, Transport: answer(func(*http.Request) *http.Response {
			w := httptest.NewRecorder()
			w.Header()["Link"], w.Header()["Retry-After"] = []string{link}, []string{after}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return w.Result()
		})})
		n := 0
		for _, err := range rest.List[int](t.Context(), client, rest.Call{Doing: "list", Path: "/x"}) {
			if e, ok := errors.AsType[*forge.Error](err); ok && (e.Until.After(now.Add(24*time.Hour)) || len(e.Said) > 600 || strings.ContainsAny(e.Said, "\x1b\n\x00")) {
				t.Fatalf("%+v", e)
			}
			if n++; n > 5 {
				break
			}
		}
	})
}

type answer func(*http.Request) *http.Response

func (a answer) RoundTrip(r *http.Request) (*http.Response, error) { return a(r), nil }
