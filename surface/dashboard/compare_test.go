package dashboard_test

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/person"
)

func TestTwoPoliciesAreCompared(t *testing.T) {
	s := unlabelled(t).in()
	key := s.keys("/s/demo-loop")[0]
	s.post("/lab", "/lab/label", url.Values{"label": {"useful " + key}})
	if status, text := s.post("/lab/compare", "/lab/compare", url.Values{"off": {"guard.enabled=false"}, "second": {"# nothing more\n\nverify.enabled=false"}, "sessions": {"20"}}); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	text := s.settled("/lab/compare")
	for _, want := range []string{
		"5 sessions, ", `<th scope="row">loop</th><td>0</td><td class="bad">3</td><td>0</td><td>1 of 1</td><td>–</td>`,
		"vanishes", `href="/s/demo-loop?all=1#step-6"`, "the same error came back 3 times", `<span class="tag">useful</span>`, "guard.enabled=false",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	s.post("/lab/compare", "/lab/compare", url.Values{"first": {"guard.enabled=false"}})
	if text := s.settled("/lab/compare"); !strings.Contains(text, "appears") || strings.Contains(text, "vanishes") {
		t.Errorf("the other way round: %s", text)
	}
	s.post("/lab/compare", "/lab/compare", url.Values{})
	if text := s.settled("/lab/compare"); !strings.Contains(text, "Nothing differs") {
		t.Errorf("the same twice: %s", text)
	}
	for name, wrong := range map[string]string{
		"no such setting": "guard.enabledd=false", "not allowed": "steering.attention=0", "no value": "guard.enabled", "a program": "interventions.x.command=rm", "too many": strings.Repeat("guard.enabled=true\n", 51),
		"too long": "guard.enabled=" + strings.Repeat("x", 2000), "markup": "<script>=1", "another part": "gateway.upstream=x",
	} {
		if status, text := s.post("/lab/compare", "/lab/compare", url.Values{"second": {wrong}}); status != 422 || !strings.Contains(text, "Nothing was compared") || strings.Contains(text, "<script>=") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// A comparison is stopped by the person, and nobody else sees it.
func TestAComparisonIsStoppedAndIsThePersonsOwn(t *testing.T) {
	s := unlabelled(t)
	who := "ann"
	s.opt.Who = func(*http.Request) (person.Person, bool) { return person.Person{User: who, Role: owned.Approve}, true }
	s.opt.Lab.Recorded = func(ctx context.Context, from trimtab.Archive, most int) iter.Seq2[replay.Recorded, error] {
		return func(yield func(replay.Recorded, error) bool) {
			for r, err := range record.Stored(ctx, from, most) {
				if !yield(r, err) {
					return
				}
			}
			<-ctx.Done() // a session that takes for ever
			yield(replay.Recorded{}, ctx.Err())
		}
	}
	s.reload()
	if _, text := s.post("/lab/compare", "/lab/compare", url.Values{"off": {"guard.enabled=false"}}); !strings.Contains(text, "data-again") || !strings.Contains(text, "<progress") {
		t.Fatalf("it does not say how far it is: %s", text)
	}
	for _, other := range []string{"bob", "eve"} {
		who = other
		if _, text := s.get("/lab/compare"); strings.Contains(text, "Result") {
			t.Errorf("%s sees it", other)
		}
	}
	s.post("/lab/compare", "/lab/compare", url.Values{})
	who = "bob"
	if status, text := s.post("/lab/compare", "/lab/compare", url.Values{}); status != 429 {
		t.Errorf("a third at once: %d %s", status, text)
	}
	for _, who = range []string{"eve", "ann"} {
		s.post("/lab/compare", "/lab/compare/stop", url.Values{})
		if text := s.settled("/lab/compare"); !strings.Contains(text, "It was stopped") {
			t.Errorf("%s: %s", who, text)
		}
	}
}

func TestV7_ComparingInABrowser(t *testing.T) {
	s := unlabelled(t)
	w := s.window()
	w.open("/lab/compare")
	w.do(chromedp.Click(`input[value="guard.enabled=false"]`), chromedp.Click(`form.compare button`))
	w.until(`document.querySelector(".differs a[href*='#step-']")`)
	w.shoot("/lab/compare-done", 1280, "light")
	w.do(chromedp.Click(`.differs a[href*='#step-']`, chromedp.ByQuery))
	w.until(`location.pathname === "/s/demo-loop" && !!document.querySelector(":target")`)
	w.calm()
}
