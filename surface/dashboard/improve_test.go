package dashboard_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

const waiting = "workflow_20261117_115000_k3x9"

// file puts an improvement into the queue of the site's store.
func (s *site) file(id string, state improve.State, change func(*improve.Item)) {
	s.Helper()
	it := improve.Item{
		ID: id, Fingerprint: id, Project: "/home/ada/shop", State: state, Created: noon, Updated: noon, Attempt: 1, Sessions: []string{"demo-loop", "not-here"},
		Request: improve.Request{Title: "The checkout test fails again and again", Priority: improve.High, Pattern: improve.Pattern{Type: "error_patterns", Count: 6, Suggestion: "remove its cause", Samples: []improve.Sample{{Session: "demo-loop", Message: "m1", Excerpt: "total = 5000 <script>alert(1)</script>"}}}},
	}
	if change != nil {
		change(&it)
	}
	if err := s.store.Queue().Add(s.Context(), it); err != nil {
		s.Fatal(err)
	}
}

// form is the token and state of a page.
func (s *site) form(page string) url.Values {
	s.Helper()
	_, text := s.get(page)
	token, seen := tokenOf.FindStringSubmatch(text), seenOf.FindStringSubmatch(text)
	if token == nil || seen == nil {
		s.Fatalf("%s has no form: %s", page, text)
	}
	return url.Values{"token": {token[1]}, "seen": {seen[1]}}
}

func (s *site) item(id string) improve.Item {
	s.Helper()
	it, err := s.store.Queue().Item(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	return it
}

func TestAnImprovementIsDecidedOnItsPage(t *testing.T) {
	s := open(t).in()
	s.file(waiting, improve.Awaiting, nil)
	_, board := s.get("/improve")
	for _, want := range []string{"Waiting for you", "The checkout test fails again and again", "/improve/" + waiting} {
		if !strings.Contains(board, want) {
			t.Errorf("the board lacks %q", want)
		}
	}
	at := "/improve/" + waiting
	_, page := s.get(at)
	for _, want := range []string{"waiting for approval", "The thirteen steps", "mergeable", "&lt;script&gt;", `href="/s/demo-loop?at=m1#m1"`, "Remove its cause"} {
		if !strings.Contains(page, want) {
			t.Errorf("its page lacks %q", want)
		}
	}
	if strings.Contains(page, "<script>alert") {
		t.Error("what a session said is markup")
	}
	form := s.form(at)
	form.Set("text", "keep the old name")
	if status, text := s.do("POST", at+"/comment", form, nil); status != 200 || !strings.Contains(text, "keep the old name") {
		t.Errorf("comment: %d", status)
	}
	if status, text := s.do("POST", at+"/approve", form, nil); status != 200 || !strings.Contains(text, "approved, not begun") {
		t.Errorf("approve: %d", status)
	}
	if it := s.item(waiting); it.State != improve.Queued || it.Approved == nil || it.Approved.By != "ada" || len(it.Remarks) != 1 || it.Remarks[0].By != "ada" {
		t.Errorf("%+v", it)
	}
}

// Bad input of the issue: a page that is older than the decision of somebody else.
func TestAStalePageDecidesNothing(t *testing.T) {
	s := open(t).in()
	s.file(waiting, improve.Awaiting, nil)
	at := "/improve/" + waiting
	old := s.form(at)
	if status, _ := s.do("POST", at+"/approve", s.form(at), nil); status != 200 {
		t.Fatal(status)
	}
	for _, act := range []string{"approve", "reject"} {
		status, text := s.do("POST", at+"/"+act, old, nil)
		if status != http.StatusConflict || !strings.Contains(text, "decided meanwhile") || !strings.Contains(text, "approved by ada") {
			t.Errorf("%s: %d %s", act, status, text)
		}
	}
	if it := s.item(waiting); it.State != improve.Queued {
		t.Errorf("it is %s", it.State)
	}
}

func TestOtherActsOnImprovements(t *testing.T) {
	s := open(t).in()
	s.file("workflow_20261117_115000_aaaa", improve.Awaiting, nil)
	s.file("workflow_20261117_115000_bbbb", improve.Failed, func(it *improve.Item) {
		it.Why = "step 7, check: the tests fail"
		it.Evidence = []improve.Evidence{{Number: 1, Step: "clarify", Began: noon, Ended: noon, Files: []string{"requirements.md", "../secret"}}}
	})
	s.file("workflow_20261117_115000_cccc", improve.Queued, nil)
	for id, want := range map[string]struct {
		act   string
		state improve.State
	}{"aaaa": {"reject", improve.Rejected}, "bbbb": {"retry", improve.Queued}, "cccc": {"cancel", improve.Cancelled}} {
		id = "workflow_20261117_115000_" + id
		form := s.form("/improve/" + id)
		form.Set("why", "works as intended")
		if status, text := s.do("POST", "/improve/"+id+"/"+want.act, form, nil); status != 200 {
			t.Errorf("%s: %d %s", want.act, status, text)
		}
		if it := s.item(id); it.State != want.state {
			t.Errorf("%s: it is %s", want.act, it.State)
		}
	}
	for path, want := range map[string]int{"/improve/no": 404, "/improve/workflow_20261117_115000_zzzz": 404, "/improve/" + "workflow_20261117_115000_bbbb" + "/paper/none.md": 404} {
		if status, _ := s.get(path); status != want {
			t.Errorf("%s: %d", path, status)
		}
	}
	form := s.form("/improve/workflow_20261117_115000_bbbb")
	if status, _ := s.do("POST", "/improve/workflow_20261117_115000_bbbb/merge", form, nil); status != 404 {
		t.Errorf("an act that is none: %d", status)
	}
	form.Del("token")
	if status, _ := s.do("POST", "/improve/workflow_20261117_115000_bbbb/cancel", form, nil); status != 403 {
		t.Errorf("without the page's token: %d", status)
	}
}

// A paper is shown where a step's evidence names it, and nothing else of the disk is.
func TestPapersAreThoseOfTheEvidence(t *testing.T) {
	s := open(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(waiting+"/requirements.md", "# Needed\n<img src=x onerror=alert(1)>")
	write(waiting+"/unnamed.log", "unnamed")
	write("secret", "secret")
	s.opt.Improvements.Folder = dir
	s.reload().in()
	s.file(waiting, improve.Running, func(it *improve.Item) {
		it.Evidence = []improve.Evidence{{Number: 1, Step: "clarify", Began: noon, Ended: noon, Files: []string{"requirements.md", "../secret"}}}
	})
	status, text := s.get("/improve/" + waiting + "/paper/requirements.md")
	if status != 200 || !strings.Contains(text, "Needed") || strings.Contains(text, "<img") {
		t.Errorf("%d %s", status, text)
	}
	for _, name := range []string{"unnamed.log", "..%2Fsecret", "%2e%2e/secret", "../secret"} {
		if status, text := s.get("/improve/" + waiting + "/paper/" + name); status == 200 && strings.Contains(text, "secret") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// R26: what an improvement came to is on its page once it is done, with how sure that is.
func TestR26_ThePageSaysWhetherItHelped(t *testing.T) {
	s := open(t)
	o := improve.Outcome{Pull: "merged", Verdict: "helped", Text: "it helped: 8 of 10 sessions before, 1 of 12 after; that would be chance in 0.1 % of cases"}
	o.At, o.Before, o.After = noon.Add(-3*time.Hour), improve.Period{All: 40, Sessions: 10, With: 8, Count: 31}, improve.Period{All: 17, Sessions: 12, With: 1, Count: 1}
	var failed error
	s.findings.Impact = func(_ context.Context, it improve.Item) (improve.Outcome, error) {
		if it.ID != waiting {
			t.Errorf("it is asked of %s", it.ID)
		}
		return o, failed
	}
	s.reload().in()
	s.file(waiting, improve.Done, nil)
	s.file("workflow_20261117_115000_wait", improve.Awaiting, nil)
	if _, text := s.get("/improve/workflow_20261117_115000_wait"); strings.Contains(text, "Did it help?") {
		t.Error("what waits cannot have helped")
	}
	text := s.settled("/improve/" + waiting)
	for _, want := range []string{"Did it help?", "It helped: 8 of 10 sessions before, 1 of 12 after", "<td>40</td><td>10</td><td>8</td><td>31</td>", "<td>17</td><td>12</td><td>1</td><td>1</td>", "Counted from the merge, 3 h ago"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q: %s", want, text)
		}
	}
	o.Pull, s.now = "open", noon.Add(10*time.Minute)
	s.get("/improve/" + waiting) // it is read again
	if text = s.settled("/improve/" + waiting); !strings.Contains(text, "not merged yet") || !strings.Contains(text, "Of the 10 sessions of this project on this machine that had the occasion, 8 showed the trouble") || strings.Contains(text, "It helped") || strings.Contains(text, ">after</th>") {
		t.Errorf("an open pull request: %s", text)
	}
	failed, s.now = errors.New("the <b>folder is gone"), noon.Add(20*time.Minute)
	s.get("/improve/" + waiting)
	if text = s.settled("/improve/" + waiting); !strings.Contains(text, "cannot be told now: the &lt;b&gt;folder is gone") {
		t.Errorf("a reading that fails: %s", text)
	}
}
