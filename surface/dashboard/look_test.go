package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/decide"
)

// settled asks for a page until what it waits for is done.
func (s *site) settled(path string) string {
	s.Helper()
	for range 400 {
		if _, text := s.get(path); !strings.Contains(text, "data-again") {
			return text
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.Fatalf("%s never ends", path)
	return ""
}

func TestEffectSaysWhatWasHeeded(t *testing.T) {
	s := open(t)
	s.findings.Cost = func(_ string, u trimtab.Usage) (float64, bool) { return float64(u.Output) / 1000, true }
	s.reload().in()
	text := s.settled("/effect")
	for _, want := range []string{"3 of 4 that asked for something", "loop guard", "before it stopped", ">2026-11-16</th>", "$8.10 <small>by the list prices", "/home/ada/shop"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q: %s", want, text)
		}
	}
	if strings.Contains(text, "2026-11-09") {
		t.Error("weeks before the first message are told")
	}
}

func TestFindingsBecomeImprovements(t *testing.T) {
	s := open(t)
	asked, made := 0, ""
	s.findings.Reflect = func(_ context.Context, q improve.Query) (improve.Reflection, error) {
		if asked++; asked > 1 {
			return improve.Reflection{}, errors.New("the folder is gone")
		}
		if want := noon.AddDate(0, 0, -7); !q.Since.Equal(want) {
			t.Errorf("since %s", q.Since)
		}
		r := improve.Reflection{At: noon, Hosts: map[string]int{"claude": 1}, Results: []improve.SessionResult{{Project: "/home/ada/shop"}}}
		r.Results[0].SessionID = "demo-loop"
		r.Merged = []improve.Merged{{Pattern: improve.Pattern{Fingerprint: "f1", Suggestion: "the same error keeps coming back", Severity: improve.High, Count: 6, Context: improve.Context{"about": "<b>red</b>"}, Samples: []improve.Sample{{Session: "demo-loop", Message: "m3", Excerpt: "<i>x"}}}, Sessions: 1, In: []string{"demo-loop"}, Last: noon}}
		return r, nil
	}
	s.findings.Make = func(_ context.Context, project, fingerprint string) (improve.Item, error) {
		made = project + " " + fingerprint
		s.file(waiting, improve.Awaiting, func(it *improve.Item) { it.Fingerprint = fingerprint })
		return s.item(waiting), nil
	}
	s.reload().in()
	text := s.settled("/reflect")
	for _, want := range []string{"The same error keeps coming back", "6 times in 1 session", "&lt;b&gt;red", `href="/s/demo-loop?at=m3#m3"`, "Make an improvement of it"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q: %s", want, text)
		}
	}
	form := url.Values{"token": {tokenOf.FindStringSubmatch(text)[1]}, "days": {"7"}, "fingerprint": {"f2"}, "project": {"/etc"}}
	if status, _ := s.do("POST", "/reflect/make", form, nil); status != 409 || made != "" {
		t.Errorf("a finding that is none: %d %s", status, made)
	}
	form.Set("fingerprint", "f1")
	if status, text := s.do("POST", "/reflect/make", form, nil); status != 200 || made != "/home/ada/shop f1" || !strings.Contains(text, "waiting for approval") {
		t.Errorf("%d %q", status, made)
	}
	if text := s.settled("/reflect"); !strings.Contains(text, "See its improvement") {
		t.Error("what was filed can be filed again")
	}
	s.now = noon.Add(10 * time.Minute)
	if text := s.settled("/reflect"); !strings.Contains(text, "the folder is gone") || !strings.Contains(text, "keeps coming back") {
		t.Errorf("a reading that fails: %s", text)
	}
}

// What a person finds not useful stands apart from then on, and can be taken back.
func TestAFindingIsFoundNotUseful(t *testing.T) {
	s := open(t)
	s.findings.Said = decide.Findings{Files: s.store.Queue()}
	s.findings.Reflect = func(context.Context, improve.Query) (improve.Reflection, error) {
		r := improve.Reflection{At: noon, Results: []improve.SessionResult{{}, {}}}
		for _, print := range []string{"f1", "f2"} {
			r.Merged = append(r.Merged, improve.Merged{Pattern: improve.Pattern{Fingerprint: print, Suggestion: print + " keeps coming back", Severity: improve.High, Count: 6}, Sessions: 2, Last: noon})
		}
		return r, nil
	}
	s.reload().in()
	text := s.settled("/reflect")
	if strings.Count(text, ">Not useful</button>") != 2 || strings.Contains(text, "found not useful") {
		t.Fatalf("%s", text)
	}
	form := url.Values{"token": {tokenOf.FindStringSubmatch(text)[1]}, "days": {"7"}, "fingerprint": {"f3"}}
	if status, _ := s.do("POST", "/reflect/dismiss", form, nil); status != 409 {
		t.Errorf("a finding that is none: %d", status)
	}
	form.Set("fingerprint", "f1")
	if status, _ := s.do("POST", "/reflect/dismiss", url.Values{"fingerprint": {"f1"}}, nil); status != 403 {
		t.Errorf("without the page's token: %d", status)
	}
	status, text := s.do("POST", "/reflect/dismiss", form, nil)
	if status != 200 || !strings.Contains(text, "1 found not useful") || !strings.Contains(text, "found not useful by ada, just now") || strings.Count(text, ">Not useful</button>") != 1 || strings.Index(text, "F1 keeps") < strings.Index(text, "F2 keeps") {
		t.Errorf("%d %s", status, text)
	}
	form.Set("back", "1")
	if status, text = s.do("POST", "/reflect/dismiss", form, nil); status != 200 || strings.Count(text, ">Not useful</button>") != 2 || strings.Contains(text, "found not useful") {
		t.Errorf("taken back: %d %s", status, text)
	}
}

// V4: a page bears so much, of one long turn as well.
func TestV4_ALongSessionIsShownFromItsEnd(t *testing.T) {
	s := open(t).in()
	for i := range 1500 {
		m := trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: fmt.Sprintf("reply %d.", i), By: trimtab.Model}}}
		if _, _, err := s.opt.Service.Handle(t.Context(), "demo-plan", trimtab.Said{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	_, text := s.get("/s/demo-plan")
	if !strings.Contains(text, "reply 1499.") || strings.Contains(text, "reply 200.") || !strings.Contains(text, ">Earlier</a>") || strings.Contains(text, ">Later</a>") {
		t.Errorf("%d bytes", len(text))
	}
	seen := map[string]int{}
	pages := 0
	for path := "/s/demo-plan"; path != ""; pages++ { // all of it, a part after the other, and nothing twice
		_, text := s.get(path)
		for _, found := range regexp.MustCompile(`reply \d+\.`).FindAllString(text, -1) {
			seen[found]++
		}
		found := regexp.MustCompile(`href="(\?until=\d+)">Earlier`).FindStringSubmatch(text)
		if path = ""; found != nil {
			path = "/s/demo-plan" + found[1]
		}
	}
	for i := range 1500 {
		if n := seen[fmt.Sprintf("reply %d.", i)]; n != 1 {
			t.Fatalf("reply %d is shown %d times on %d pages", i, n, pages)
		}
	}
	if _, text := s.get("/s/demo-plan?at=note-1#note-1"); !strings.Contains(text, `id="note-1"`) || !strings.Contains(text, ">Newest</a>") {
		t.Error("an address that names a message does not lead to its part")
	}
	for _, odd := range []string{"?until=-1", "?until=99999999", "?until=x", "?at=none", "?until=1"} {
		if status, _ := s.get("/s/demo-plan" + odd); status != 200 {
			t.Errorf("%s: %d", odd, status)
		}
	}
}
