package fakemodel_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// What real clients sent is accepted: rules that refuse it would be wrong.
func TestRecordedRequestsOfRealClientsPass(t *testing.T) {
	all, err := fakemodel.Recordings()
	if err != nil || len(all) < 30 {
		t.Fatalf("%d recordings: %v", len(all), err)
	}
	for name, r := range all {
		t.Run(name, func(t *testing.T) {
			var body any
			unmarshal(t, string(r.Body), &body)
			s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("done")})
			rememberAll(s, body)
			f := r.Format
			req := request(t, s.URL+r.URL, f, strings.NewReader(string(r.Body)))
			for _, h := range r.Headers {
				switch http.CanonicalHeaderKey(h[0]) {
				case "Host", "Connection", "Content-Length", "Accept-Encoding":
				default:
					req.Header.Set(h[0], h[1])
				}
			}
			status, _, answer := do(t, req)
			if status != 200 {
				t.Fatalf("answered %d: %s", status, answer)
			}
			s.NoneRefused(t)
			got := s.Requests()[0]
			if len(got.Items) == 0 || got.Format != f || got.Model == "" {
				t.Errorf("read as %+v", got)
			}
			if side := sideOf(name); got.Side != side {
				t.Errorf("taken for the side call %q, want %q", got.Side, side)
			}
			if want := asked[name]; want != "" {
				hear := listenWhole
				if got.Stream {
					hear = listen
				}
				if h := hear(t, f, string(answer)); h.Text != want {
					t.Errorf("answered %q, want %q", h.Text, want)
				}
			}
		})
	}
}

// asked is what those that ask for JSON get.
var asked = map[string]string{
	"claude-tui-title-sidecall": `{"title":"Fake title"}`,
	"gemini-router-sidecall":    `{"complexity_reasoning":"fake","complexity_score":1}`,
}

// sideOf is what a recording is by its name. Titles, compaction and memory are
// known by words that the recording left out.
func sideOf(name string) string {
	switch name {
	case "claude-tui-title-sidecall", "gemini-router-sidecall":
		return "json"
	case "claude-gw-hints-subagent":
		return "subagent"
	}
	return ""
}

// rememberAll makes the server know the thinking that another one sent.
func rememberAll(s *fakemodel.Server, v any) {
	switch v := v.(type) {
	case map[string]any:
		thinking, _ := v["thinking"].(string)
		if signature, ok := v["signature"].(string); ok {
			s.Remember(thinking, signature)
		}
		if encrypted, ok := v["encrypted_content"].(string); ok {
			s.Remember("", encrypted)
		}
		for _, inner := range v {
			rememberAll(s, inner)
		}
	case []any:
		for _, inner := range v {
			rememberAll(s, inner)
		}
	}
}
