package fakemodel_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// recording is a request of a real client. Long strings were replaced by their
// length when it was recorded, and all but the first tools by a count.
type recording struct {
	URL     string
	Headers json.RawMessage
	Body    map[string]any
}

func recordings(t *testing.T) map[string]recording {
	t.Helper()
	files, err := filepath.Glob("testdata/requests/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	all := map[string]recording{}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var r recording
		unmarshal(t, string(raw), &r)
		if r.Body != nil { // one is the upgrade to a WebSocket
			all[strings.TrimSuffix(filepath.Base(name), ".json")] = r
		}
	}
	return all
}

// mend takes out the count that stands for the tools that were left out.
func (r recording) mend() {
	tools, _ := r.Body["tools"].([]any)
	if n := len(tools); n > 0 {
		if last, _ := tools[n-1].(map[string]any); last["…"] != nil {
			r.Body["tools"] = tools[:n-1]
		}
	}
}

// What real clients sent is accepted: rules that refuse it would be wrong.
func TestRecordedRequestsOfRealClientsPass(t *testing.T) {
	for name, r := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			r.mend()
			body, err := json.Marshal(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("done")})
			rememberAll(s, r.Body)
			f := formatOf(t, r.URL)
			req := request(t, s.URL+r.URL, f, strings.NewReader(string(body)))
			var headers [][2]string
			unmarshal(t, string(r.Headers), &headers)
			for _, h := range headers {
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

func formatOf(t *testing.T, url string) fakemodel.Format {
	t.Helper()
	for f, p := range paths {
		if strings.HasPrefix(url, p) {
			return f
		}
	}
	if strings.HasPrefix(url, "/v1beta/") {
		return fakemodel.Gemini
	}
	t.Fatalf("what speaks %s?", url)
	return ""
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
