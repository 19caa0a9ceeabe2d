package dashboard_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/dashboard"
	"github.com/trimtab/trimtab/surface/dashboard/demo"
	"github.com/trimtab/trimtab/surface/insight"
)

var noon = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

// site is a dashboard of the sample sessions and a browser that keeps cookies.
type site struct {
	*testing.T
	*dashboard.Dashboard
	opt      dashboard.Options
	findings insight.Options
	store    *memory.Store
	url      string
	browser  *http.Client
	now      time.Time
}

func open(t *testing.T) *site {
	t.Helper()
	cfg, _ := config.Load[steer.Config](config.Sources{})
	engine, err := steer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{T: t, now: noon}
	s.store = memory.New()
	if err := demo.Play(t.Context(), engine, s.store, noon); err != nil {
		t.Fatal(err)
	}
	s.opt = dashboard.Options{Service: session.New(engine, s.store, session.Options{}), Archive: s.store, Feed: s.store, Sample: true, Owner: "ada"}
	s.opt.Improvements.Queue = s.store.Queue()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) }))
	done := make(chan struct{})
	t.Cleanup(func() { close(done); web.Close() })
	s.opt.Hosts, s.opt.Done, s.opt.Clock = []string{web.Listener.Addr().String()}, done, func() time.Time { return s.now }
	s.opt.Modes = []dashboard.Mode{{ID: "normal", Name: "Normal"}, {ID: "planning", Name: "Planning"}}
	s.url, s.browser = web.URL, newBrowser(t)
	return s.reload()
}

// reload makes the pages anew, after the options have changed.
func (s *site) reload() *site {
	s.Helper()
	s.findings.Engine, s.findings.Clock, s.findings.Done = s.opt.Service.Engine(), s.opt.Clock, s.opt.Done
	s.opt.Insight = insight.New(s.findings)
	var err error
	if s.Dashboard, err = dashboard.New(s.opt); err != nil {
		s.Fatal(err)
	}
	return s
}

func newBrowser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// in opens the link, which works once: a busy machine's page is not asked for again.
func (s *site) in() *site {
	s.Helper()
	if status, text := s.do("GET", s.Link(), nil, nil); status != 200 || !strings.Contains(text, "Sessions") {
		s.Fatalf("the link gives %d %s", status, text)
	}
	return s
}

func (s *site) get(path string) (status int, text string) {
	s.Helper()
	for { // a machine may be too busy for what a page waits for
		if status, text = s.do("GET", path, nil, nil); !strings.Contains(text, "data-again>Reading what was said") {
			return status, text
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *site) do(method, path string, form url.Values, change func(*http.Request)) (int, string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	reply, err := s.browser.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		s.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

func TestV5_ALinkWorksOnceAndForAWhile(t *testing.T) {
	s := open(t)
	for _, path := range []string{"/", "/s/demo-loop", "/live", "/open", "/open?ticket=", "/open?ticket=AAAAAAAAAAAAAAAAAAAAAAAAAA"} {
		if status, text := s.get(path); status != 401 || !strings.Contains(text, "trimtab open") {
			t.Errorf("%s without a link: %d %s", path, status, text)
		}
	}
	link := s.Link()
	old := s.Link()
	if status, _ := s.get(link); status != 200 {
		t.Fatalf("the link gives %d", status)
	}
	s.browser = newBrowser(t)
	if status, _ := s.get(link); status != 401 {
		t.Errorf("used again it gives %d", status)
	}
	s.now = noon.Add(3 * time.Minute)
	if status, _ := s.get(old); status != 401 {
		t.Errorf("after three minutes an unused one gives %d", status)
	}
}

func TestV5_TheCookieIsForThisSiteAlone(t *testing.T) {
	s := open(t)
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", s.url+s.Link(), nil)
	s.ServeHTTP(w, r)
	cookies := w.Result().Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != "/" || len(cookies[0].Value) < 26 {
		t.Errorf("%v", cookies)
	}
	s.in()
	if status, _ := s.get("/"); status != 200 {
		t.Errorf("with the cookie: %d", status)
	}
	for name, change := range map[string]func(*http.Request){
		"a name of a page":  func(r *http.Request) { r.Host = "evil.example" },
		"a foreign origin":  func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"the null origin":   func(r *http.Request) { r.Header.Set("Origin", "null") },
		"our host by https": func(r *http.Request) { r.Header.Set("Origin", "https://"+r.URL.Host) },
	} {
		if status, _ := s.do("GET", "/", nil, change); status != 403 {
			t.Errorf("%s: %d", name, status)
		}
	}
	s.now = noon.Add(13 * time.Hour)
	if status, _ := s.get("/"); status != 401 {
		t.Errorf("after 13 hours: %d", status)
	}
}

var (
	tokenOf = regexp.MustCompile(`name="token" value="([A-Z0-9]+)"`)
	seenOf  = regexp.MustCompile(`name="seen" value="([^"]+)"`)
)

// V5: an act needs the token of the person's own page.
func TestV5_ActsNeedTheirPage(t *testing.T) {
	s := open(t).in()
	mode := func() string {
		t.Helper()
		_, text := s.get("/s/demo-loop")
		found := regexp.MustCompile(`<option value="(\w+)" selected>`).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("no mode is chosen: %s", text)
		}
		return found[1]
	}
	_, page := s.get("/s/demo-loop")
	found := tokenOf.FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page has no token")
	}
	for name, token := range map[string]string{"no token": "", "another": "AAAAAAAAAAAAAAAAAAAAAAAAAA"} {
		if status, _ := s.do("POST", "/s/demo-loop/mode", url.Values{"mode": {"planning"}, "token": {token}}, nil); status != 403 {
			t.Errorf("%s: %d", name, status)
		}
	}
	if got := mode(); got != "normal" {
		t.Errorf("the mode is %s", got)
	}
	form := url.Values{"mode": {"planning"}, "token": {found[1]}}
	if status, _ := s.do("POST", "/s/demo-loop/mode", form, func(r *http.Request) { r.Header.Set("Origin", s.url) }); status != 200 || mode() != "planning" {
		t.Errorf("%d, and the mode is %s", status, mode())
	}
	form.Set("mode", "no-such-mode")
	if status, text := s.do("POST", "/s/demo-loop/mode", form, nil); status != 422 || !strings.Contains(text, "not changed") {
		t.Errorf("a mode that is none: %d %s", status, text)
	}
	other := *s
	other.browser = newBrowser(t)
	other.in()
	if status, _ := other.do("POST", "/s/demo-loop/mode", url.Values{"mode": {"normal"}, "token": {found[1]}}, nil); status != 403 {
		t.Errorf("the token of another visit: %d", status)
	}
}

func TestV1_PagesLoadNothingFromElsewhere(t *testing.T) {
	s := open(t).in()
	for _, path := range []string{"/", "/s/demo-loop", "/s/demo-plan", "/s/demo-export", "/s/none"} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := s.browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		policy := reply.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; style-src 'self'; script-src 'self'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %s", path, policy)
		}
		for _, found := range regexp.MustCompile(`(?:src|href|action)="([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(found[1], "/") && !strings.HasPrefix(found[1], "#") && !strings.HasPrefix(found[1], "?") || strings.HasPrefix(found[1], "//") {
				t.Errorf("%s names %s", path, found[1])
			}
		}
		if strings.Contains(string(text), "style=") || strings.Contains(string(text), "onclick") {
			t.Errorf("%s has what the policy forbids", path)
		}
	}
}

func TestPagesSayWhatSteers(t *testing.T) {
	s := open(t).in()
	_, now := s.get("/")
	for _, want := range []string{"The checkout test is red since yesterday", "alive", "heeded", "before it stopped", "PLANNING", "sample: nothing here is yours"} {
		if !strings.Contains(now, want) {
			t.Errorf("the first page lacks %q", want)
		}
	}
	_, page := s.get("/s/demo-loop")
	for _, want := range []string{"loop guard", "not heeded", "the same error came back 3 times", "held for the person", "what the model read", "next:", "go test ./checkout", "<td>checkout</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the session's page lacks %q", want)
		}
	}
	if status, text := s.get("/s/gone"); status != 404 || !strings.Contains(text, "no such session") {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := s.get("/nothing"); status != 404 {
		t.Errorf("%d", status)
	}
}

// V2: what happens in a session is told to the page.
func TestV2_ChangesAreLive(t *testing.T) {
	s := open(t).in()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := s.browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	heard := make(chan string, 1)
	go func() {
		in := bufio.NewScanner(reply.Body)
		for in.Scan() {
			if id, ok := strings.CutPrefix(in.Text(), "data: "); ok && id != "-" {
				heard <- id
				return
			}
		}
	}()
	for { // the headers are here, but the subscription may come a moment later
		if _, _, err := s.opt.Service.Handle(ctx, "demo-plan", trimtab.Said{Message: trimtab.Prompt("and then?")}); err != nil {
			t.Fatal(err)
		}
		select {
		case id := <-heard:
			if id != "session demo-plan" {
				t.Errorf("told of %q", id)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestNewNeedsSessionsAndAStore(t *testing.T) {
	if _, err := dashboard.New(dashboard.Options{}); err == nil {
		t.Error("it takes no store")
	}
}

// A machine on which nothing happened yet: every page says what it is for and how to begin,
// and none claims anything of sessions that are not there.
func TestAFreshMachineSaysHowToBegin(t *testing.T) {
	s := open(t)
	s.store = memory.New()
	s.opt.Archive, s.opt.Feed, s.opt.Service = s.store, s.store, session.New(s.opt.Service.Engine(), s.store, session.Options{})
	s.opt.Improvements.Queue = s.store.Queue()
	s.findings.Reflect = func(context.Context, improve.Query) (improve.Reflection, error) { return improve.Reflection{}, nil }
	s.reload().in()
	for path, c := range map[string]struct{ want, not string }{
		"/":        {`<code>trimtab install claude</code>`, ""},
		"/improve": {`<a href="/reflect">Findings</a>`, ""},
		"/reflect": {"where Claude Code, Codex", "Nothing went wrong"},
		"/effect":  {`<a href="/">Now</a> says how one begins`, ""},
		"/lab":     {"No message of Trimtab is in any session yet", "has a verdict"},
	} {
		text := s.settled(path)
		if !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: %s", path, text)
		}
	}
	if _, text := s.get("/"); !strings.Contains(text, `<a href="/reflect">Findings</a> looks back`) {
		t.Errorf("sessions of before are not named: %s", text)
	}
}
