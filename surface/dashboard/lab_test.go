package dashboard_test

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay/judge"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/person"
)

// unlabelled is a site on which nobody has said anything yet.
func unlabelled(t *testing.T) *site {
	t.Helper()
	s := filled(t)
	if err := os.Remove(s.opt.Lab.Labels); err != nil {
		t.Fatal(err)
	}
	return s
}

var keysOf = regexp.MustCompile(`value="useful ([^"]+)"`)

// keys are the names of the messages on a page that can be labelled.
func (s *site) keys(path string) (all []string) {
	s.Helper()
	status, text := s.get(path)
	if status != 200 {
		s.Fatalf("%s: %d %s", path, status, text)
	}
	for _, m := range keysOf.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// post sends a form with the token of a page.
func (s *site) post(page, path string, form url.Values) (int, string) {
	s.Helper()
	_, text := s.get(page)
	found := tokenOf.FindStringSubmatch(text)
	if found == nil {
		s.Fatalf("%s has no token: %s", page, text)
	}
	form.Set("token", found[1])
	return s.do("POST", path, form, nil)
}

func (s *site) labels() map[string]*judge.SessionLabels {
	s.Helper()
	known, err := judge.ReadIfThere(s.opt.Lab.Labels)
	if err != nil {
		s.Fatal(err)
	}
	return known
}

// J13: what a person says on the page is what trimtab judge measures by.
func TestJ13_LabelsOfThePageAreThoseOfJudge(t *testing.T) {
	s := unlabelled(t).in()
	keys := s.keys("/s/demo-loop")
	if len(keys) < 3 {
		t.Fatalf("the session offers %v", keys)
	}
	for i, key := range keys {
		verdict := []string{"useful", "annoying"}[i%2]
		if status, text := s.post("/s/demo-loop", "/lab/label", url.Values{"label": {verdict + " " + key}, "word " + key: {"came  in\ntime"}}); status != 200 {
			t.Fatalf("%s: %d %s", key, status, text)
		}
	}
	kinds, err := judge.ReadKinds("")
	if err != nil {
		t.Fatal(err)
	}
	res, err := judge.Measure(t.Context(), []judge.Corpus{{Name: "own", More: record.Stored(t.Context(), s.store, 20)}}, judge.Options{Engine: s.opt.Service.Engine(), Kinds: kinds, Known: s.labels(), Tolerance: 0})
	if err != nil {
		t.Fatal(err)
	}
	if res.Corpora[0].Labelled == nil {
		t.Fatalf("nothing is labelled: %+v", res.Warnings)
	}
	for _, n := range res.Corpora[0].Labelled.Notes {
		if n.Verdict != "useful" && n.Verdict != "annoying" {
			t.Errorf("step %d, %s %s: %s", n.Step, n.By, n.Slot, n.Verdict)
		}
	}
	if got := len(res.Corpora[0].Labelled.Notes); got != len(keys)-1 { // that an agent was sent on cannot be played again
		t.Errorf("judge sees %d messages, the page has %d: %v", got, len(keys), keys)
	}
	raw, _ := os.ReadFile(s.opt.Lab.Labels)
	if strings.Contains(string(raw), "checkout") || !strings.Contains(string(raw), `"why": "came in time"`) {
		t.Errorf("the file quotes the session, or lacks the reason: %s", raw)
	}
	_, page := s.get("/s/demo-loop")
	if !strings.Contains(page, "found useful: came in time") {
		t.Error("the session does not show the verdict")
	}
	_, lab := s.get("/lab?show=all")
	for _, want := range []string{"unproved finish", "<td>", "precision", " %"} {
		if !strings.Contains(lab, want) {
			t.Errorf("the workbench lacks %q", want)
		}
	}
	// what is labelled is no more among those without a verdict, and a label can be taken back
	if open := s.keys("/lab"); slices.Contains(open, keys[0]) {
		t.Errorf("%s is still to be labelled", keys[0])
	}
	s.post("/lab", "/lab/label", url.Values{"label": {"none " + keys[0]}, "back": {"/lab?show=all"}})
	if open := s.keys("/lab"); !slices.Contains(open, keys[0]) {
		t.Errorf("%s was not taken back: %v", keys[0], open)
	}
	// the session goes on, and its labels hold
	if _, _, err := s.opt.Service.Handle(t.Context(), "demo-loop", trimtab.Said{Message: trimtab.Prompt("more")}, trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "yes")}); err != nil {
		t.Fatal(err)
	}
	if status, text := s.post("/lab", "/lab/label", url.Values{"label": {"harmless " + keys[0]}}); status != 200 {
		t.Errorf("a session that has grown: %d %s", status, text)
	}
	if got := len(s.labels()["demo-loop"].Notes); got != len(keys) {
		t.Errorf("%d labels, want %d", got, len(keys))
	}
}

func TestLabelsAreRefused(t *testing.T) {
	s := unlabelled(t).in()
	key := s.keys("/s/demo-loop")[0]
	for name, c := range map[string]struct {
		label  string
		status int
	}{
		"no such message":  {"useful demo-loop/99.todo.reminder", 409},
		"no such session":  {"useful gone/8.guard.loop", 404},
		"no such verdict":  {"brilliant " + key, 422},
		"nothing":          {"", 404},
		"a path":           {"useful ../../etc/passwd", 404},
		"another's syntax": {"useful demo-loop/" + strings.Repeat("9", 5000), 409},
	} {
		if status, text := s.post("/s/demo-loop", "/lab/label", url.Values{"label": {c.label}}); status != c.status {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if len(s.labels()) > 0 {
		t.Errorf("labels were kept: %v", s.labels())
	}
	if status, _ := s.do("POST", "/lab/label", url.Values{"label": {"useful " + key}}, nil); status != 403 {
		t.Errorf("without a token: %d", status)
	}
	if status, text := s.post("/lab", "/lab/label", url.Values{"label": {"useful " + key}, "back": {"//evil.example/lab"}}); status != 200 || !strings.Contains(text, "The checkout test") {
		t.Errorf("it goes elsewhere: %d", status)
	}
	// whoever may only look labels nothing
	s.opt.Who = func(*http.Request) (person.Person, bool) { return person.Person{User: "bob", Role: owned.View}, true }
	s.reload()
	if keys := s.keys("/s/demo-loop"); len(keys) > 0 {
		t.Errorf("it offers %v", keys)
	}
	if status, _ := s.post("/lab", "/lab/label", url.Values{"label": {"annoying " + key}}); status != 403 {
		t.Errorf("a viewer: %d", status)
	}
}

// V3, V7: messages are labelled by one key each, in a browser, with a reason where one is
// typed; the page of the session does it too.
func TestV3_LabelsByOneKey(t *testing.T) {
	s := unlabelled(t)
	w := s.window()
	w.open("/lab")
	w.do(chromedp.KeyEvent("n"))
	w.until(`document.activeElement.matches(".judged")`)
	first := eval[string](w, `document.activeElement.id.slice("card-".length)`)
	w.do(chromedp.KeyEvent("u"))
	w.until(`document.getElementById("live").textContent === "kept: useful" && document.activeElement.matches(".judged") && document.activeElement.id !== "card-` + first + `"`)
	second := eval[string](w, `document.activeElement.id.slice("card-".length)`)
	// to the field by Tab: what is typed there is no verdict
	for range 12 {
		w.do(chromedp.KeyEvent(kb.Tab))
		if eval[bool](w, `document.activeElement.nodeName === "TEXTAREA"`) {
			break
		}
	}
	w.do(chromedp.KeyEvent("aha"))
	w.do(chromedp.Evaluate(`document.activeElement.closest(".judged").focus()`, nil), chromedp.KeyEvent("a"))
	w.until(`document.getElementById("live").textContent === "kept: annoying"`)
	id, _, _ := strings.Cut(first, "/")
	got := map[string]judge.NoteLabel{}
	for session, l := range s.labels() {
		for _, n := range l.Notes {
			got[session+" "+string(n.Verdict)] = n
		}
	}
	other, _, _ := strings.Cut(second, "/")
	if _, ok := got[id+" useful"]; !ok || got[other+" annoying"].Why != "aha" {
		t.Errorf("labels %v of %s and %s", got, first, second)
	}
	w.open("/s/" + id)
	w.do(chromedp.Evaluate(`document.querySelector("details.judge").open = true`, nil), chromedp.Click(`details.judge[open] button[value^="harmless "]`, chromedp.ByQuery))
	w.until(`document.querySelector("details.judge summary").textContent === "found harmless"`)
	w.calm()
}
