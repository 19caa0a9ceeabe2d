package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/person"
)

// loops lets an agent behind another service run the same failing command again and again,
// as behind a gateway, and returns who spoke.
func (s *site) loops(elsewhere *session.Service, id string) (spoke []string) {
	s.Helper()
	for i := range 8 {
		call := fmt.Sprintf("%s-%d", id, i)
		_, out, err := elsewhere.Steer(s.Context(), id, func(trimtab.Session) []trimtab.Event {
			var all []trimtab.Event
			if i == 0 {
				all = append(all, trimtab.Said{Message: trimtab.Prompt("mend the test"), Vouched: true})
			}
			return append(all, trimtab.Calling{},
				trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: call, Name: "Bash", Input: json.RawMessage(`{"command":"go test ./x"}`)}}}},
				trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: call, Text: "--- FAIL: TestX (0.02s)\n    x_test.go:41: total = 5000, want 4500\nFAIL", Failed: true}}}})
		})
		if err != nil {
			s.Fatal(err)
		}
		for _, c := range out.Changes {
			if c.Kind == trimtab.Injected {
				spoke = append(spoke, c.By)
			}
		}
		for _, t := range out.Actions {
			if _, ok := t.Action.(trimtab.Pause); ok {
				spoke = append(spoke, t.By+" pauses")
			}
		}
	}
	if err := elsewhere.Flush(s.Context()); err != nil {
		s.Fatal(err)
	}
	return spoke
}

// A person's act on the page reaches a session that another service steers, with its next
// request.
func TestMuteAndPauseReachASessionElsewhere(t *testing.T) {
	s := filled(t).in()
	elsewhere := session.New(s.opt.Service.Engine(), s.store, session.Options{})
	for _, id := range []string{"free", "muted", "paused", "resumed"} {
		if _, err := elsewhere.Begin(t.Context(), trimtab.Info{ID: id, Host: "claude", User: "ada"}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := elsewhere.Steer(t.Context(), id, func(trimtab.Session) []trimtab.Event { // it has been seen there
			return []trimtab.Event{trimtab.Said{Message: trimtab.Prompt("hello")}, trimtab.Calling{}}
		}); err != nil {
			t.Fatal(err)
		}
		if err := elsewhere.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, act := range [][2]string{{"muted", "mute guard"}, {"paused", "pause"}, {"resumed", "pause"}, {"resumed", "resume"}} {
		if status, text := s.post("/s/"+act[0], "/s/"+act[0]+"/steer", url.Values{"act": {act[1]}}); status != 200 {
			t.Fatalf("%v: %d %s", act, status, text)
		}
	}
	for id, speaks := range map[string]bool{"free": true, "muted": false, "paused": false, "resumed": true} {
		spoke := s.loops(elsewhere, id)
		if slices.Contains(spoke, "guard") != speaks || slices.Contains(spoke, "guard pauses") != speaks {
			t.Errorf("%s: %v", id, spoke)
		}
	}
	if _, text := s.get("/s/paused"); !strings.Contains(text, "steering is paused") || !strings.Contains(text, "a person silenced it") {
		t.Errorf("the page does not say so: %s", text)
	}
	if _, text := s.get("/"); !strings.Contains(text, "steering paused") || !strings.Contains(text, "muted: guard") {
		t.Error("the first page does not say so")
	}
}

func TestSteeringNeedsThePageAndTheRole(t *testing.T) {
	s := filled(t).in()
	for name, c := range map[string]struct {
		session, act string
		status       int
	}{
		"nothing": {"demo-loop", "", 404}, "another command": {"demo-loop", "mode planning", 404}, "no such kind": {"demo-loop", "mute nobody", 422}, "no such frame": {"demo-loop", "fold f99", 422},
		"no such session": {"gone", "pause", 404}, "a long one": {"demo-loop", "mute " + strings.Repeat("x", 1<<16), 422}, "root cannot be ended": {"demo-loop", "unfold f1", 422},
	} {
		if status, text := s.post("/s/demo-loop", "/s/"+c.session+"/steer", url.Values{"act": {c.act}}); status != c.status {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if status, _ := s.do("POST", "/s/demo-loop/steer", url.Values{"act": {"pause"}}, nil); status != 403 {
		t.Errorf("without the token: %d", status)
	}
	s.opt.Who = func(*http.Request) (person.Person, bool) { return person.Person{User: "bob", Role: owned.View}, true }
	s.reload()
	if _, text := s.get("/s/demo-loop"); strings.Contains(text, `value="pause"`) {
		t.Error("a viewer is offered to pause")
	}
	if status, _ := s.post("/lab", "/s/demo-loop/steer", url.Values{"act": {"pause"}}); status != 403 {
		t.Errorf("a viewer: %d", status)
	}
	if _, text := s.get("/s/demo-loop"); strings.Contains(text, "steering is paused") {
		t.Error("it was paused all the same")
	}
}

// V7, V3: pause, mute and fold in a browser, with the keyboard alone.
func TestV7_SteeringInABrowser(t *testing.T) {
	s := filled(t)
	w := s.window()
	w.open("/s/demo-plan")
	reach := func(selector string) {
		t.Helper()
		for range 80 {
			if eval[bool](w, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
				return
			}
			w.do(chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("Tab does not reach %s", selector)
	}
	reach(".steer > summary")
	w.do(chromedp.KeyEvent(kb.Enter))
	reach(`button[value="mute todo"]`)
	w.do(chromedp.KeyEvent(kb.Enter))
	w.until(`document.body.innerText.includes("muted: todo")`)
	w.do(chromedp.Evaluate(`document.querySelector(".steer").open = true`, nil))
	reach(`input[name="about"]`)
	w.do(chromedp.KeyEvent("the webhook"), chromedp.KeyEvent(kb.Enter))
	w.until(`[...document.querySelectorAll(".frames .active")].some((f) => f.textContent.includes("the webhook"))`)
	if _, _, err := s.opt.Service.Handle(t.Context(), "demo-plan", trimtab.Said{Message: trimtab.Prompt("look at the webhook")}, trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, strings.Repeat("It checks the signature. ", 80))}); err != nil {
		t.Fatal(err)
	}
	w.open("/s/demo-plan")
	w.do(chromedp.Evaluate(`document.querySelector(".steer").open = true`, nil))
	w.shoot("/s/demo-plan-steer", 1280, "light")
	reach(`button[value="pop"]`)
	w.do(chromedp.KeyEvent(kb.Enter))
	w.until(`[...document.querySelectorAll(".frames li")].some((f) => f.textContent.includes("the webhook") && f.textContent.includes("folded"))`)
	w.do(chromedp.Evaluate(`document.querySelector(".steer").open = true`, nil))
	reach(`button[value^="unfold "]`)
	w.do(chromedp.KeyEvent(kb.Enter))
	w.until(`document.querySelector('button[value^="fold "]')`)
	w.do(chromedp.Evaluate(`document.querySelector(".steer").open = true`, nil))
	reach(`button[value="pause"]`)
	w.do(chromedp.KeyEvent(kb.Enter))
	w.until(`document.body.innerText.includes("steering is paused")`)
	w.shoot("/s/demo-plan-paused", 1280, "dark")
	w.calm()
}
