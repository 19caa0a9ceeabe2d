package frame

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
)

var start = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// host plays a host with frames alone in the lineup. It owns the history.
type host struct {
	t       testing.TB
	engine  *trimtab.Engine
	s       trimtab.Session
	history []trimtab.Message
	out     trimtab.Outcome
	now     time.Time
	calls   int
}

func newHost(t testing.TB, cfg Config, auto Autonomy) *host {
	t.Helper()
	frames, err := New(cfg, auto)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(frames))
	if err != nil {
		t.Fatal(err)
	}
	return &host{t: t, engine: engine, s: trimtab.NewSession("s", start), now: start}
}

func (h *host) step(ev trimtab.Event) *host {
	h.now = h.now.Add(time.Second)
	h.s, h.out = h.engine.Step(h.s, ev, h.now)
	for _, f := range h.out.Faults {
		h.t.Fatalf("%T %+v: %v", ev, ev, f)
	}
	return h
}

func (h *host) say(m trimtab.Message) *host {
	m.ID = trimtab.MessageID(h.s.Seq + 1)
	h.history = append(h.history, m)
	return h.step(trimtab.Said{Message: m})
}

func (h *host) prompt(text string) *host { return h.say(trimtab.Prompt(text)) }

func (h *host) reply(text string) *host {
	return h.say(trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text))
}

// tool plays a call and its result.
func (h *host) tool(name, input, result string, failed bool) *host {
	h.calls++
	id := fmt.Sprintf("c%d", h.calls)
	h.say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}}})
	return h.say(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: result, Failed: failed}}})
}

func (h *host) work(n int) *host {
	for range n {
		h.step(trimtab.Calling{}).tool("bash", fmt.Sprintf(`{"command":"step %d"}`, h.calls), strings.Repeat("some output\n", 20), false)
	}
	return h
}

func (h *host) ask(words ...string) trimtab.Reply {
	h.t.Helper()
	h.step(trimtab.Asked{Command: "frame", Args: words})
	r, err := h.out.Reply()
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// do asks and expects that it is done.
func (h *host) do(words ...string) *host {
	h.t.Helper()
	if r := h.ask(words...); r.Failed {
		h.t.Fatalf("frame %s: %s", strings.Join(words, " "), r.Text)
	}
	return h
}

func (h *host) memory() Memory {
	h.t.Helper()
	raw, err := h.s.Memory("frame")
	if err != nil {
		h.t.Fatal(err)
	}
	var m Memory
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &m); err != nil {
			h.t.Fatal(err)
		}
	}
	return m
}

func (h *host) view() []trimtab.Message { return h.s.View(h.history) }

// texts is what the model sees, in short.
func (h *host) texts() []string {
	var out []string
	for _, m := range h.view() {
		text := m.Text()
		for _, p := range m.Parts {
			switch p := p.(type) {
			case trimtab.ToolCall:
				text += "call " + p.Name
			case trimtab.ToolResult:
				text += "result"
			}
		}
		first, _, _ := strings.Cut(text, "\n")
		out = append(out, first)
	}
	return out
}

func TestF1_AnUnansweredPromptIsForTheParent(t *testing.T) {
	h := newHost(t, Config{Ancestors: "keep"}, Autonomy{}).prompt("build a parser").do("push", "read tabs").work(3)
	h.prompt("never mind, stop").do("pop", "blocked", "stopped")
	want := []string{"build a parser", "[Frame f2 blocked: read tabs]", "never mind, stop"}
	if diff := cmp.Diff(want, h.texts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestF4_ThePromptInHandStaysInViewWhileAChildWorks(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser").work(5).prompt("now do tabs").work(5)
	h.do("push", "read tabs").reply("starting")
	want := []string{"[Frame f1 in progress: build a parser]", "now do tabs", "[What that frame did since is folded away too.]", "starting"}
	if diff := cmp.Diff(want, h.texts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	before := slices.Clone(h.history)
	h.do("pop", "completed")
	if diff := cmp.Diff(before, h.view()); diff != "" {
		t.Errorf("back at the root (-want +got):\n%s", diff)
	}
}

func TestF5_UnfoldRestoresByteForByte(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser").work(3).do("push", "read tabs").work(5).do("push", "read wide tabs").work(5)
	h.do("pop", "completed", "wide").do("pop", "completed", "tabs").reply("done")
	if n := len(h.view()); n >= len(h.history) {
		t.Fatalf("nothing was folded: %d messages in view", n)
	}
	if r := h.ask("unfold", "f3"); !r.Failed || !strings.Contains(r.Text, "unfold f2 first") {
		t.Errorf("unfolding what a folded frame hides answered %q", r.Text)
	}
	h.do("unfold", "f2").do("unfold", "f3")
	if diff := cmp.Diff(encode(t, h.history), encode(t, h.view())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestF5_AnInnerFoldIsMadeAgainInsideAnOuterOne(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser").work(3).do("push", "read tabs").work(5).do("push", "read wide tabs").work(5)
	h.do("pop", "completed", "wide").do("pop", "completed", "tabs")
	h.do("summary", "f3", "wide tabs are eight blanks") // f3 stands inside the fold of f2
	h.do("unfold", "f2")
	if got := h.view(); !slices.ContainsFunc(got, func(m trimtab.Message) bool { return strings.Contains(m.Text(), "eight blanks") }) {
		t.Errorf("the new summary is not in view: %q", h.texts())
	}
}

func TestF5_ACallThatIsNeverAnsweredKeepsItsFrameOpen(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser").do("push", "read tabs").work(5)
	h.say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "lost", Name: "bash"}}}).reply("it hangs")
	r := h.ask("pop", "completed", "tabs")
	if !strings.Contains(r.Text, "never answered") || len(h.s.Folds) != 0 {
		t.Errorf("%q, folds %+v", r.Text, h.s.Folds)
	}
	h.do("push", "more").work(5)
	if h.do("pop", "completed", "more"); len(h.s.Folds) != 1 {
		t.Errorf("a whole frame beside it was not folded: %+v", h.s.Folds)
	}
}

func TestF5_TwoHundredStepsInEightFramesLeaveAtMostTwoFifths(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser")
	for i := range 8 {
		h.do("push", fmt.Sprintf("part %d", i)).work(25).do("pop", "completed", "it works")
	}
	size := func(list []trimtab.Message) (n int) {
		for _, m := range list {
			n += m.Size()
		}
		return n
	}
	all, seen := size(h.history), size(h.view())
	if seen*5 > all*2 {
		t.Errorf("the model receives %d of %d bytes", seen, all)
	}
	var tree Tree
	if err := json.Unmarshal(h.ask("tree").Data, &tree); err != nil {
		t.Fatal(err)
	}
	if tree.Before != tokens(all) || tree.After != tokens(seen) {
		t.Errorf("told %d and %d tokens, measured %d and %d", tree.Before, tree.After, tokens(all), tokens(seen))
	}
}

func TestF1_AModelIsAskedForTheSummaryWhereOneIsConfigured(t *testing.T) {
	h := newHost(t, Config{Summaries: "model"}, Autonomy{}).prompt("build a parser").do("push", "read tabs").work(5).do("pop")
	i := slices.IndexFunc(h.out.Actions, func(a trimtab.Taken) bool { _, ok := a.Action.(trimtab.Enqueue); return ok })
	if i < 0 {
		t.Fatalf("no work was queued: %+v", h.out.Actions)
	}
	var wish struct{ Session, Frame, Draft string }
	if err := json.Unmarshal(h.out.Actions[i].Action.(trimtab.Enqueue).Data, &wish); err != nil || wish.Session != "s" || wish.Frame != "f2" || wish.Draft == "" {
		t.Fatalf("%+v %v", wish, err)
	}
	h.do("summary", "f2", "tabs", "are", "eight", "blanks")
	if got := h.s.Folds[0].Text; !strings.Contains(got, "tabs are eight blanks") {
		t.Errorf("the fold says %q", got)
	}
	h.do("push", "again").work(5).do("pop", "completed", "given")
	for _, a := range h.out.Actions {
		if _, ok := a.Action.(trimtab.Enqueue); ok {
			t.Error("a summary was given, and a model was asked for one")
		}
	}
}

func TestTwoPushesAtOnceNest(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser").do("push", "one").do("push", "two")
	if got := h.memory().above("f3"); len(got) != 3 {
		t.Errorf("path %+v", got)
	}
}

func TestF6_ASessionsSettingsAreItsOwn(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{})
	h.do("autonomy", `{"level":"auto","pushThreshold":1,"enabledHeuristics":["duration"]}`)
	h.s = trimtab.NewSession("other", start)
	got := h.ask("autonomy")
	var a Autonomy
	if err := json.Unmarshal(got.Data, &a); err != nil {
		t.Fatal(err)
	}
	if a.Level != "suggest" || *a.Push != 70 || len(a.Heuristics) != 7 {
		t.Errorf("another session has %s", got.Data)
	}
}

func TestOnlyAPersonsFirstWordsOpenTheRoot(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{})
	h.say(trimtab.Say(trimtab.RoleUser, trimtab.Host, "<system-reminder>hello</system-reminder>")).reply("hi")
	if m := h.memory(); len(m.Frames) != 0 {
		t.Fatalf("%+v", m.Frames)
	}
	h.prompt("  build\n a parser ")
	if m := h.memory(); len(m.Frames) != 1 || m.Frames[0].Goal != "build a parser" || m.Frames[0].First.Seq != 3 {
		t.Errorf("%+v", m.Frames)
	}
}

func TestLimitsOfTheTree(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser")
	for range maxDepth - 1 {
		h.do("push", "deeper")
	}
	if r := h.ask("push", "deeper"); !r.Failed || !strings.Contains(r.Text, "deep") {
		t.Errorf("%q", r.Text)
	}
	if r := h.ask("pop", "completed", strings.Repeat("x", maxSummary+1)); !r.Failed {
		t.Errorf("%q", r.Text)
	}
	if r := h.ask("push", strings.Repeat("x", maxArgs+1)); !r.Failed {
		t.Errorf("%q", r.Text)
	}
	h.do("pop")
	for len(h.memory().Frames) < maxFrames-40 {
		h.do("plan", strings.Repeat("one;", 40))
	}
	for range 50 {
		if r := h.ask("plan", "one"); r.Failed {
			return
		}
	}
	t.Error("frames are made without end")
}

func encode(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
