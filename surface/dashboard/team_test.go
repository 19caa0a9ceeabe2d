package dashboard_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/dashboard"
	"github.com/trimtab/trimtab/surface/person"
)

// staff are the people of a team, by key: ann has the session ann-1, bob the session bob-1.
var staff = map[string]person.Person{
	"key-of-ann":  {User: "ann", Role: owned.Use, By: "key a"},
	"key-of-bob":  {User: "bob", Role: owned.Use, By: "key b"},
	"key-of-vera": {User: "vera", Role: owned.View, By: "key v"},
	"key-of-stan": {User: "stan", Role: owned.Steer, By: "key s"},
	"key-of-lea":  {User: "lea", Role: owned.Approve, By: "key l"},
}

// teamed is a site for several people, who come with keys.
func teamed(t *testing.T) *site {
	t.Helper()
	s := open(t)
	for _, user := range []string{"ann", "bob"} {
		st := trimtab.NewSession(user+"-1", noon)
		st.Info = trimtab.Info{ID: user + "-1", User: user, Title: "What " + user + " does", Project: "/home/" + user, Created: noon, Updated: noon}
		if _, err := s.store.Commit(t.Context(), trimtab.Commit{Session: st}); err != nil {
			t.Fatal(err)
		}
	}
	s.opt.Key = func(_ context.Context, secret string) (person.Person, bool) { p, ok := staff[secret]; return p, ok }
	s.opt.Sample = false
	s.file(waiting, improve.Awaiting, nil)
	return s.reload()
}

// as is the site in the browser of somebody who typed their key.
func (s *site) as(key string) *site {
	s.Helper()
	mine := *s
	mine.browser = newBrowser(s.T)
	if status, text := mine.do("POST", "/enter", url.Values{"key": {key}, "to": {"/"}}, nil); status != 200 || !strings.Contains(text, staff[key].User) {
		s.Fatalf("%s: %d %s", key, status, text)
	}
	return &mine
}

// act sends a form with the token of the person's own page.
func (s *site) act(path string, form url.Values) int {
	s.Helper()
	_, text := s.get("/")
	form.Set("token", tokenOf.FindStringSubmatch(text)[1])
	status, _ := s.do("POST", path, form, nil)
	return status
}

// V5: what each role sees and may do, to the letter.
func TestV5_RolesOfTheTeam(t *testing.T) {
	s := teamed(t)
	for _, c := range []struct {
		key                                     string
		own, others                             string // what the first page lists, and does not
		session, mode, board, item, approve, me int    // what the answers are; me is for the mode of their own session
	}{
		{key: "key-of-ann", own: "What ann does", others: "What bob does", session: 403, mode: 403, board: 403, item: 403, approve: 403, me: 200},
		{key: "key-of-vera", own: "What bob does", session: 200, mode: 403, board: 200, item: 200, approve: 403},
		{key: "key-of-stan", own: "What bob does", session: 200, mode: 200, board: 200, item: 200, approve: 403},
		{key: "key-of-lea", own: "What bob does", session: 200, mode: 200, board: 200, item: 200, approve: 200},
	} {
		in := s.as(c.key)
		_, now := in.get("/")
		if !strings.Contains(now, c.own) || c.others != "" && strings.Contains(now, c.others) {
			t.Errorf("%s sees %s", c.key, now)
		}
		if strings.Contains(now, "waits for you") != (c.board == 200) || strings.Contains(now, `href="/improve"`) != (c.board == 200) {
			t.Errorf("%s: what waits is told to the wrong people", c.key)
		}
		check := func(what string, got, want int) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %s gives %d, want %d", c.key, what, got, want)
			}
		}
		status, page := in.get("/s/bob-1")
		check("bob's session", status, c.session)
		if strings.Contains(page, "What bob does") != (c.session == 200) || strings.Contains(page, `action="/s/bob-1/mode"`) != (c.mode == 200) {
			t.Errorf("%s: bob's session shows %s", c.key, page)
		}
		check("its mode", in.act("/s/bob-1/mode", url.Values{"mode": {"planning"}}), c.mode)
		if c.me != 0 {
			check("the mode of their own", in.act("/s/ann-1/mode", url.Values{"mode": {"planning"}}), c.me)
		}
		status, _ = in.get("/improve")
		check("the board", status, c.board)
		status, page = in.get("/improve/" + waiting)
		check("an improvement", status, c.item)
		if strings.Contains(page, "/approve") != (c.approve == 200) {
			t.Errorf("%s: the page has the wrong forms: %s", c.key, page)
		}
		for _, act := range []string{"comment", "reject", "retry", "cancel", "approve"} {
			if c.approve != 200 {
				check(act, in.act("/improve/"+waiting+"/"+act, url.Values{"seen": {"awaiting_approval/1"}, "text": {"x"}}), c.approve)
			}
		}
		status, _ = in.get("/reflect")
		check("findings", status, c.board)
		if c.approve != 200 {
			check("not useful", in.act("/reflect/dismiss", url.Values{"fingerprint": {"f1"}, "back": {"1"}}), c.approve)
		}
	}
	if it := s.item(waiting); it.State != improve.Awaiting || len(it.Remarks) != 0 {
		t.Fatalf("somebody decided who may not: %+v", it)
	}
	lea := s.as("key-of-lea")
	if status, _ := lea.do("POST", "/improve/"+waiting+"/approve", lea.form("/improve/"+waiting), nil); status != 200 || s.item(waiting).Approved.By != "lea" {
		t.Errorf("an approver: %d %+v", status, s.item(waiting))
	}
}

// V5: who is not known sees nothing but how to come in, and a page of one person does not
// act for another.
func TestV5_PeopleComeInByKeyOrSignIn(t *testing.T) {
	s := teamed(t)
	s.opt.SignIn = "/trimtab/signin"
	s.reload()
	for _, path := range []string{"/", "/s/ann-1", "/live", "/improve", "/open?ticket=x"} {
		status, text := s.get(path)
		if status != 401 || strings.Contains(text, "What ann does") || !strings.Contains(text, `name="key"`) {
			t.Errorf("%s: %d %s", path, status, text)
		}
		if want := `href="/trimtab/signin?to=` + url.QueryEscape(path); !strings.Contains(text, want) {
			t.Errorf("%s: no way back: %s", path, text)
		}
	}
	for _, key := range []string{"", "no such key", strings.Repeat("k", 2000)} {
		if status, text := s.do("POST", "/enter", url.Values{"key": {key}, "to": {"//evil.example"}}, nil); status != 401 || strings.Contains(text, `value="//evil`) {
			t.Errorf("a key that is none: %d %s", status, text)
		}
	}
	status, _ := s.do("POST", "/enter", url.Values{"key": {"key-of-ann"}}, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") })
	if status != 403 {
		t.Errorf("a form of another site: %d", status)
	}
	s.browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/enter", strings.NewReader(url.Values{"key": {"key-of-ann"}, "to": {"https://evil.example"}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := s.browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = reply.Body.Close()
	c := reply.Cookies()
	if reply.Header.Get("Location") != "/" || len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || strings.Contains(c[0].Value, "key-of-ann") {
		t.Errorf("%s %v", reply.Header.Get("Location"), c)
	}
	ann, lea := s.as("key-of-ann"), s.as("key-of-lea")
	_, text := ann.get("/")
	form := url.Values{"token": {tokenOf.FindStringSubmatch(text)[1]}, "seen": {"awaiting_approval/1"}}
	if status, _ := lea.do("POST", "/improve/"+waiting+"/approve", form, nil); status != 403 || s.item(waiting).State != improve.Awaiting {
		t.Errorf("with the token of another: %d", status)
	}
	if status, _ := ann.do("POST", "/leave", form, nil); status != 401 {
		t.Errorf("after signing out: %d", status)
	}
	mended := s.as("key-of-ann")
	s.now = noon.Add(13 * time.Hour)
	if status, _ := mended.get("/"); status != 401 {
		t.Errorf("after 13 hours: %d", status)
	}
}

// V5: a key that is revoked ends the visits that began with it, and a second server with
// the same secret knows them.
func TestV5_AVisitEndsWithItsKey(t *testing.T) {
	s := teamed(t)
	valid := true
	s.opt.Key = func(context.Context, string) (person.Person, bool) { return staff["key-of-ann"], valid }
	s.opt.Secret = dashboard.Secret(t.Context(), s.store.Queue())
	s.reload()
	ann := s.as("key-of-ann")
	_, text := ann.get("/")
	s.opt.Secret = dashboard.Secret(t.Context(), s.store.Queue()) // another process on the store
	ann.opt = s.opt
	ann.reload()
	s.Dashboard = ann.Dashboard // which the listener asks
	if status, again := ann.get("/"); status != 200 || tokenOf.FindString(again) != tokenOf.FindString(text) {
		t.Errorf("another server: %d", status)
	}
	if valid = false; true {
		if status, _ := ann.get("/"); status != 401 {
			t.Errorf("after the key was revoked: %d", status)
		}
	}
}
