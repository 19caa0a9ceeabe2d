package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/gateway"
)

// canaries makes secrets that can be found again.
type canaries struct{ made []string }

func (c *canaries) next() string {
	c.made = append(c.made, fmt.Sprintf("sk-canary-%02d-x7Q", len(c.made)))
	return c.made[len(c.made)-1]
}

// in returns the canaries that a text holds.
func (c *canaries) in(text string) (found []string) {
	for _, secret := range c.made {
		if strings.Contains(text, secret) {
			found = append(found, secret)
		}
	}
	return found
}

// TestP15_NoSecretStays: keys in headers, addresses and bodies, on requests that
// pass, fail, are refused or break the steering, are in no log, in no file of the
// store, in no row of it, and in no error of ours. What a person and the model say
// is the session; all else is not ours to keep.
func TestP15_NoSecretStays(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "trimtab.db"), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := &canaries{}
	m := &moods{}
	cookie := c.next()
	up := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session="+cookie)
		if r.Header.Get("X-Break") != "" {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, `{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}`)
	})
	r := newRig(t, parts{up: up.URL, store: store, opening: planning(), patience: 60000, service: func(h *session.Service) gateway.Service { return service{h, m} }})
	down := newRig(t, parts{up: "http://" + gone(t), store: store})
	keys := func() http.Header {
		return http.Header{
			"Authorization": {"Bearer " + c.next()}, "X-Api-Key": {c.next()}, "X-Goog-Api-Key": {c.next()}, "Api-Key": {c.next()}, "Cookie": {"s=" + c.next()},
			"Proxy-Authorization": {"Basic " + c.next()}, "X-Custom": {c.next()}, "Anthropic-Version": {"2023-06-01"}, "X-Trimtab-Session": {"s"},
		}
	}
	body := func() string { // secrets everywhere but in what is said
		return fmt.Sprintf(`{"model":"m","system":"You are an agent.\\nBe brief.\\nMind the tests.\\ntoken %s","metadata":{"user_id":%q,"key":%q},"tools":[{"name":"Bash","description":%q,"input_schema":{"type":"object"}}],"x_api_key":%q,%q:1,"messages":[{"role":"user","content":"hello"}]}`,
			c.next(), c.next(), c.next(), c.next(), c.next(), c.next())
	}
	broken := func() string { return `{"messages":[{"role":"user","content":"` + c.next() }
	side := func() string {
		return fmt.Sprintf(`{"model":"m","tools":[],"messages":[{"role":"user","content":%q}]}`, c.next())
	}
	var errors strings.Builder
	send := func(r *rig, method, path string, header http.Header, body string) {
		t.Helper()
		a, err := r.try(method, path, header, strings.NewReader(body))
		if err == nil && a.status >= 400 {
			errors.Write(a.body)
		}
	}

	for n := range 3 { // the last two with steering that fails or panics
		m.set([]mood{well, failed, panics}[n], "")
		send(r, "POST", "/v1/messages?key="+c.next(), keys(), body())
	}
	m.set(well, "")
	send(r, "POST", "/v1/messages", keys(), body())
	send(r, "POST", "/v1/messages", keys(), broken())
	send(r, "POST", "/v1/messages", with(keys(), "Content-Encoding", "gzip"), broken())
	send(r, "POST", "/v1/messages/count_tokens", nil, side())
	send(r, "POST", "/v1/messages", http.Header{"User-Agent": {"claude-cli/2"}, "X-Claude-Code-Session-Id": {"x"}}, side())
	send(r, "GET", "/v1/files/"+c.next()+"?token="+c.next(), nil, "")
	send(r, "POST", "/unknown/"+c.next()+"?token="+c.next(), nil, "{}")
	send(r, "GET", "/v1/responses?token="+c.next(), http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Authorization": {"Bearer " + c.next()}}, "")
	send(r, "POST", "/v1/messages?key="+c.next(), with(keys(), "X-Break", "1"), body())
	send(down, "POST", "/v1/messages?key="+c.next(), keys(), body())
	r.settle()
	down.settle()
	if len(c.made) < 60 {
		t.Fatalf("only %d canaries", len(c.made))
	}
	if r.gate.Stats.Main.Load() < 3 || r.gate.Stats.Faults.Load() < 4 || r.gate.Stats.Side.Load() != 1 || !strings.Contains(errors.String(), "could not be reached") {
		t.Errorf("not all ways were gone: %+v\n%s", &r.gate.Stats, &errors)
	}

	for where, text := range map[string]string{"the log": r.log.String() + down.log.String(), "an error of ours": errors.String(), "the rows": rows(t, r), "the files": files(t, dir)} {
		if where != "an error of ours" && len(text) < 100 {
			t.Errorf("%s: too little to look at: %s", where, text)
		}
		if found := c.in(text); len(found) > 0 {
			t.Errorf("%d canaries are in %s: %v\n%.1500q", len(found), where, found, text)
		}
	}
	if !strings.Contains(rows(t, r), "hello") {
		t.Error("the rows do not even hold what was said")
	}
}

// gone is an address where nobody listens.
func gone(t *testing.T) string {
	t.Helper()
	up := newProvider(t, nil)
	addr := up.Listener.Addr().String()
	up.Close()
	return addr
}

// rows is all that a store gives back.
func rows(t *testing.T, r *rig) string {
	t.Helper()
	var out strings.Builder
	put := func(v any, err error) {
		t.Helper()
		raw, failed := json.Marshal(v)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		fmt.Fprintf(&out, "%s\n%+v\n", raw, v)
	}
	ctx := context.Background()
	for info, err := range r.store.List(ctx, trimtab.Query{}) {
		put(info, err)
		put(r.store.Load(ctx, info.ID))
		for m, err := range r.store.Messages(ctx, info.ID, 0) {
			put(m, err)
		}
		for e, err := range r.store.Journal(ctx, info.ID, 0) {
			put(e, err)
		}
	}
	return out.String()
}

// files is all that lies in a folder.
func files(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		out.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
