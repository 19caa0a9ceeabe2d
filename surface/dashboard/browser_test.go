package dashboard_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/scan"
	"github.com/trimtab/trimtab/internal/chrome"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/race"
	"github.com/trimtab/trimtab/replay/policy"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/surface/dashboard"
	"github.com/trimtab/trimtab/surface/dashboard/demo"
)

// chromium is the browser of most tests: one after the other, as each link replaces the
// cookie of the one before.
var chromium = sync.OnceValues(chrome.Launch)

func TestMain(m *testing.M) {
	code := m.Run()
	if started {
		b, _ := chromium()
		b.Close()
	}
	os.Exit(code)
}

var started bool

// window is a tab that shows a site.
type window struct {
	*chrome.Window
	site *site
}

// window opens the site by a link of its own.
func (s *site) window() *window {
	s.Helper()
	started = true
	return s.windowIn(chromium())
}

func (s *site) windowIn(b *chrome.Browser, err error) *window {
	s.Helper()
	w := &window{b.Window(s.T, err, s.url), s}
	w.open(s.Link())
	return w
}

func (w *window) do(actions ...chromedp.Action) { w.Helper(); w.Do(actions...) }
func (w *window) open(path string)              { w.Helper(); w.Open(path) }
func (w *window) until(expression string)       { w.Helper(); w.Until(expression) }
func (w *window) calm()                         { w.Helper(); w.Calm() }

// eval is the value of an expression.
func eval[T any](w *window, expression string) (v T) {
	w.Helper()
	return chrome.Eval[T](w.Window, expression)
}

// look sets the size and the colours.
func (w *window) look(width int, scheme string) { w.Helper(); w.Look(width, scheme) }

// filled is a site on which every page has something to show.
func filled(t *testing.T) *site {
	t.Helper()
	s := open(t)
	s.findings.Reflect = scan.New(scan.Options{Redact: func(text string) string { return text }, Store: scan.OpenStore(s.store), Now: s.opt.Clock}).Reflect
	s.findings.Make = func(context.Context, string, string) (improve.Item, error) { return improve.Item{}, nil }
	cfg, _ := config.Load[steer.Config](config.Sources{})
	s.opt.Lab = dashboard.Lab{Labels: filepath.Join(t.TempDir(), "labels.json"), Policy: policy.New(cfg, nil), Recorded: record.Stored}
	goal, err := deliberate.NewGoal(mode.Sessions())
	if err != nil {
		t.Fatal(err)
	}
	s.opt.Debates.Goal = goal
	if err := demo.Debate(t.Context(), s.opt.Service.Engine(), s.store, goal, noon); err != nil {
		t.Fatal(err)
	}
	if err := dashboard.SampleLabels(s.opt.Lab.Labels); err != nil {
		t.Fatal(err)
	}
	s.reload()
	s.file(waiting, improve.Awaiting, nil)
	s.file("workflow_20261117_115000_fail", improve.Failed, func(it *improve.Item) {
		it.Request.Title, it.Why = "Agents run the slow tests first", "step 4, design: the new test passes without the change"
		for i, name := range []improve.StepName{"clarify", "issue", "branch"} {
			it.Evidence = append(it.Evidence, improve.Evidence{Number: i + 1, Step: name, Began: noon, Ended: noon.Add(time.Second), Facts: map[string]string{"branch": "feat/issue-1-" + strings.Repeat("long-", 20)}})
		}
		it.Evidence = append(it.Evidence, improve.Evidence{Number: 4, Step: "design", Began: noon, Ended: noon, Error: "the new test passes without the change"})
	})
	return s
}

// paths are all pages.
func paths() []string {
	return []string{"/", "/s/demo-loop", "/s/demo-plan", "/s/demo-export", "/improve", "/improve/" + waiting, "/improve/workflow_20261117_115000_fail", "/reflect", "/effect", "/lab", "/lab?show=all", "/lab/compare", "/d", "/d/demo-debate", "/s/gone", "/nothing"}
}

// V7, V3: each page in light and dark, wide and narrow. Nothing is cut off at the side, the
// browser complains of nothing, and axe of nothing serious.
func TestV3_EveryPageFitsAndCanBeUsed(t *testing.T) {
	s := filled(t)
	w := s.window()
	axe := []byte(nil)
	if file := os.Getenv("TRIMTAB_AXE"); file != "" {
		raw, err := os.ReadFile(file) // #nosec G304 -- whoever runs the test says which
		if err != nil {
			t.Fatal(err)
		}
		axe = raw
	} else {
		t.Log("axe is not asked: TRIMTAB_AXE=$(sh script/axe) names it")
	}
	for _, width := range []int{320, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			if width == 320 && scheme == "dark" && os.Getenv("TRIMTAB_SHOTS") == "" {
				continue // colours do not change what fits
			}
			w.look(width, scheme)
			for _, path := range paths() {
				w.open(path)
				w.until(`!document.querySelector("[data-again]")`)
				name := fmt.Sprintf("%s at %d, %s", path, width, scheme)
				if over := eval[int](w, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
					t.Errorf("%s: %d pixels are cut off: %s", name, over, eval[string](w, `[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map((e) => e.outerHTML.slice(0, 150)).join(" | ")`))
				}
				if axe != nil && width > 320 && !race.Enabled { // it looks at the page, not at us
					w.axe(name, axe)
				}
				w.shoot(path, width, scheme)
			}
		}
	}
	w.calm()
}

// axe fails where it finds something serious.
func (w *window) axe(name string, script []byte) {
	w.Helper()
	w.do(chromedp.Evaluate(string(script)+";0", nil))
	var raw string
	w.do(chromedp.Evaluate(`axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + (n.any[0]?.message ?? "")).join(" | "))))`, &raw, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	var found []string
	if err := json.Unmarshal([]byte(raw), &found); err != nil {
		w.Fatal(err)
	}
	for _, f := range found {
		w.Errorf("%s: axe: %s", name, f)
	}
}

// shoot keeps a picture where somebody wants to look at it.
func (w *window) shoot(path string, width int, scheme string) {
	w.Helper()
	dir := os.Getenv("TRIMTAB_SHOTS")
	if dir == "" {
		return
	}
	name := cmp.Or(strings.Trim(strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path), "-"), "now")
	w.Shoot(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
}

// V2: what another process does is on the page, and what the person opened and typed stays.
func TestV2_ThePageFollowsAndKeepsWhatIsTyped(t *testing.T) {
	s := filled(t)
	w := s.window()
	w.open("/s/demo-plan")
	w.until(`document.getElementById("live").textContent.startsWith("live")`)
	w.do(chromedp.Evaluate(`document.querySelectorAll("details.call")[1].open = true; document.getElementById("full").checked = true; window.same = document.querySelector("h1")`, nil))
	if _, _, err := s.opt.Service.Handle(t.Context(), "demo-plan", trimtab.Said{Message: trimtab.Prompt("and what of the refunds?")}); err != nil {
		t.Fatal(err)
	}
	w.until(`document.body.innerText.includes("and what of the refunds?")`)
	if !eval[bool](w, `document.querySelectorAll("details.call")[1].open && document.getElementById("full").checked && window.same === document.querySelector("h1")`) {
		t.Error("what was opened is closed")
	}
	w.open("/improve/" + waiting)
	w.until(`document.getElementById("live").textContent === "live"`)
	w.do(chromedp.SendKeys("#text", "keep the old"), chromedp.Evaluate(`window.text = document.activeElement`, nil))
	if _, err := s.store.Queue().Change(t.Context(), waiting, 0, func(it *improve.Item) error {
		it.Remarks = append(it.Remarks, improve.Remark{By: "bob", At: noon, Text: "from elsewhere"})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w.until(`document.body.innerText.includes("from elsewhere")`)
	w.do(chromedp.KeyEvent(" name"))
	if got := eval[string](w, `document.getElementById("text").value`); got != "keep the old name" {
		t.Errorf("typed while the page changed: %q", got)
	}
	if err := s.store.Remove(t.Context(), "demo-plan"); err != nil {
		t.Fatal(err)
	}
	w.calm()
}

// A session that is removed while its page is open says so.
func TestASessionThatIsRemovedWhileItIsOpen(t *testing.T) {
	s := filled(t)
	w := s.window()
	w.open("/s/demo-plan")
	w.until(`document.getElementById("live").textContent === "live"`)
	if err := s.store.Remove(t.Context(), "demo-plan"); err != nil {
		t.Fatal(err)
	}
	w.until(`document.body.innerText.includes("There is no such session")`)
}

// Two people look at one improvement: what one decides, the other sees, and cannot decide
// again.
func TestV7_TwoBrowsers(t *testing.T) {
	s := filled(t)
	ann := s.window()
	other, err := chrome.Launch()
	t.Cleanup(other.Close)
	bob := s.windowIn(other, err)
	for _, w := range []*window{ann, bob} {
		w.open("/improve/" + waiting)
		w.until(`document.getElementById("live").textContent === "live"`)
	}
	ann.do(chromedp.Click(`form[action$="/approve"] button`))
	ann.until(`document.body.innerText.includes("approved, not begun")`)
	bob.until(`document.body.innerText.includes("approved, not begun") && !document.querySelector('form[action$="/approve"]')`)
	if it := s.item(waiting); it.State != improve.Queued {
		t.Errorf("it is %s", it.State)
	}
	ann.calm()
	bob.calm()
}

// V3: everything is done with the keyboard alone.
func TestV3_KeyboardOnly(t *testing.T) {
	s := filled(t)
	w := s.window()
	press := func(key string) { t.Helper(); w.do(chromedp.KeyEvent(key)) }
	reach := func(selector string) {
		t.Helper()
		for range 60 {
			press(kb.Tab)
			if eval[bool](w, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
				if eval[string](w, "getComputedStyle(document.activeElement).outlineStyle") == "none" {
					t.Errorf("%s has the focus, and it cannot be seen", selector)
				}
				return
			}
		}
		t.Fatalf("60 times Tab do not reach %s", selector)
	}
	press(kb.Tab)
	if !eval[bool](w, `document.activeElement.matches(".skip") && document.activeElement.getBoundingClientRect().left >= 0`) {
		t.Error("the first Tab does not show the way to the content")
	}
	reach(`nav a[href="/improve"]`)
	press(kb.Enter)
	w.until(`location.pathname === "/improve"`)
	reach(fmt.Sprintf(`a[href="/improve/%s"]`, waiting))
	press(kb.Enter)
	w.until(`location.pathname.startsWith("/improve/workflow")`)
	reach(`form[action$="/approve"] button`)
	press(kb.Enter)
	w.until(`document.body.innerText.includes("approved, not begun")`)
	w.open("/s/demo-loop")
	reach("details.call summary")
	press(kb.Enter)
	w.until(`document.querySelector("details.call").open`)
	w.calm()
}

// V6: what models and tools write is never markup or script, and never too much.
func TestV6_HostileText(t *testing.T) {
	s := filled(t)
	const evil = `<script>window.pwned=1</script><img src=x onerror="window.pwned=2"><svg onload="window.pwned=3"> [x](javascript:window.pwned=4) <a href="javascript:window.pwned=5">y</a> <style>body{display:none}</style> </pre></details></main><form action="https://evil.example">`
	long := 10 << 20
	if race.Enabled {
		long = 1 << 20
	}
	texts := []string{evil, strings.Repeat("a", long), "\u202egnp.exe\u202c \u2066x\u2069 \u200b", strings.Repeat("👩‍👩‍👧‍👦", 20_000), "\x1b[31m\x00\x07", strings.Repeat("\n", 100_000), strings.Repeat("#", 5000) + " x", strings.Repeat("> ", 3000) + "deep", strings.Repeat("[", 5000)}
	info := trimtab.Info{ID: "evil", Title: evil, Host: evil, Project: "/" + evil, Model: evil, Created: noon, Updated: noon}
	st := trimtab.NewSession("evil", noon)
	st.Info = info
	if _, err := s.store.Commit(t.Context(), trimtab.Commit{Session: st}); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		id := fmt.Sprint("c", i)
		raw, _ := json.Marshal(map[string]string{"command": text}) // a string is always JSON
		for _, m := range []trimtab.Message{
			trimtab.Prompt(text),
			{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model}, trimtab.ToolCall{ID: id, Name: trimtab.Clip(text, 500), Input: raw}}},
			{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: text}}},
		} {
			if _, _, err := s.opt.Service.Handle(t.Context(), "evil", trimtab.Said{Message: m}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.file("workflow_20261117_115000_evil", improve.Failed, func(it *improve.Item) {
		it.Request.Title, it.Why, it.Project = evil, evil, "/"+evil
		it.Request.Pattern.Suggestion, it.Request.Pattern.Samples = evil, []improve.Sample{{Session: "evil", Message: `"><script>`, Excerpt: evil}}
		it.Remarks = []improve.Remark{{By: evil, Text: evil}}
		it.Evidence = []improve.Evidence{{Number: 1, Step: "issue", Facts: map[string]string{evil: evil, "url": "javascript:window.pwned=6"}, Files: []string{evil}, Error: evil}}
	})
	w := s.window()
	w.look(1280, "light")
	for _, path := range []string{"/", "/s/evil", "/s/evil?until=20", "/improve", "/improve/workflow_20261117_115000_evil"} {
		w.open(path)
		if eval[bool](w, `typeof window.pwned !== "undefined" || getComputedStyle(document.body).display === "none" || !!document.querySelector('main script, main img, main svg[onload], main style, form[action^="https:"], a[href^="javascript:"]')`) {
			t.Errorf("%s: text became markup", path)
		}
		if eval[bool](w, `/[\u202a-\u202e\u2066-\u2069\u200b\x00\x1b]/.test(document.documentElement.outerHTML)`) {
			t.Errorf("%s: text turns around what stands beside it", path)
		}
		if over := eval[int](w, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
			t.Errorf("%s: %d pixels are cut off", path, over)
		}
		if n := eval[int](w, "document.documentElement.outerHTML.length"); n > 8<<20 {
			t.Errorf("%s has %d characters", path, n)
		}
	}
	w.open("/s/evil")
	if !eval[bool](w, `document.body.innerText.includes("<script>window.pwned=1</script>")`) {
		t.Error("what was written is not shown as text")
	}
}
