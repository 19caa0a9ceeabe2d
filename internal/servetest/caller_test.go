package servetest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/llm/price"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/caller"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/person"
	"github.com/trimtab/trimtab/surface/server"
	"github.com/trimtab/trimtab/surface/web"
)

// provider answers in OpenAI's format, streams without end where it is asked to, and keeps
// what it was sent.
type provider struct {
	mu   sync.Mutex
	seen []*http.Request
	gone chan struct{} // closed when the client of an endless stream is gone
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.seen = append(p.seen, r)
	p.mu.Unlock()
	if !bytes.Contains(body, []byte("endless")) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"r","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":70,"completion_tokens":30,"total_tokens":100}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for r.Context().Err() == nil {
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
	close(p.gone)
}

func (p *provider) last() *http.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.seen) == 0 {
		return nil
	}
	return p.seen[len(p.seen)-1]
}

func (p *provider) count() int { p.mu.Lock(); defer p.mu.Unlock(); return len(p.seen) }

const heldSecret = "sk-held-canary-0123456789"

// rig is a served gateway with callers in front of a provider.
type rig struct {
	*httptest.Server
	provider *provider
	store    *memory.Store
	book     *caller.Book
	gate     *caller.Gate
}

func newRig(t *testing.T, st *memory.Store, replica string) *rig {
	t.Helper()
	p := &provider{gone: make(chan struct{})}
	up := httptest.NewServer(p)
	t.Cleanup(up.Close)
	env := map[string]string{"HELD": heldSecret}
	held, err := caller.Hold(map[string]string{"openai": "env:HELD", "anthropic": "env:HELD", "gemini": "env:HELD"}, func(n string) string { return env[n] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	prices, err := price.New(map[string]string{"openai/m": "input=1000000 output=1000000", "m": "input=10000 output=10000"})
	if err != nil {
		t.Fatal(err)
	}
	book := caller.NewBook(st.Queue(), time.Now)
	gate := caller.NewGate(book, caller.Options{Held: held, Prices: prices, Replica: replica})
	t.Cleanup(gate.Start(t.Context()))
	mine, err := owned.New(st, owned.Options{User: "server", Role: owned.Steer, Serves: true, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	service := session.New(engine, mine, session.Options{})
	g, err := gateway.New(gateway.Options{Service: service, History: mine, Guard: gate, Config: gateway.Config{Upstreams: map[string]string{"openai": up.URL, "anthropic": up.URL, "gemini": up.URL}}})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(nil)
	hosts := []string{srv.Listener.Addr().String()}
	api, err := web.New(web.Options{Service: service, Archive: mine, Everyone: st, Feed: mine.Feed(st), Token: strings.Repeat("t", 40), Hosts: hosts, Who: gate.Person})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Options{Gateway: g, Metrics: &g.Stats, Sessions: service, Store: mine, Known: address.Only(address.New()), Callers: gate.Handler, Hosts: hosts, API: api})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = s
	srv.Start()
	t.Cleanup(srv.Close)
	return &rig{srv, p, st, book, gate}
}

func (r *rig) key(t *testing.T, p caller.Plan) (secret string, k caller.Key) {
	t.Helper()
	if p.Name == "" {
		p.Name = p.User
	}
	if p.Role == "" {
		p.Role = owned.Use
	}
	secret, k, err := r.book.Create(t.Context(), p, "root")
	if err != nil {
		t.Fatal(err)
	}
	return secret, k
}

// ask sends a request and returns its status and what it said.
func (r *rig) ask(t *testing.T, method, path, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, r.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(raw), reply.Header
}

const chat = "/v1/chat/completions"

func prompt(model, text string) string {
	raw, _ := json.Marshal(map[string]any{"model": model, "messages": []any{map[string]string{"role": "user", "content": text}}})
	return string(raw)
}

// X5: keys are made, listed and revoked, and only their hash is stored.
func TestX5_OnlyTheHashOfAKeyIsStored(t *testing.T) {
	st := memory.New()
	book := caller.NewBook(st.Queue(), time.Now)
	secret, k, err := book.Create(t.Context(), caller.Plan{Name: "laptop", User: "ann", Role: owned.Use}, "root")
	if err != nil {
		t.Fatal(err)
	}
	files, err := st.Queue().Files(t.Context(), "callers")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if parts := strings.Split(secret, "-"); bytes.Contains(files[0].Body, []byte(parts[2])) {
		t.Errorf("the store has the secret: %s", files[0].Body)
	}
	list, err := book.List(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != k.ID || list[0].CreatedBy != "root" || list[0].State(time.Now()) != "valid" {
		t.Errorf("%+v %v", list, err)
	}
	if ended, err := book.Revoke(t.Context(), "laptop", "eve"); err != nil || len(ended) != 1 || ended[0].RevokedBy != "eve" {
		t.Errorf("%+v %v", ended, err)
	}
	if ended, err := book.Revoke(t.Context(), k.ID, "eve"); err != nil || len(ended) != 0 {
		t.Errorf("a second time: %+v %v", ended, err)
	}
	if _, err := book.Revoke(t.Context(), "nobody", "eve"); !errors.Is(err, trimtab.ErrNotFound) {
		t.Error(err)
	}
	if list, _ := book.List(t.Context()); list[0].State(time.Now()) != "revoked" {
		t.Errorf("%+v", list)
	}
	for _, p := range []caller.Plan{
		{},
		{Name: "x"},
		{Name: "x", User: "a:b", Role: owned.Use},
		{Name: "x", User: "all", Role: owned.Use},
		{Name: "x", User: "a..b", Role: owned.Use},
		{Name: "x", User: "a", Role: "admin"},
		{Name: "x\n", User: "a", Role: owned.Use},
		{Name: "x", User: "a", Role: owned.Use, Limits: caller.Limits{Tokens: -1}},
		{Name: "x", User: "a", Role: owned.Use, Limits: caller.Limits{Models: []string{"["}}},
		{Name: "x", User: "a", Role: owned.Use, Expires: time.Unix(1, 0)},
		{Name: "x", User: strings.Repeat("a", 65), Role: owned.Use},
	} {
		if _, _, err := book.Create(t.Context(), p, "root"); !errors.Is(err, caller.ErrPlan) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// X5: the gateway holds the providers' keys, and callers need only their own, in the place
// of the provider's; what the provider sees has nothing of it.
func TestX5_ACallerNeedsOnlyTheirKey(t *testing.T) {
	r := newRig(t, memory.New(), "a")
	secret, _ := r.key(t, caller.Plan{User: "ann"})
	gem := "/v1beta/models/m:generateContent"
	for _, c := range []struct {
		name, path string
		headers    []string
		want       string // the header that the provider reads
	}{
		{"as OpenAI's key", chat, []string{"Authorization", "Bearer " + secret}, "Authorization"},
		{"as Anthropic's key", "/v1/messages", []string{"X-Api-Key", secret}, "X-Api-Key"},
		{"as Anthropic's token", "/v1/messages", []string{"Authorization", "Bearer " + secret}, "X-Api-Key"},
		{"as Gemini's key", gem, []string{"X-Goog-Api-Key", secret}, "X-Goog-Api-Key"},
		{"as Gemini's parameter", gem + "?alt=sse&key=" + secret, nil, "X-Goog-Api-Key"},
		{"in our header", chat, []string{address.Header, secret}, "Authorization"},
		{"in the path", "/k/" + secret + chat, nil, "Authorization"},
		{"twice", "/k/" + secret + chat, []string{"Authorization", "Bearer " + secret, "X-Api-Key", secret}, "Authorization"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body, _ := r.ask(t, "POST", c.path, prompt("m", "hello"), c.headers...)
			if status != http.StatusOK {
				t.Fatal(status, body)
			}
			got := r.provider.last()
			if v := got.Header.Get(c.want); !strings.Contains(v, heldSecret) {
				t.Errorf("%s: %q", c.want, v)
			}
			if all := fmt.Sprint(got.Header, got.URL, got.RequestURI); strings.Contains(all, secret) {
				t.Errorf("the provider is sent the caller's key: %s", all)
			}
		})
	}
	status, body, _ := r.ask(t, "POST", chat, prompt("m", "hello"), address.Header, secret, "Authorization", "Bearer sk-of-their-own")
	if got := r.provider.last().Header.Get("Authorization"); status != http.StatusOK || got != "Bearer sk-of-their-own" {
		t.Errorf("their own key does not pass: %d %s %q", status, body, got)
	}
	before := r.provider.count()
	for name, wrong := range map[string]string{"another": secret[:len(secret)-1] + "x", "unknown": "trimtab-aaaaaaaa-" + strings.Repeat("A", 26), "none": "", "a provider's": "sk-other"} {
		if status, body, _ := r.ask(t, "POST", chat, prompt("m", "hello"), "Authorization", "Bearer "+wrong); status != http.StatusForbidden || strings.Contains(body, secret) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if r.provider.count() != before {
		t.Error("what was refused was sent")
	}
	if status, body, _ := r.ask(t, "POST", "/v1internal:generateContent", prompt("m", "hello"), address.Header, secret); status != http.StatusForbidden || !strings.Contains(body, "holds no key for codeassist") {
		t.Errorf("a provider without a held key: %d %s", status, body)
	}
}

func TestX5_HeldKeysAreNamedAndNeverWritten(t *testing.T) {
	for named, want := range map[string]string{"env:NONE": "no key in it", "sk-a-key-itself": "never the key itself", "file:/nonexistent/x": "no such file", "keyring:X": "no key in it"} {
		if _, err := caller.Hold(map[string]string{"openai": named}, func(string) string { return "" }, ring{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", named, err)
		}
	}
	if _, err := caller.Hold(map[string]string{"other": "env:X"}, func(string) string { return "x" }, nil); err == nil {
		t.Error("an unknown provider has a key")
	}
	if held, err := caller.Hold(map[string]string{"openai": "keyring:Y"}, nil, ring{"Y": heldSecret}); err != nil || strings.Contains(fmt.Sprintf("%v %+v %#v", held, held, held), heldSecret) {
		t.Error(err, "or it can be printed")
	}
}

type ring map[string]string

func (r ring) Get(account string) (string, bool) { s, ok := r[account]; return s, ok }

var _ key.Ring = ring{}

// X5: what a key may use is limited, and what cannot be told is refused.
func TestX5_LimitsHold(t *testing.T) {
	r := newRig(t, memory.New(), "a")
	ask := func(secret, path, body string, headers ...string) (int, string, http.Header) {
		return r.ask(t, "POST", path, body, append([]string{address.Header, secret}, headers...)...)
	}
	t.Run("models", func(t *testing.T) {
		secret, _ := r.key(t, caller.Plan{User: "models", Limits: caller.Limits{Models: []string{"m", "gpt-*"}}})
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write([]byte(prompt("forbidden", "x")))
		_ = z.Close()
		for _, c := range []struct {
			name, path, body string
			headers          []string
			want             int
		}{
			{"allowed", chat, prompt("m", "x"), nil, 200},
			{"by pattern", chat, prompt("gpt-9", "x"), nil, 200},
			{"forbidden", chat, prompt("forbidden", "x"), nil, 403},
			{"a second model", chat, `{"model":"m","messages":[],"model":"forbidden"}`, nil, 403},
			{"a second model before it", chat, `{"model":"forbidden","messages":[],"model":"m"}`, nil, 403},
			{"a second model, escaped", chat, `{"model":"m","messages":[],"mod\u0065l":"forbidden"}`, nil, 403},
			{"a second model in another case", chat, `{"model":"m","messages":[],"Model":"forbidden"}`, nil, 403},
			{"none", chat, `{"messages":[]}`, nil, 403},
			{"no JSON", chat, `model=m`, nil, 403},
			{"packed", chat, packed.String(), []string{"Content-Encoding", "gzip"}, 403},
			{"packed in an unknown way", chat, prompt("m", "x"), []string{"Content-Encoding", "br"}, 403},
			{"a batch", "/v1/messages/batches", `{"requests":[{"params":{"model":"forbidden"}}]}`, []string{"Anthropic-Version", "1"}, 403},
			{"Gemini", "/v1beta/models/m:generateContent", `{"contents":[]}`, nil, 200},
			{"Gemini, forbidden", "/v1beta/models/forbidden:generateContent", `{"model":"m","contents":[]}`, nil, 403},
		} {
			if status, body, _ := ask(secret, c.path, c.body, c.headers...); status != c.want {
				t.Errorf("%s: %d %s", c.name, status, body)
			}
		}
	})
	t.Run("requests", func(t *testing.T) {
		secret, k := r.key(t, caller.Plan{User: "requests", Limits: caller.Limits{Requests: 2}})
		var got []int
		var header http.Header
		for range 3 {
			status, _, h := ask(secret, chat, prompt("m", "x"))
			got, header = append(got, status), h
		}
		if fmt.Sprint(got) != "[200 200 429]" || header.Get("Retry-After") == "" {
			t.Errorf("%s: %v %v", k.ID, got, header)
		}
	})
	t.Run("tokens", func(t *testing.T) {
		secret, _ := r.key(t, caller.Plan{User: "tokens", Limits: caller.Limits{Tokens: 150}})
		var got []int
		var body string
		for range 3 { // 100 each
			var status int
			status, body, _ = ask(secret, chat, prompt("m", "x"))
			got = append(got, status)
		}
		if fmt.Sprint(got) != "[200 200 429]" || !strings.Contains(body, "200 of its 150 tokens") {
			t.Errorf("%v %s", got, body)
		}
		if status, body, _ := ask(secret, "/v1/embeddings", `{"model":"m","input":"x"}`); status != 403 || !strings.Contains(body, "cannot be counted") {
			t.Errorf("what cannot be counted passes: %d %s", status, body)
		}
	})
	t.Run("spend", func(t *testing.T) {
		secret, _ := r.key(t, caller.Plan{User: "spend", Limits: caller.Limits{Spend: 1}})
		var got []int
		for range 3 { // a dollar each and more
			status, _, _ := ask(secret, chat, prompt("m", "x"))
			got = append(got, status)
		}
		if fmt.Sprint(got) != "[200 429 429]" {
			t.Error(got)
		}
		if status, body, _ := ask(secret, chat, prompt("unpriced", "x")); status != 403 || !strings.Contains(body, "models.prices") {
			t.Errorf("%d %s", status, body)
		}
	})
}

// X5: limits of a day hold over all gateways on a store, and over a restart.
func TestX5_LimitsHoldOverSeveralGateways(t *testing.T) {
	st := memory.New()
	a := newRig(t, st, "a")
	secret, k := a.key(t, caller.Plan{User: "ann", Limits: caller.Limits{Tokens: 100}})
	if status, body, _ := a.ask(t, "POST", chat, prompt("m", "x"), address.Header, secret); status != 200 {
		t.Fatal(status, body)
	}
	waitFor(t, func() bool {
		used, err := a.book.UsageOf(t.Context(), time.Now())
		return err == nil && used[k.ID].Tokens == 100
	})
	for _, replica := range []string{"a", "b"} { // the same one after a restart, and another
		other := newRig(t, st, replica)
		if status, body, _ := other.ask(t, "POST", chat, prompt("m", "x"), address.Header, secret); status != http.StatusTooManyRequests {
			t.Errorf("%s: %d %s", replica, status, body)
		}
	}
}

func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	for !is() {
		select {
		case <-t.Context().Done():
			t.Fatal("it did not come")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// X5, bad input: a key that is revoked in mid-stream ends its reply, at the client and at
// the provider.
func TestX5_ARevokedKeyEndsItsReplies(t *testing.T) {
	st := memory.New()
	r := newRig(t, st, "a")
	secret, k := r.key(t, caller.Plan{User: "ann"})
	other, _ := r.key(t, caller.Plan{User: "eve"})
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+chat, strings.NewReader(prompt("m", "endless")))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+secret)
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if _, err := io.ReadFull(reply.Body, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	elsewhere := caller.NewBook(st.Queue(), time.Now) // another process
	if _, err := elsewhere.Revoke(t.Context(), k.ID, "root"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, reply.Body); err == nil {
		t.Error("the stream came to a good end")
	}
	<-r.provider.gone
	if status, body, _ := r.ask(t, "POST", chat, prompt("m", "x"), "Authorization", "Bearer "+secret); status != 403 || !strings.Contains(body, "is revoked") {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ := r.ask(t, "POST", chat, prompt("m", "x"), "Authorization", "Bearer "+other); status != 200 {
		t.Errorf("another's key: %d %s", status, body)
	}
}

// X2, X5: the sessions of a caller are theirs: nobody else's requests get into them, and
// nobody else reads or steers them without a role for it.
func TestX5_ASessionIsItsCallers(t *testing.T) {
	st := memory.New()
	r := newRig(t, st, "a")
	ann, _ := r.key(t, caller.Plan{User: "ann@example.com"})
	eve, _ := r.key(t, caller.Plan{User: "eve"})
	lead, _ := r.key(t, caller.Plan{User: "lead", Role: owned.View})
	chief, _ := r.key(t, caller.Plan{User: "chief", Role: owned.Steer})
	for _, secret := range []string{ann, eve} {
		for _, headers := range [][]string{nil, {"X-Trimtab-Session", "same"}, {"X-Trimtab-Session", "u:ann@example.com:same"}} {
			if status, body, _ := r.ask(t, "POST", chat, prompt("m", "the same words"), append(headers, "Authorization", "Bearer "+secret)...); status != 200 {
				t.Fatal(status, body)
			}
		}
	}
	list := func(secret string) (all []trimtab.Info) {
		waitFor(t, func() bool {
			status, body, _ := r.ask(t, "GET", "/trimtab/api/sessions", "", "Authorization", "Bearer "+secret)
			if status != 200 || json.Unmarshal([]byte(body), &all) != nil {
				t.Fatal(status, body)
			}
			return len(all) >= 3
		})
		return all
	}
	of := map[string][]string{}
	for name, secret := range map[string]string{"ann": ann, "eve": eve} {
		for _, info := range list(secret) {
			if want := map[string]string{"ann": "ann@example.com", "eve": "eve"}[name]; info.User != want {
				t.Errorf("%s is shown %+v", name, info)
			}
			of[name] = append(of[name], info.ID)
		}
	}
	if len(of["ann"]) != 3 || len(of["eve"]) != 3 {
		t.Errorf("%v", of)
	}
	for _, id := range of["ann"] {
		for _, path := range []string{"", "/messages", "/journal"} {
			for _, c := range []struct {
				who, secret string
				want        int
			}{{"ann", ann, 200}, {"eve", eve, 403}, {"lead", lead, 200}} {
				if status, body, _ := r.ask(t, "GET", "/trimtab/api/sessions/"+id+path, "", "Authorization", "Bearer "+c.secret); status != c.want {
					t.Errorf("%s reads %s%s: %d %s", c.who, id, path, status, body)
				}
			}
		}
		for _, c := range []struct {
			who, secret string
			want        int
		}{{"eve", eve, 403}, {"lead", lead, 403}, {"ann", ann, 200}, {"chief", chief, 200}} {
			status, body, _ := r.ask(t, "POST", "/trimtab/api/sessions/"+id+"/commands/mode", `{"args":["planning"]}`, "Authorization", "Bearer "+c.secret)
			if status != c.want || c.want == 403 && !strings.Contains(body, `takes the role`) {
				t.Errorf("%s steers %s: %d %s", c.who, id, status, body)
			}
		}
	}
	if status, _, _ := r.ask(t, "GET", "/trimtab/api/sessions", "", "Authorization", "Bearer trimtab-aaaaaaaa-"+strings.Repeat("A", 26)); status != 401 {
		t.Errorf("an unknown key: %d", status)
	}
	if status, _, _ := r.ask(t, "POST", "/k/"+ann+"/trimtab/hook", `{}`); status == 200 {
		t.Errorf("a caller speaks as a hook")
	}
}

// D11: where the store does not answer, keys that were known are answered on, and those
// that were not are told to come again.
func TestX5_KeysAreKnownWhileTheStoreIsAway(t *testing.T) {
	st := memory.New()
	files := &failing{store: st.Queue()}
	now := time.Now()
	book := caller.NewBook(files, func() time.Time { return now })
	secret, _, err := book.Create(t.Context(), caller.Plan{Name: "a", User: "ann", Role: owned.View}, "root")
	if err != nil {
		t.Fatal(err)
	}
	gate := caller.NewGate(book, caller.Options{Clock: func() time.Time { return now }})
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+secret)
	files.err = errors.New("away")
	w := httptest.NewRecorder()
	gate.Handler(nil, nil).ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	files.err = nil
	if p, ok := gate.Person(r); !ok || p.User != "ann" {
		t.Fatal(p, ok)
	}
	files.err = errors.New("away")
	now = now.Add(time.Hour)
	if p, ok := gate.Person(r); !ok || p.User != "ann" {
		t.Error(p, ok)
	}
}

// failing is a store that is away while there is an error.
type failing struct {
	store caller.Files
	err   error
}

func (f *failing) Save(ctx context.Context, folder string, file improve.File) error {
	return errors.Join(f.err, f.store.Save(ctx, folder, file))
}

func (f *failing) SaveOnce(ctx context.Context, folder string, file improve.File) (improve.File, error) {
	kept, err := f.store.SaveOnce(ctx, folder, file)
	return kept, errors.Join(f.err, err)
}

func (f *failing) Files(ctx context.Context, folder string) ([]improve.File, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.store.Files(ctx, folder)
}

func TestNeedSaysWhichRoleItTakes(t *testing.T) {
	h := person.Need(owned.Approve, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for _, c := range []struct {
		who  *person.Person
		want int
		text string
	}{{nil, 401, "sign in"}, {&person.Person{User: "ann", Role: owned.Steer}, 403, `takes the role \"approve\"`}, {&person.Person{User: "ann"}, 403, "approve"}, {&person.Person{User: "eve", Role: owned.Approve}, 204, ""}} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if c.who != nil {
			r = r.WithContext(person.With(r.Context(), *c.who))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want || !strings.Contains(w.Body.String(), c.text) {
			t.Errorf("%+v: %d %s", c.who, w.Code, w.Body)
		}
	}
}

// X5: a key that was made a moment ago at another machine is answered, though this gateway
// read the keys just before.
func TestX5_ANewKeyIsKnownAtOnce(t *testing.T) {
	r := newRig(t, memory.New(), "gw1")
	old, _ := r.key(t, caller.Plan{User: "ann"})
	if status, text, _ := r.ask(t, "POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, "Authorization", "Bearer "+old); status != 200 {
		t.Fatal(status, text)
	}
	elsewhere := caller.NewBook(r.store.Queue(), time.Now)
	fresh, _, err := elsewhere.Create(t.Context(), caller.Plan{Name: "bob", User: "bob", Role: owned.Use}, "root")
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(150 * time.Millisecond) // longer than a flood of unknown keys has the store read
	if status, text, _ := r.ask(t, "POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, "Authorization", "Bearer "+fresh); status != 200 {
		t.Errorf("%d %s", status, text)
	}
}
