package dashboard_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/person"
)

// debating begins a debate that another service runs.
func (s *site) debating(id string) *deliberate.Debate {
	s.Helper()
	cast, err := deliberate.BuiltIn()
	if err != nil {
		s.Fatal(err)
	}
	d, err := deliberate.Begin(s.Context(), deliberate.Options{
		Service: session.New(s.opt.Service.Engine(), s.store, session.Options{}), History: s.store, Goal: s.opt.Debates.Goal,
		Model: func(context.Context, string) (llm.Model, error) { return deliberate.NewPlayer(0), nil },
	}, deliberate.Plan{ID: id, Mode: "will-it-work", Brief: "A library of tools in <b>every</b> street", Model: "demo", Cast: cast})
	if err != nil {
		s.Fatal(err)
	}
	return d
}

func TestDebatesCanBeRead(t *testing.T) {
	s := filled(t).in()
	if _, now := s.get("/"); strings.Contains(now, "bread by bike") || !strings.Contains(now, "demo-loop") {
		t.Error("the first page lists a debate among the agents, or no agent")
	}
	_, list := s.get("/d")
	for _, want := range []string{"A bakery that delivers bread by bike", "ended: all is there", "will-it-work"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q: %s", want, list)
		}
	}
	_, page := s.get("/d/demo-debate")
	for _, want := range []string{"The document", "agreed", "skeptic", "Who stands where", "P1", "What was said", "The debate has ended"} {
		if !strings.Contains(page, want) {
			t.Errorf("the debate lacks %q", want)
		}
	}
	for _, path := range []string{"/d/gone", "/d/demo-loop"} {
		if status, text := s.get(path); status != 404 || !strings.Contains(text, "no such debate") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if status, text := s.post("/lab", "/d/demo-debate/say", url.Values{"text": {"more"}}); status != 409 || !strings.Contains(text, "has ended") {
		t.Errorf("a word after the end: %d %s", status, text)
	}
}

func TestJoiningADebateNeedsTheRole(t *testing.T) {
	s := filled(t).in()
	s.debating("talk")
	for name, c := range map[string]struct {
		form   url.Values
		status int
	}{
		"nothing": {url.Values{"text": {" "}}, 422}, "a command that is none": {url.Values{"text": {"/rm -rf"}}, 422}, "too long": {url.Values{"text": {strings.Repeat("x", 1<<20)}}, 422},
		"a word": {url.Values{"text": {"<script>alert(1)</script> @skeptic"}}, 200}, "the phase": {url.Values{"act": {"/next"}}, 200},
	} {
		if status, text := s.post("/d/talk", "/d/talk/say", c.form); status != c.status || strings.Contains(text, "<script>alert") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if status, _ := s.do("POST", "/d/talk/say", url.Values{"text": {"x"}}, nil); status != 403 {
		t.Errorf("without a token: %d", status)
	}
	s.opt.Who = func(*http.Request) (person.Person, bool) { return person.Person{User: "bob", Role: owned.View}, true }
	s.reload()
	if _, text := s.get("/d/talk"); strings.Contains(text, "Say it") {
		t.Error("a viewer is asked for a word")
	}
	if status, _ := s.post("/lab", "/d/talk/say", url.Values{"text": {"x"}}); status != 403 {
		t.Errorf("a viewer: %d", status)
	}
}

// V2, D11: a debate is read as it runs in another process, and what a person says on its page
// is answered there.
func TestD11_JoinInABrowser(t *testing.T) {
	s := filled(t)
	deb := s.debating("talk")
	w := s.window()
	w.open("/d/talk")
	w.until(`document.getElementById("live").textContent === "live"`)
	step := make(chan bool)
	ended := make(chan error, 1)
	go func() {
		n := 0
		for ev, err := range deb.Run(t.Context()) {
			if err != nil {
				ended <- err
				return
			}
			if _, ok := ev.(deliberate.Spoke); ok {
				if n++; n == 3 {
					step <- true
					<-step
				}
			}
		}
		ended <- nil
	}()
	<-step
	w.until(`document.querySelectorAll(".utterance").length >= 4`) // what is said there is here
	w.do(chromedp.SendKeys("#text", "What of people who never return a drill, @contrarian?"), chromedp.Click(`form.comment button`))
	w.until(`document.querySelector(".utterance.person:last-of-type, .utterance.person ~ #newest") && document.body.innerText.includes("never return a drill")`)
	step <- true
	w.until(`document.body.innerText.includes("The debate has ended")`)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if !eval[bool](w, `(() => { const all = [...document.querySelectorAll(".utterance")], i = all.findIndex((e) => e.textContent.includes("never return a drill")); return i > 0 && all[i + 1].querySelector("h3").textContent.startsWith("contrarian") })()`) {
		t.Error("whom the person asked did not answer next")
	}
	if eval[bool](w, `!!document.querySelector("main b:not(.prose b)")`) {
		t.Error("the brief became markup")
	}
	w.calm()
}

// V6: what personas and people write is never markup or script on these pages.
func TestV6_HostileWordsInDebatesAndLabels(t *testing.T) {
	s := unlabelled(t).in()
	const evil = `<script>window.pwned=1</script><img src=x onerror="window.pwned=2"> [x](javascript:window.pwned=4) <style>body{display:none}</style> </details></main><form action="https://evil.example">`
	s.debating("talk")
	long := strings.Repeat("W", 1<<20)
	for i, text := range []string{evil, "[PROPOSAL] " + evil, "[AGREEMENT] P1: " + evil, "## Verdict\n\n" + strings.Repeat(evil, 3), long, "\u202egnp.exe\u202c \x1b[31m", strings.Repeat("👩‍👩‍👧‍👦", 5000), "[" + strings.Repeat("PROPOSAL] [", 3000)} {
		by := []string{"skeptic", "analyst"}[i%2]
		if _, _, err := s.opt.Service.Handle(t.Context(), "talk", trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model, From: by}}}}); err != nil {
			t.Fatal(err)
		}
	}
	if status, _ := s.post("/d/talk", "/d/talk/say", url.Values{"text": {evil}}); status != 200 {
		t.Fatalf("%d", status)
	}
	for _, key := range s.keys("/s/demo-loop") {
		if status, text := s.post("/lab", "/lab/label", url.Values{"label": {"annoying " + key}, "word " + key: {evil}}); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	s.post("/lab/compare", "/lab/compare", url.Values{"off": {"guard.enabled=false"}, "second": {"# " + evil}})
	s.settled("/lab/compare")
	w := s.window()
	w.look(320, "light")
	for _, path := range []string{"/d", "/d/talk", "/d/talk?all=1", "/lab?show=all", "/lab/compare", "/s/demo-loop", "/s/talk"} {
		w.open(path)
		if eval[bool](w, `typeof window.pwned !== "undefined" || getComputedStyle(document.body).display === "none" || !!document.querySelector('main script, main img, main style, form[action^="https:"], a[href^="javascript:"]')`) {
			t.Errorf("%s: the text became markup", path)
		}
		if over := eval[int](w, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
			t.Errorf("%s: %d pixels are cut off", path, over)
		}
	}
	w.calm()
}
