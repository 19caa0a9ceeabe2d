//go:build e2e && unix

package openapi_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/trimtab/trimtab/forge/github/openapi"
)

// TestTheGuardSeesMistakes: without it, that nobody made one would prove nothing.
func TestTheGuardSeesMistakes(t *testing.T) {
	const repo = "/api/v3/repos/acme/ship"
	const label = `{"id":1,"node_id":"x","url":"https://x.example","name":"a","description":"","color":"ededed","default":false}`
	each(t, func(t *testing.T, words *openapi.Words) {
		for name, c := range map[string]struct {
			method, path, body string // what is asked
			status             int    // what is answered
			answer             string
			want               string // "" for no mistake
		}{
			"nothing wrong":             {"GET", repo + "/labels?per_page=100", "", 200, "[" + label + "]", ""},
			"a path":                    {"GET", repo + "/label", "", 404, `{"message":"Not Found"}`, "no such request"},
			"a method":                  {"PUT", repo + "/issues", "{}", 404, `{"message":"Not Found"}`, "no such request"},
			"a parameter nobody knows":  {"GET", repo + "/labels?limit=100", "", 200, "[]", "no parameter limit"},
			"a parameter's value":       {"GET", repo + "/issues?state=every", "", 200, "[]", "allowed values"},
			"a parameter's type":        {"GET", repo + "/labels?per_page=all", "", 200, "[]", "per_page"},
			"a number in the path":      {"GET", repo + "/issues/one/labels", "", 200, "[]", "issue_number"},
			"a body's field is missing": {"POST", repo + "/labels", `{"color":"ededed"}`, 201, label, `"name" is missing`},
			"a body's field's type":     {"POST", repo + "/labels", `{"name":7}`, 201, label, "must be a string"},
			"a field nobody knows":      {"POST", repo + "/labels", `{"name":"a","colour":"ededed"}`, 201, label, "/colour: there is no such field"},
			"a state":                   {"PATCH", repo + "/issues/1", `{"state":"shut"}`, 404, `{"message":"Not Found"}`, "allowed values"},
			"a body where none belongs": {"GET", repo + "/labels", `{"name":"a"}`, 200, "[]", "takes no body"},
			"an answer lacks a field":   {"GET", repo + "/labels", "", 200, strings.Replace("["+label+"]", `"node_id":"x",`, "", 1), `"node_id" is missing`},
			"an answer's field's type":  {"GET", repo + "/labels", "", 200, strings.Replace("["+label+"]", `"id":1`, `"id":"1"`, 1), "must be an integer"},
			"an answer invents a field": {"GET", repo + "/labels", "", 200, strings.Replace("["+label+"]", `"id":1`, `"id":1,"colour":""`, 1), "/0/colour: there is no such field"},
			"a status never given":      {"GET", repo + "/labels", "", 202, "[]", "never answers 202"},
			"an error without words":    {"GET", repo + "/labels", "", 403, "{}", "has no message"},
			"an answer that is no JSON": {"GET", repo + "/labels", "", 200, "<html>", "invalid"},
		} {
			t.Run(name, func(t *testing.T) {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json; charset=utf-8")
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.answer)
				}))
				defer server.Close()
				mistakes := strings.Join(ask(t, words, server.URL, c.method, c.path, c.body), "\n")
				if c.want == "" && mistakes != "" || !strings.Contains(mistakes, c.want) {
					t.Errorf("told %q, want %q", mistakes, c.want)
				}
			})
		}
	})
}

// ask sends a request through a guard, and returns the mistakes.
func ask(t *testing.T, words *openapi.Words, server, method, path, body string) []string {
	t.Helper()
	var mu sync.Mutex
	var mistakes []string
	g, err := openapi.NewGuard(words, server, func(m string) {
		mu.Lock()
		defer mu.Unlock()
		mistakes = append(mistakes, m)
	})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g)
	defer front.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, front.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	mu.Lock()
	defer mu.Unlock()
	return mistakes
}

// FuzzParse: a description that makes no sense is an error, and what it describes
// is looked at without a panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"a":{"type":"string"}}}}}},"responses":{"200":{"description":"a"}}}}}}`), []byte(`{"a":"b"}`))
	f.Add([]byte(`{}`), []byte(`[]`))
	f.Add([]byte(`{"paths":{"/a":null}}`), []byte(`null`))
	f.Fuzz(func(t *testing.T, description, body []byte) {
		words, err := openapi.Parse(description, "/api")
		if err != nil {
			return
		}
		g, err := openapi.NewGuard(words, "http://127.0.0.1:1", func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/a", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		defer func() {
			v := recover()
			if err, ok := v.(error); v != nil && (!ok || !errors.Is(err, http.ErrAbortHandler)) {
				panic(v)
			}
		}()
		g.ServeHTTP(httptest.NewRecorder(), r)
	})
}
