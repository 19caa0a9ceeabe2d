package frame

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trimtab/trimtab"
)

// TestTheTreeIsAlwaysConsistent does anything in any order: commands good and
// bad, parallel calls, prompts between a call and its result, compaction,
// restarts. After each step the tree, the engine's folds and the view agree.
func TestTheTreeIsAlwaysConsistent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		auto := Autonomy{Level: rapid.SampledFrom([]string{"manual", "suggest", "auto"}).Draw(rt, "level"), Confidence: "max", Push: new(40), Pop: new(40)}
		h := newHost(t, Config{Ancestors: rapid.SampledFrom([]string{"fold", "keep"}).Draw(rt, "ancestors")}, auto)
		var open []string
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			open = anything(rt, h, open)
			if err := consistent(h); err != nil {
				rt.Fatalf("%v\n%s", err, strings.Join(h.memory().lines(), "\n"))
			}
		}
		nothingIsLost(rt, h)
	})
}

func anything(rt *rapid.T, h *host, open []string) []string {
	text := func() string { return strings.Repeat("word ", rapid.IntRange(0, 60).Draw(rt, "words")) }
	id := func() string { return fmt.Sprintf("f%d", rapid.IntRange(0, h.memory().Next+1).Draw(rt, "id")) }
	verb := func(args ...string) { h.step(trimtab.Asked{Command: "frame", Args: args}) }
	switch rapid.IntRange(0, 19).Draw(rt, "what") {
	case 0:
		h.prompt("please do " + rapid.SampledFrom([]string{"tabs", "manual pages", "the tests", ""}).Draw(rt, "prompt"))
	case 1:
		h.reply(text())
		open = nil
	case 2, 3, 4, 5:
		m := trimtab.Message{Role: trimtab.RoleAssistant}
		open = nil
		for range rapid.IntRange(1, 3).Draw(rt, "calls") {
			h.calls++
			c := trimtab.ToolCall{ID: fmt.Sprintf("c%d", h.calls), Name: "bash", Input: json.RawMessage(`{"command":"ls"}`)}
			open = append(open, c.ID)
			m.Parts = append(m.Parts, c)
		}
		h.say(m)
	case 6, 7, 8, 9:
		if len(open) > 0 {
			n := rapid.IntRange(1, len(open)).Draw(rt, "answers")
			m := trimtab.Message{Role: trimtab.RoleTool}
			for _, c := range open[:n] {
				m.Parts = append(m.Parts, trimtab.ToolResult{ID: c, Text: text(), Failed: rapid.Bool().Draw(rt, "failed")})
			}
			open = open[n:]
			h.say(m)
		}
	case 10:
		h.step(trimtab.Calling{})
	case 11, 12:
		verb("push", "goal "+text())
	case 13, 14:
		verb("pop", rapid.SampledFrom([]string{"completed", "failed", "blocked", "great"}).Draw(rt, "status"), text())
	case 15:
		verb("plan", "one; two")
	case 16:
		verb(rapid.SampledFrom([]string{"activate", "invalidate", "unfold", "fold", "show"}).Draw(rt, "verb"), id())
	case 17:
		verb("undo")
		if rapid.Bool().Draw(rt, "note") {
			verb(rapid.SampledFrom([]string{"goal", "decision", "artifact"}).Draw(rt, "verb"), "x "+text())
			verb("summary", id(), text())
		}
	case 18:
		if rapid.IntRange(0, 3).Draw(rt, "seldom") == 0 {
			compact(rt, h)
			open = nil
		}
		if rapid.IntRange(0, 9).Draw(rt, "seldom") == 0 {
			h.history, open = nil, nil
			h.step(trimtab.Reset{})
		}
	case 19:
		restart(rt, h)
	}
	return open
}

// compact plays a host that keeps a summary and its last messages.
func compact(rt *rapid.T, h *host) {
	keep := rapid.IntRange(0, len(h.history)).Draw(rt, "keep")
	kept := slices.Clone(h.history[len(h.history)-keep:])
	h.say(trimtab.Say(trimtab.RoleUser, trimtab.Host, "(summary)"))
	h.history = append(h.history[len(h.history)-1:len(h.history):len(h.history)], kept...)
	ev := trimtab.Rewritten{All: keep == 0}
	there := map[string]bool{}
	for _, m := range h.history {
		there[m.ID] = true
		ev.Size += m.Size()
	}
	for _, id := range h.s.Anchors() {
		if !there[id] && !ev.All {
			ev.Lost = append(ev.Lost, id)
		}
	}
	if keep > 0 {
		ev.Last = trimtab.Ref{ID: kept[keep-1].ID, Seq: h.s.Seq - 1}
	}
	h.step(ev)
}

func restart(rt *rapid.T, h *host) {
	raw, err := json.Marshal(h.s)
	if err != nil {
		rt.Fatal(err)
	}
	h.s = trimtab.Session{}
	if err := json.Unmarshal(raw, &h.s); err != nil {
		rt.Fatal(err)
	}
}

// consistent checks the promises of the tree without its own code paths.
func consistent(h *host) error {
	m := h.memory()
	by := map[string]Frame{}
	for _, f := range m.Frames {
		if _, twice := by[f.ID]; twice {
			return fmt.Errorf("two frames %s", f.ID)
		}
		if _, ok := by[f.Parent]; f.Parent != "" && !ok {
			return fmt.Errorf("%s has a parent %s that was not made before it", f.ID, f.Parent)
		}
		if f.Status == Planned && f.First.Seq > 0 {
			return fmt.Errorf("%s is planned and has messages", f.ID)
		}
		by[f.ID] = f
	}
	onPath := map[string]bool{}
	for id := m.Active; id != ""; id = by[id].Parent {
		onPath[id] = true
		if by[id].Status != InProgress {
			return fmt.Errorf("%s is on the path and %s", id, by[id].Status)
		}
	}
	for _, f := range m.Frames {
		left := f.Status == InProgress && !onPath[f.ID]
		for up := f.Parent; left && up != ""; up = by[up].Parent {
			left = by[up].Status != Invalidated
		}
		if left {
			return fmt.Errorf("%s is in progress, not on the path, and nothing above it was given up", f.ID)
		}
	}
	return agreed(h, m)
}

// agreed checks that what the room believes folded is what the engine folds and
// what the view hides.
func agreed(h *host, m Memory) error {
	var mine, theirs []string
	for _, f := range m.Folds {
		mine = append(mine, f.Key)
	}
	at := map[string]int{}
	for i, msg := range h.history {
		at[msg.ID] = i
	}
	seen := map[string]bool{}
	for _, msg := range h.view() {
		seen[msg.Text()] = true
	}
	for i, f := range h.s.Folds {
		theirs = append(theirs, f.Key)
		if _, ok := at[f.First.ID]; !ok {
			return fmt.Errorf("fold %s begins at %s, which is not there", f.Key, f.First.ID)
		}
		if _, ok := at[f.Last.ID]; !ok {
			return fmt.Errorf("fold %s ends at %s, which is not there", f.Key, f.Last.ID)
		}
		inner := slices.ContainsFunc(h.s.Folds[i+1:], func(o trimtab.Folded) bool { return o.First.Seq <= f.First.Seq && f.Last.Seq <= o.Last.Seq })
		if !inner && !seen[f.Text] {
			return fmt.Errorf("fold %s (%s to %s) is not in view: it parts a pair", f.Key, f.First.ID, f.Last.ID)
		}
	}
	slices.Sort(mine)
	slices.Sort(theirs)
	if diff := cmp.Diff(mine, theirs); diff != "" {
		return fmt.Errorf("the room and the engine disagree on folds:\n%s", diff)
	}
	return nil
}

// nothingIsLost opens every fold and expects the whole history, byte for byte.
func nothingIsLost(rt *rapid.T, h *host) {
	for range 200 {
		m := h.memory()
		i := slices.IndexFunc(m.Frames, func(f Frame) bool { return m.foldable(f) && m.foldedAround(f) == "" })
		if i < 0 {
			if m.Active == "" || len(m.Folds) == 0 {
				break
			}
			h.ask("pop", "completed") // what is folded above the active frame opens as it is popped
			continue
		}
		h.ask("unfold", m.Frames[i].ID)
	}
	h.s.Notes = nil
	if diff := cmp.Diff(encode(h.t, h.history), encode(h.t, h.view())); diff != "" && len(h.history) > 0 {
		rt.Fatalf("(-history +view):\n%s", diff)
	}
}

// TestTheSameEventsGiveTheSameBytes plays a session twice, once with restarts.
func TestTheSameEventsGiveTheSameBytes(t *testing.T) {
	play := func(restarts bool) string {
		h := newHost(t, Config{}, Autonomy{Level: "auto", Confidence: "max", Push: new(50), Pop: new(50)})
		for i := range 40 {
			h.prompt(fmt.Sprintf("topic%d of work%d", i, i)).work(6)
			if i%5 == 4 {
				h.ask("undo")
			}
			if restarts {
				raw := encode(t, h.s)
				h.s = trimtab.Session{}
				if err := json.Unmarshal([]byte(raw), &h.s); err != nil {
					t.Fatal(err)
				}
			}
		}
		return encode(t, h.s)
	}
	if a, b := play(false), play(true); a != b {
		t.Errorf("restarts make a difference:\n%s\n%s", a, b)
	}
}

// TestAStepLeavesItsMemoryAlone compares a session before and after steps that
// were taken from it.
func TestAStepLeavesItsMemoryAlone(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build").work(4).do("push", "a").work(4).do("plan", "x; y").do("push", "b").work(4).do("pop", "completed").do("push", "c").work(2)
	before := encode(t, h.s)
	for _, words := range [][]string{
		{"push", "z"},
		{"pop"},
		{"undo"},
		{"plan", "one; two"},
		{"invalidate", "f2"},
		{"goal", "g"},
		{"artifact", "x"},
		{"decision", "x"},
		{"unfold", "f5"},
		{"summary", "f5", "new"},
		{"autonomy", `{"pushThreshold":3}`},
		{"suggest", "off"},
	} {
		s, _ := h.engine.Step(h.s, trimtab.Asked{Command: "frame", Args: words}, h.now)
		s, _ = h.engine.Step(s, trimtab.Rewritten{All: true}, h.now)
		h.engine.Step(s, trimtab.Said{Message: trimtab.Prompt("more")}, h.now)
		if after := encode(t, h.s); after != before {
			t.Fatalf("%v changed the session it was given:\n%s\n%s", words, before, after)
		}
	}
}
