package mcp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/mcp"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

func post(t *testing.T, url, body string, change func(*http.Request)) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	if change != nil {
		change(r)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reply.Body.Close() })
	return reply
}

func TestOverHTTPOnlyWhoHasTheTokenAndNamesThisMachineComesIn(t *testing.T) {
	s := launch(t)
	url := s.web(s.server(), nil)
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		body   string
		status int
	}{
		{"in order", nil, hello, 200},
		{"D11: the scheme has no case", func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) }, hello, 200},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, hello, 401},
		{"another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+strings.Repeat("0", 32)) }, hello, 401},
		{"the token in another form", func(r *http.Request) { r.Header.Set("Authorization", token) }, hello, 401},
		{"a name that is not this machine's", func(r *http.Request) { r.Host = "evil.example" }, hello, 403},
		{"a name of another server on it", func(r *http.Request) { r.Host = "localhost:1" }, hello, 403},
		{"a page of another origin", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, hello, 403},
		{"our own origin", func(r *http.Request) { r.Header.Set("Origin", url) }, hello, 200},
		{"too much", nil, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`, 413},
		{"too much, in the newest protocol", func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "2026-07-28") }, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`, 413},
		{"no JSON", nil, `{"jsonrpc"`, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			if reply := post(t, url, c.body, c.change); reply.StatusCode != c.status {
				raw, _ := io.ReadAll(reply.Body)
				t.Errorf("%d, want %d: %s", reply.StatusCode, c.status, raw)
			}
		})
	}
}

func TestAShortTokenIsRefused(t *testing.T) {
	if _, err := launch(t).server().Handler(mcp.HTTPOptions{Token: "short"}); err == nil {
		t.Error("a service without a lock")
	}
}

// A stream that nobody ends would hold up the end of the server.
func TestStreamsEndWhenTheServerShutsDown(t *testing.T) {
	s := launch(t)
	done := make(chan struct{})
	url := s.web(s.server(), done)
	id := post(t, url, hello, nil).Header.Get("Mcp-Session-Id")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Accept": {"text/event-stream"}, "Mcp-Session-Id": {id}, "Mcp-Protocol-Version": {"2025-11-25"}}
	reply, err := http.DefaultClient.Do(r)
	if err != nil || reply.StatusCode != 200 {
		t.Fatal(reply, err)
	}
	defer reply.Body.Close()
	close(done)
	if _, err := io.ReadAll(reply.Body); err != nil {
		t.Error(err)
	}
}

// Two agents, or one that calls two tools at once, must not tear the tree.
func TestPushesAtOnceAllFindTheirPlace(t *testing.T) {
	s := launch(t)
	a, b := s.board("stdio", "2026-07-28", "claude-code", nil), s.board("http", "2025-11-25", "claude-code", nil)
	var group sync.WaitGroup
	for _, c := range []*client{a, b} {
		for i := range 5 {
			group.Go(func() {
				if r := c.call("flame_push", map[string]any{"goal": fmt.Sprintf("part %d", i)}); r.failed {
					t.Error(r.text)
				}
			})
		}
	}
	group.Wait()
	tree := a.must("flame_tree", nil).text
	if n := strings.Count(tree, "part "); n != 10 || !strings.Contains(tree, "f11") {
		t.Errorf("%d frames:\n%s", n, tree)
	}
	for range 10 {
		b.must("flame_pop", map[string]any{"summary": "done"})
	}
	if r := b.must("flame_status", nil); !strings.Contains(r.text, "at the root") {
		t.Error(r.text)
	}
	s.say(present, trimtab.Prompt("Go on."))
}
