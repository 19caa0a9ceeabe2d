package steer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/race"
	"github.com/trimtab/trimtab/steer"
)

// talk plays a session through the whole lineup, as a host would: a request before each
// reply, and an end of the turn where a reply calls nothing.
type talk struct {
	t      *testing.T
	engine *trimtab.Engine
	s      trimtab.Session
	now    time.Time
	calls  int
	notes  int // that nobody asked for
	sent   int // continuations
	pauses int
	late   int // steps at which the clock had gone back
}

func newTalk(t *testing.T, cfg steer.Config) *talk {
	t.Helper()
	engine, err := steer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	return &talk{t: t, engine: engine, s: trimtab.NewSession("s", now), now: now}
}

func (h *talk) step(ev trimtab.Event) {
	h.now = h.now.Add(time.Second)
	s, out := h.engine.Step(h.s, ev, h.now)
	h.s = s
	for _, f := range out.Faults {
		if strings.Contains(f.Error(), "the clock went back") {
			h.late++ // it is told, and time stands still until the clock catches up
			continue
		}
		h.t.Fatalf("step %d: %s", h.s.Step, f.Error())
	}
	for _, c := range out.Changes {
		if c.Kind == trimtab.Injected {
			h.notes++
		}
	}
	for _, a := range out.Actions {
		switch a.Action.(type) {
		case trimtab.Continue:
			h.sent++
		case trimtab.Pause:
			h.pauses++
		}
	}
}

func (h *talk) prompt(text string) { h.step(trimtab.Said{Message: trimtab.Prompt(text)}) }

func (h *talk) tool(name string, input any, result string, failed bool) {
	raw, err := json.Marshal(input)
	if err != nil {
		h.t.Fatal(err)
	}
	h.calls++
	id := fmt.Sprint("c", h.calls)
	h.step(trimtab.Calling{})
	h.step(trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: name, Input: raw}}}})
	h.step(trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: result, Failed: failed}}}})
}

func (h *talk) reply(text string) {
	h.step(trimtab.Calling{})
	h.step(trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model}}}})
	h.step(trimtab.Stopping{})
}

func (h *talk) size() int {
	raw, err := json.Marshal(h.s)
	if err != nil {
		h.t.Fatal(err)
	}
	return len(raw)
}

// quiet fails where more is said than the budget of attention allows: 3 in 100 steps.
func (h *talk) quiet(what string) {
	h.t.Helper()
	if most := 3 * (1 + h.s.Step/100); h.notes+h.sent > most {
		h.t.Errorf("%s: %d notes and %d continuations in %d steps, at most %d", what, h.notes, h.sent, h.s.Step, most)
	}
}

type input = map[string]any

func edit(file string, n int) input {
	return input{"file_path": file, "old_string": "a", "new_string": fmt.Sprint("b", n)}
}

func TestJ_BadInput_TenThousandSteps(t *testing.T) {
	steps := 10000
	if testing.Short() {
		steps = 3000
	}
	if race.Enabled {
		steps = 500
	}
	for _, level := range []string{"suggest", "auto"} {
		var cfg steer.Config
		cfg.Autonomy.Level = level
		h := newTalk(t, cfg)
		early := 0
		for i := 0; h.s.Step < steps; i++ {
			if i%20 == 0 {
				h.prompt(fmt.Sprintf("paint%d windmill%d blue%d with brush%d", i, i, i, i))
			}
			h.tool("Read", input{"file_path": fmt.Sprintf("/p/f%d.go", i%300)}, strings.Repeat("x", 200), false)
			h.tool("Edit", edit(fmt.Sprintf("/p/f%d.go", i%300), i), "ok", false)
			h.tool("bash", input{"command": "go test ./..."}, "ok  p 0.1s", false)
			if i%20 == 19 {
				h.reply("That part is done.")
			}
			if h.s.Step >= steps/2 && early == 0 {
				early = h.size()
			}
		}
		h.quiet(level)
		t.Logf("%s: %d notes, %d continuations, %d KB at half, %d KB at the end", level, h.notes, h.sent, early>>10, h.size()>>10)
		if late := h.size(); late > early*5/4+32<<10 && level != "auto" {
			t.Errorf("%s: the session grew from %d to %d bytes", level, early, late)
		} else if late > 1<<20 {
			t.Errorf("%s: %d bytes", level, late)
		}
	}
}

func TestJ_BadInput_AnotherLanguage(t *testing.T) {
	for name, lines := range map[string][]string{
		"German":  {"Bitte baue den Parser um", "Das geht noch nicht, sieh noch einmal nach", "Danke, und jetzt die Dokumentation"},
		"Chinese": {"请重写解析器", "还是不行，再看看", "谢谢，现在写文档"},
		"Arabic":  {"أعد كتابة المحلل", "لا يعمل بعد", "شكرا، الآن الوثائق"},
	} {
		h := newTalk(t, steer.Config{})
		for i := range 30 {
			h.prompt(lines[i%3])
			h.tool("Edit", edit("/p/a.go", i), "ok", false)
			h.tool("bash", input{"command": "go test ./..."}, "ok  p 0.1s", false)
			h.reply(lines[i%3])
		}
		h.quiet(name)
	}
}

func TestJ_BadInput_AProjectWithoutAnyCheck(t *testing.T) {
	h := newTalk(t, steer.Config{})
	for i := range 40 {
		h.prompt(fmt.Sprintf("change part %d of the page", i))
		h.tool("Edit", edit("/p/index.php", i), "ok", false)
		h.reply("The page is changed.")
	}
	h.quiet("no check")
	if h.sent > 3 {
		t.Errorf("%d times it was asked for a check that does not exist", h.sent)
	}
}

func TestJ_BadInput_ACheckThatAlwaysFails(t *testing.T) {
	h := newTalk(t, steer.Config{})
	for i := range 60 {
		if i%6 == 0 {
			h.prompt(fmt.Sprintf("go on with part %d", i))
		}
		h.tool("Edit", edit(fmt.Sprintf("/p/f%d.go", i), i), "ok", false)
		h.tool("bash", input{"command": "make test"}, "FAIL: the license server is not reachable", true)
		if i%6 == 5 {
			h.reply("The change is made; the check cannot pass here.")
		}
	}
	h.quiet("always red")
	if h.pauses > 3 {
		t.Errorf("%d pauses", h.pauses)
	}
}

func TestJ_BadInput_ACheckThatTakesAnHour(t *testing.T) {
	h := newTalk(t, steer.Config{})
	h.prompt("mend the parser")
	for i := range 12 {
		h.tool("Edit", edit("/p/a.go", i), "ok", false)
		h.tool("bash", input{"command": "make test", "run_in_background": true}, "started in the background", false)
		h.now = h.now.Add(time.Hour)
		h.tool("bash", input{"command": "tail -1 test.log"}, fmt.Sprintf("running %d", i), false)
		h.step(trimtab.Stopping{Waiting: true})
	}
	h.quiet("an hour")
	if h.sent > 0 {
		t.Errorf("an agent that waits for its check was sent on %d times", h.sent)
	}
}

func TestJ_BadInput_AnAgentThatClaimsInEveryReply(t *testing.T) {
	h := newTalk(t, steer.Config{})
	h.prompt("mend the parser; go test ./... has to pass")
	h.tool("bash", input{"command": "go test ./..."}, "FAIL p", true)
	for i := range 100 {
		h.tool("Edit", edit("/p/a.go", i), "ok", false)
		h.reply("Done! All tests pass now and everything works perfectly. [DONE: tests_pass]")
		if i%5 == 4 {
			h.prompt("no, it does not; look again")
		}
	}
	h.quiet("claims")
	if h.sent == 0 {
		t.Error("not one of a hundred claims was held back")
	}
}

func TestJ_BadInput_TwoHundredTodoItems(t *testing.T) {
	h := newTalk(t, steer.Config{})
	h.prompt("do all of these")
	list := func(done int) input {
		var items []input
		for i := range 200 {
			status := "pending"
			switch {
			case i < done:
				status = "completed"
			case i == done:
				status = "in_progress"
			}
			items = append(items, input{"content": fmt.Sprintf("item %d of the long list", i), "status": status})
		}
		return input{"todos": items}
	}
	for i := range 200 {
		h.tool("TodoWrite", list(i), "ok", false)
		h.tool("Edit", edit(fmt.Sprintf("/p/f%d.go", i), i), "ok", false)
	}
	h.quiet("200 items")
	for _, n := range h.s.Notes {
		if len(n.Text) > 4000 {
			t.Errorf("a note of %d bytes", len(n.Text))
		}
	}
	if size := h.size(); size > 256<<10 {
		t.Errorf("%d bytes of state", size)
	}
}

// A pipe hides the exit code, and some hosts tell none: the text decides.
func TestJ_BadInput_ResultsWithoutAnErrorFlag(t *testing.T) {
	h := newTalk(t, steer.Config{})
	h.prompt("make the tests pass")
	for range 12 {
		h.tool("bash", input{"command": "go test ./... 2>&1 | tail -20"}, "--- FAIL: TestX (0.00s)\n    x_test.go:9: got 1, want 2\nFAIL\texample/p\t0.1s", false)
	}
	if h.notes == 0 {
		t.Error("twelve red runs without an error flag, and no word")
	}
	h.quiet("no flag")
	green := newTalk(t, steer.Config{})
	green.prompt("make the tests pass")
	for i := range 30 {
		green.tool("Edit", edit("/p/a.go", i), "ok", false)
		green.tool("bash", input{"command": "go test ./... 2>&1 | tail -20"}, fmt.Sprintf("ok  \texample/p\t0.%ds", i), false)
	}
	green.reply("They pass.")
	if green.notes+green.sent > 0 {
		t.Errorf("green runs: %d notes, %d continuations", green.notes, green.sent)
	}
}

// Each has its own session; what one does is no evidence for the other, and nothing of
// one reaches the other.
func TestJ_BadInput_TwoAgentsInOneFolder(t *testing.T) {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := newTalk(t, steer.Config{}), newTalk(t, steer.Config{})
	a.engine, b.engine = engine, engine
	b.s.ID = "t"
	for _, h := range []*talk{a, b} {
		h.s.Project = "/p"
		h.prompt("mend the parser")
		h.tool("bash", input{"command": "go test ./..."}, "ok  p 0.1s", false)
	}
	for i := range 10 {
		a.tool("Edit", edit("/p/a.go", i), "ok", false)
		b.tool("bash", input{"command": "go test ./..."}, "ok  p 0.1s", false)
	}
	b.reply("They pass.")
	a.reply("It is mended.")
	if b.sent != 0 || a.sent != 1 {
		t.Errorf("held back: %d of the one that changed and ran nothing, %d of the one that only ran", a.sent, b.sent)
	}
	a.quiet("a")
	b.quiet("b")
}

func TestJ_BadInput_AClockThatJumps(t *testing.T) {
	h := newTalk(t, steer.Config{})
	h.prompt("mend the parser")
	for i, jump := range []time.Duration{0, -48 * time.Hour, 90 * 24 * time.Hour, -365 * 24 * time.Hour, time.Nanosecond, 100 * 365 * 24 * time.Hour, -100 * 365 * 24 * time.Hour} {
		h.now = h.now.Add(jump)
		for k := range 10 {
			h.tool("Edit", edit("/p/a.go", 10*i+k), "ok", false)
			h.tool("bash", input{"command": "go test ./..."}, "ok  p 0.1s", false)
		}
		h.reply("Done.")
		h.prompt(fmt.Sprintf("and part %d", i))
	}
	h.quiet("jumps")
	if h.late == 0 || h.s.Step < 140 {
		t.Errorf("only %d steps are known", h.s.Step)
	}
}
