package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/decide"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/replay/judge"
	"github.com/trimtab/trimtab/replay/policy"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/improvement"
	"github.com/trimtab/trimtab/surface/insight"
	"github.com/trimtab/trimtab/surface/person"
	"github.com/trimtab/trimtab/surface/web"
)

const token = "0123456789abcdef0123456789abcdef"

type site struct {
	t       *testing.T
	url     string
	service *session.Service
	shut    chan struct{} // closed when the server shuts down
	debate  func()        // begins one that is called talk
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
	papers := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(papers, item), 0o700), os.WriteFile(filepath.Join(papers, item, "requirements.md"), []byte("# Needed"), 0o600)); err != nil {
		t.Fatal(err)
	}
	told := insight.New(insight.Options{Engine: engine, Reflect: reflected, Make: func(ctx context.Context, _, _ string) (improve.Item, error) { return st.Queue().Item(ctx, item) }, Said: decide.Findings{Files: st.Queue()}})
	goal, err := deliberate.NewGoal(mode.Sessions())
	if err != nil {
		t.Fatal(err)
	}
	cfg, _ := config.Load[steer.Config](config.Sources{})
	compares := judge.NewComparisons(policy.New(cfg, nil), record.Stored, "", shut)
	api, err := web.New(web.Options{Compares: compares, Labels: filepath.Join(t.TempDir(), "labels.json"), Debates: goal, Policy: policyFile(t), Service: service, Archive: st, Feed: st, Improvements: improvement.Source{Queue: st.Queue(), Folder: papers}, Insight: told, Owner: "ada", Token: token, Hosts: []string{srv.Listener.Addr().String()}, Done: shut})
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
		if err := st.Queue().Add(context.Background(), improve.Item{ID: id, Fingerprint: id, Project: "/p", State: improve.Awaiting, Attempt: 1, Created: time.Unix(int64(len(id)), 0), Updated: time.Unix(0, 0), Evidence: []improve.Evidence{{Number: 1, Step: "clarify", Files: []string{"requirements.md", "../../etc/passwd"}}}}); err != nil {
			t.Fatal(err)
		}
	}
	s := &site{t, srv.URL, service, shut, func() {
		cast, err := deliberate.BuiltIn()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := deliberate.Begin(t.Context(), deliberate.Options{Service: service, History: st, Goal: goal, Model: func(context.Context, string) (llm.Model, error) { return deliberate.NewPlayer(0), nil }}, deliberate.Plan{ID: "talk", Mode: "will-it-work", Brief: "bread by bike", Model: "demo", Cast: cast}); err != nil {
			t.Fatal(err)
		}
	}}
	for _, path := range []string{"findings", "effect"} { // what is read beside the answers
		for strings.Contains(s.body("/trimtab/api/"+path), `"running":true`) {
			time.Sleep(time.Millisecond)
		}
	}
	return s
}

func (s *site) body(path string) string {
	s.t.Helper()
	_, body := s.do("GET", path, "", nil)
	return body
}

// reflected is what kept going wrong.
func reflected(context.Context, improve.Query) (improve.Reflection, error) {
	r := improve.Reflection{Results: []improve.SessionResult{{Project: "/p"}}}
	r.Results[0].SessionID = "s1"
	for _, f := range []string{"f1", "f2"} {
		r.Merged = append(r.Merged, improve.Merged{Pattern: improve.Pattern{Fingerprint: f, Suggestion: "look first", Count: 3}, Sessions: 1, In: []string{"s1"}})
	}
	return r, nil
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
		{"GET", "/trimtab/api/overview", "", 200, `"known":true,"step":0`},
		{"GET", "/trimtab/api/overview?after=s1", "", 200, `"sessions":[]`},
		{"GET", "/trimtab/api/sessions?after=s1", "", 200, `[]`},
		{"GET", "/trimtab/api/sessions/s1/journal?limit=1", "", 200, `[{`},
		{"GET", "/trimtab/api/effect", "", 200, `"running":false,"sessions":1`},
		{"GET", "/trimtab/api/effect?by=person", "", 200, `"rows":[`},
		{"GET", "/trimtab/api/effect?by=moon", "", 400, `week, kind, repository and person`},
		{"GET", "/trimtab/api/findings?limit=1", "", 200, `"next":1`},
		{"GET", "/trimtab/api/findings?after=1", "", 200, `"fingerprint":"f2"`},
		{"GET", "/trimtab/api/findings?after=9", "", 200, `"findings":[]`},
		{"POST", "/trimtab/api/findings/f1/improvement", "", 200, item},
		{"POST", "/trimtab/api/findings/f9/improvement", "", 404, `newest reading`},
		{"GET", "/trimtab/api/improvements/" + item + "/preview", "", 200, `"outgoing":[]`},
		{"GET", "/trimtab/api/improvements/" + item + "/change", "", 200, `"patch":""`},
		{"GET", "/trimtab/api/improvements/" + item + "/papers/requirements.md", "", 200, `# Needed`},
		{"GET", "/trimtab/api/improvements/" + item + "/papers/..%2F..%2Fetc%2Fpasswd", "", 404, `not of this improvement`},
		{"POST", "/trimtab/api/improvements/" + item + "/approve", ``, 400, `give what you were shown`},
		{"POST", "/trimtab/api/improvements/" + item + "/approve", `[]`, 400, `the body is not`},
		{"POST", "/trimtab/api/improvements/" + item + "/fly", `{"seen":"x"}`, 404, `no such act`},
		{"POST", "/trimtab/api/improvements/" + item + "/comment", `{"text":""}`, 422, `needs words`},
		{"POST", "/trimtab/api/improvements/" + item + "/comment", `{"text":"keep the old name"}`, 200, `"text":"keep the old name"`},
		{"POST", "/trimtab/api/improvements/" + item + "/retry", `{"seen":"awaiting_approval/1"}`, 422, `only what failed`},
		{"POST", "/trimtab/api/improvements/" + item + "/approve", `{"seen":"awaiting_approval/1"}`, 200, `"seen":"queued/1"`},
		{"POST", "/trimtab/api/improvements/" + item + "/reject", `{"seen":"awaiting_approval/1"}`, 409, `decided meanwhile`},
		{"GET", "/trimtab/api/improvements/" + item, "", 200, `"by":"ada"`},
		{"POST", "/trimtab/api/improvements/" + item + "/cancel", `{"seen":"queued/1"}`, 200, `"seen":"`},
		{"POST", "/trimtab/api/improvements/workflow_20261117_120000_aaaa/reject", `{"seen":"awaiting_approval/1","text":"as intended"}`, 200, `"seen":"rejected/1"`},
		{"POST", "/trimtab/api/improvements/workflow_20261117_120000_zzzz/approve", `{"seen":"x"}`, 404, `no such improvement`},
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
	s.debate()
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
			real := strings.NewReplacer("{id}", "s1", "{item}", item, "{name}", "todo", "{act}", "comment", "{paper}", "requirements.md", "{fingerprint}", "f1", "{debate}", "talk").Replace(path)
			sent := map[string]string{"/labels": `{"step": 0, "by": "todo", "slot": "reminder", "verdict": "useful"}`, "/say": `{"text": "hello"}`, "/{act}": `{"text": "say why"}`}[path[strings.LastIndex(path, "/"):]]
			if status, body := s.do(strings.ToUpper(method), real, sent, nil); status != 200 {
				t.Errorf("%s %s is in the contract and answers %d %s", method, path, status, body)
			}
		}
	}
}

// V8: and the other way: what is served is in the document.
func TestV8_EveryRouteIsInTheContract(t *testing.T) {
	s := open(t)
	_, raw := s.do("GET", "/trimtab/api/openapi.json", "", nil)
	var doc struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, route := range regexp.MustCompile(`HandleFunc\("(GET|POST) (/trimtab/api/[^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			found++
			if doc.Paths[strings.ReplaceAll(route[2], "...}", "}")][strings.ToLower(route[1])] == nil {
				t.Errorf("%s %s is not in the contract", route[1], route[2])
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d routes were found", found)
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
	roles := map[string]owned.Role{"use": owned.Use, "view": owned.View, "steer": owned.Steer, "approve": owned.Approve}
	if err := st.Queue().Add(t.Context(), improve.Item{ID: item, Fingerprint: item, Project: "/p", State: improve.Awaiting, Attempt: 1, Created: time.Unix(1, 0), Updated: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	var did []string
	srv := httptest.NewUnstartedServer(nil)
	api, err := web.New(web.Options{
		Service: service, Archive: st, Feed: st, Improvements: improvement.Source{Queue: st.Queue()}, Token: token, Hosts: []string{srv.Listener.Addr().String()}, Labels: labels, Debates: goal,
		Who: func(r *http.Request) (person.Person, bool) {
			role, ok := roles[r.Header.Get("Role")]
			return person.Person{User: "ann", Role: role}, ok
		},
		Did: func(_ context.Context, p person.Person, what, about, _ string) {
			did = append(did, p.User+" "+what+" "+about)
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
		{"use", "findings", 403},
		{"view", "findings", 200},
		{"use", "effect", 200},
		{"use", "overview", 200},
		{"use", "improvements/" + item + "/preview", 403},
		{"view", "improvements/" + item + "/preview", 200},
		{"view", "POST findings/f1/improvement", 403},
		{"use", "POST improvements/" + item + "/comment", 403},
		{"view", "POST improvements/" + item + "/approve", 403},
		{"steer", "POST improvements/" + item + "/approve", 403},
		{"", "POST improvements/" + item + "/approve", 401},
		{"approve", "POST improvements/" + item + "/approve", 200},
	} {
		method, path, ok := strings.Cut(tt.path, " ")
		if !ok {
			method, path = http.MethodGet, tt.path
		}
		r, err := http.NewRequestWithContext(t.Context(), method, srv.URL+"/trimtab/api/"+path, strings.NewReader(`{"seen":"awaiting_approval/1","text":"x"}`))
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
		for _, role := range []string{"use", "view"} {
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
	if it, err := st.Queue().Item(t.Context(), item); err != nil || it.Approved == nil || it.Approved.By != "ann" || len(it.Remarks) != 0 {
		t.Errorf("%+v %v", it, err)
	}
	if len(did) != 1 || did[0] != "ann improve.approve "+item {
		t.Errorf("the audit hears %v", did)
	}
}

// V8: a person's overview and effect are of their own sessions.
func TestV8_OverviewAndEffectAreAPersonsOwn(t *testing.T) {
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
	srv := httptest.NewUnstartedServer(nil)
	api, err := web.New(web.Options{
		Service: service, Archive: st, Feed: st, Token: token, Hosts: []string{srv.Listener.Addr().String()},
		Who: func(r *http.Request) (person.Person, bool) {
			role := owned.Role(r.Header.Get("Role"))
			return person.Person{User: "ann", Role: role}, role != ""
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = api
	srv.Start()
	t.Cleanup(srv.Close)
	s := &site{t: t, url: srv.URL}
	for role, want := range map[owned.Role]int{owned.Use: 1, owned.View: 2} {
		as := func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("Role", string(role)) }
		if _, body := s.do("GET", "/trimtab/api/overview", "", as); strings.Count(body, `"sessionId"`) != want || strings.Contains(body, "bob-1") != (want == 2) {
			t.Errorf("%s: %s", role, body)
		}
		_, body := s.do("GET", "/trimtab/api/effect", "", as)
		for strings.Contains(body, `"running":true`) {
			time.Sleep(time.Millisecond)
			_, body = s.do("GET", "/trimtab/api/effect", "", as)
		}
		if !strings.Contains(body, fmt.Sprintf(`"sessions":%d`, want)) {
			t.Errorf("%s: %s", role, body)
		}
	}
}

// V8: what the workbench compares can be compared by a program too; what is wrong is said.
func TestV8_TwoPoliciesAreComparedInTheAPI(t *testing.T) {
	s := open(t)
	const path = "/trimtab/api/comparison"
	if status, body := s.do("GET", path, "", nil); status != 200 || !strings.Contains(body, `"comparison":null`) || !strings.Contains(body, `"key":"guard.enabled"`) {
		t.Errorf("before any: %d %s", status, body)
	}
	for _, wrong := range []string{`{"second": ["guard.enabledd=false"]}`, `{"second": ["interventions.x.command=rm"]}`} {
		if status, body := s.do("POST", path, wrong, nil); status != 422 {
			t.Errorf("%s: %d %s", wrong, status, body)
		}
	}
	if status, body := s.do("POST", path, `{"second": "guard.enabled=false"}`, nil); status != 400 {
		t.Errorf("no list: %d %s", status, body)
	}
	status, body := s.do("POST", path, `{"second": ["guard.enabled=false"], "sessions": 100}`, nil)
	if status != 200 || !strings.Contains(body, `"second":["guard.enabled=false"]`) || !strings.Contains(body, `"most_sessions":100`) {
		t.Fatalf("%d %s", status, body)
	}
	for strings.Contains(body, `"running":true`) {
		time.Sleep(10 * time.Millisecond)
		_, body = s.do("GET", path, "", nil)
	}
	if !strings.Contains(body, `"result":{"sessions":1,`) || strings.Contains(body, `"failed"`) {
		t.Errorf("%s", body)
	}
	if status, body := s.do("POST", path+"/stop", "", nil); status != 200 || !strings.Contains(body, `"running":false`) {
		t.Errorf("to stop what is done: %d %s", status, body)
	}
}
