package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/replay/judge"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/person"
	"github.com/trimtab/trimtab/surface/web"
)

const token = "0123456789abcdef0123456789abcdef"

type site struct {
	t       *testing.T
	url     string
	service *session.Service
	shut    chan struct{} // closed when the server shuts down
}

// item is an improvement, the newest of two.
const item = "workflow_20261117_120000_k3x9"

func open(t *testing.T) *site {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	service := session.New(engine, st, session.Options{})
	srv, shut := httptest.NewUnstartedServer(nil), make(chan struct{})
	goal, err := deliberate.NewGoal(mode.Sessions())
	if err != nil {
		t.Fatal(err)
	}
	api, err := web.New(web.Options{Labels: filepath.Join(t.TempDir(), "labels.json"), Debates: goal, Policy: policyFile(t), Service: service, Archive: st, Feed: st, Improvements: st.Queue(), Token: token, Hosts: []string{srv.Listener.Addr().String()}, Done: shut})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = api
	srv.Start()
	t.Cleanup(srv.Close)
	if _, err := service.Begin(context.Background(), trimtab.Info{ID: "s1", Host: "claude", Project: "p"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := service.Handle(context.Background(), "s1", trimtab.Said{Message: trimtab.Prompt("hello")}, trimtab.Calling{}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"workflow_20261117_120000_aaaa", item} {
		if err := st.Queue().Add(context.Background(), improve.Item{ID: id, Fingerprint: id, Project: "/p", State: improve.Awaiting, Created: time.Unix(int64(len(id)), 0), Updated: time.Unix(0, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	cast, err := deliberate.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deliberate.Begin(t.Context(), deliberate.Options{Service: service, History: st, Goal: goal, Model: func(context.Context, string) (llm.Model, error) { return deliberate.NewPlayer(0), nil }}, deliberate.Plan{ID: "talk", Mode: "will-it-work", Brief: "bread by bike", Model: "demo", Cast: cast}); err != nil {
		t.Fatal(err)
	}
	return &site{t, srv.URL, service, shut}
}

func (s *site) do(method, path, body string, change func(*http.Request)) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if change != nil {
		change(r)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply.StatusCode, string(raw)
}

// TestP12_AnEventStreamEndsWithTheServer: else it would hold up the shutdown for as
// long as somebody watches.
func TestP12_AnEventStreamEndsWithTheServer(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/trimtab/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	close(s.shut)
	if _, err := io.ReadAll(reply.Body); err != nil {
		t.Errorf("it did not end by itself: %v", err)
	}
}

func TestTheContract(t *testing.T) {
	s := open(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		holds              string
	}{
		{"GET", "/trimtab/api/sessions", "", 200, `"sessionId":"s1"`},
		{"GET", "/trimtab/api/sessions?host=codex", "", 200, `[]`},
		{"GET", "/trimtab/api/sessions/s1", "", 200, `"step":0`},
		{"GET", "/trimtab/api/sessions/nosuch", "", 404, `not found`},
		{"GET", "/trimtab/api/sessions/..%2Fx", "", 400, `not a session id`},
		{"GET", "/trimtab/api/sessions/s1/messages", "", 200, `"hello"`},
		{"GET", "/trimtab/api/sessions/s1/messages?after=1", "", 200, `[]`},
		{"GET", "/trimtab/api/sessions/s1/journal", "", 200, `"calling"`},
		{"GET", "/trimtab/api/commands", "", 200, `"automata"`},
		{"POST", "/trimtab/api/sessions/s1/commands/mode", `{"args":["planning"]}`, 200, `Mode: PLANNING`},
		{"GET", "/trimtab/api/sessions/s1", "", 200, `"PLANNING"`},
		{"POST", "/trimtab/api/sessions/s1/commands/mode", `{"args":["flying"]}`, 422, `no mode is called`},
		{"POST", "/trimtab/api/sessions/s1/commands/fly", ``, 422, `no command`},
		{"POST", "/trimtab/api/sessions/s1/commands/mode", `{"args":5}`, 400, `args`},
		{"GET", "/trimtab/api/changes", "", 200, `"kind":"session","id":"s1"`},
		{"GET", "/trimtab/api/changes?after=99999", "", 400, `not a cursor`},
		{"GET", "/trimtab/api/sessions/s1/timeline", "", 200, `"next":0`},
		{"GET", "/trimtab/api/sessions/s1/timeline?after=9", "", 200, `"turns":[]`},
		{"GET", "/trimtab/api/sessions/nosuch/timeline", "", 404, `not found`},
		{"GET", "/trimtab/api/improvements?limit=1", "", 200, `"next":"` + item + `"`},
		{"GET", "/trimtab/api/improvements?after=" + item, "", 200, `"next":""`},
		{"GET", "/trimtab/api/improvements?state=done", "", 200, `"items":[]`},
		{"GET", "/trimtab/api/improvements?state=flying", "", 400, `is not one of`},
		{"GET", "/trimtab/api/improvements/" + item, "", 200, `"awaiting_approval"`},
		{"GET", "/trimtab/api/improvements/workflow_20261117_120000_zzzz", "", 404, `no such improvement`},
		{"GET", "/trimtab/api/openapi.json", "", 200, `"openapi"`},
		{"GET", "/trimtab/api/nothing", "", 404, `openapi.json`},
	} {
		status, body := s.do(c.method, c.path, c.body, nil)
		if status != c.status || !strings.Contains(body, c.holds) {
			t.Errorf("%s %s %s: %d %s; want %d with %s", c.method, c.path, c.body, status, body, c.status, c.holds)
		}
	}
}

// TestEveryPathIsInTheContract keeps the document and the code together.
func TestEveryPathIsInTheContract(t *testing.T) {
	s := open(t)
	_, raw := s.do("GET", "/trimtab/api/openapi.json", "", nil)
	var doc struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		if strings.HasSuffix(path, "/events") {
			continue
		}
		for method := range methods {
			real := strings.NewReplacer("{id}", "s1", "{item}", item, "{name}", "todo", "{debate}", "talk").Replace(path)
			sent := map[string]string{"/labels": `{"step": 0, "by": "todo", "slot": "reminder", "verdict": "useful"}`, "/say": `{"text": "hello"}`}[path[strings.LastIndex(path, "/"):]]
			if status, body := s.do(strings.ToUpper(method), real, sent, nil); status != 200 {
				t.Errorf("%s %s is in the contract and answers %d %s", method, path, status, body)
			}
		}
	}
}

func TestOnlyWithTokenHostAndOrigin(t *testing.T) {
	s := open(t)
	for name, change := range map[string]func(*http.Request){
		"no token":          func(r *http.Request) { r.Header.Del("Authorization") },
		"another token":     func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"0") },
		"token as basic":    func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) },
		"a name of a page":  func(r *http.Request) { r.Host = "evil.example" },
		"another port":      func(r *http.Request) { r.Host = "127.0.0.1:1" },
		"a foreign origin":  func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"the null origin":   func(r *http.Request) { r.Header.Set("Origin", "null") },
		"our host by https": func(r *http.Request) { r.Header.Set("Origin", "https://"+r.URL.Host) },
	} {
		for _, path := range []string{"/trimtab/api/sessions", "/trimtab/api/events", "/trimtab/api/openapi.json"} {
			if status, body := s.do("GET", path, "", change); status != 401 && status != 403 {
				t.Errorf("%s: %s answers %d %s", name, path, status, body)
			}
		}
	}
	if status, _ := s.do("GET", "/trimtab/api/sessions", "", func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) }); status != 200 {
		t.Errorf("D11: the scheme in lower case gets %d", status)
	}
	if status, _ := s.do("GET", "/trimtab/api/sessions", "", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.URL.Host) }); status != 200 {
		t.Errorf("our own origin gets %d", status)
	}
}

func TestEventsComeLive(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+"/trimtab/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	// The headers are here, but the subscription may come a moment later: say something until it is heard.
	heard := make(chan string)
	go func() {
		in := bufio.NewScanner(reply.Body)
		for in.Scan() {
			if data, ok := strings.CutPrefix(in.Text(), "data: "); ok && strings.Contains(data, `"entry"`) {
				heard <- data
				return
			}
		}
		close(heard)
	}()
	for {
		if _, _, err := s.service.Handle(ctx, "s1", trimtab.Asked{Command: "todo"}); err != nil {
			t.Fatal(err)
		}
		select {
		case data := <-heard:
			if !strings.Contains(data, `"sessionId":"s1"`) || !strings.Contains(data, `"asked"`) {
				t.Errorf("heard %s", data)
			}
			return
		default:
		}
	}
}

func TestAShortTokenIsRefused(t *testing.T) {
	if _, err := web.New(web.Options{Token: "short"}); err == nil {
		t.Error("a short token was taken")
	}
}

// policyFile holds what clients are to have.
func policyFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(file, []byte(`{"locked": ["*"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestX2_PagesOfTheAPIShowAPersonTheirPart: the timeline of another's session is not there
// for one who may only use the gateway, and improvements, which quote everybody's sessions,
// take the role to see those.
func TestX2_PagesOfTheAPIShowAPersonTheirPart(t *testing.T) {
	st := memory.New()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	service := session.New(engine, st, session.Options{})
	for _, user := range []string{"ann", "bob"} {
		if _, err := service.Begin(t.Context(), trimtab.Info{ID: user + "-1", User: user}); err != nil {
			t.Fatal(err)
		}
	}
	labels := filepath.Join(t.TempDir(), "labels.json")
	n, err := judge.NewLabel(0, "todo", "reminder", "", "useful", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(judge.Keep(labels, "ann-1", 0, n), judge.Keep(labels, "bob-1", 0, n)); err != nil {
		t.Fatal(err)
	}
	goal, err := deliberate.NewGoal(mode.Sessions())
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string]owned.Role{"use": owned.Use, "view": owned.View}
	srv := httptest.NewUnstartedServer(nil)
	api, err := web.New(web.Options{
		Service: service, Archive: st, Feed: st, Improvements: st.Queue(), Token: token, Hosts: []string{srv.Listener.Addr().String()}, Labels: labels, Debates: goal,
		Who: func(r *http.Request) (person.Person, bool) {
			role, ok := roles[r.Header.Get("Role")]
			return person.Person{User: "ann", Role: role}, ok
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = api
	srv.Start()
	t.Cleanup(srv.Close)
	for _, tt := range []struct {
		role, path string
		want       int
	}{
		{"use", "labels", 200},
		{"", "labels", 401},
		{"use", "debates", 200},
		{"use", "debates/bob-1", 403},
		{"view", "debates/bob-1", 404}, // it is a session, and no debate
		{"use", "sessions/ann-1/timeline", 200},
		{"use", "sessions/bob-1/timeline", 403},
		{"view", "sessions/bob-1/timeline", 200},
		{"use", "improvements", 403},
		{"use", "improvements/x", 403},
		{"view", "improvements", 200},
		{"", "improvements", 401},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/trimtab/api/"+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Role", tt.role)
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != tt.want {
			t.Errorf("%s as %q: %d, want %d", tt.path, tt.role, res.StatusCode, tt.want)
		}
		if tt.role == "use" && strings.Contains(string(raw), "bob-1") && res.StatusCode == 200 {
			t.Errorf("%s tells of another's session: %s", tt.path, raw)
		}
	}
	for _, path := range []string{"sessions/bob-1/labels", "debates/bob-1/say", "sessions/bob-1/commands/mute"} { // ann changes nothing of bob's
		for role := range roles {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/trimtab/api/"+path, strings.NewReader(`{"step": 0, "by": "todo", "slot": "reminder", "verdict": "annoying", "text": "hello", "args": ["all"]}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Role", role)
			res, err := srv.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			if res.StatusCode != 403 {
				t.Errorf("POST %s as %q: %d", path, role, res.StatusCode)
			}
		}
	}
}
