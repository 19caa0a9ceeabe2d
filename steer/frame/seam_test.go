package frame

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/trimtab/trimtab"
)

// Whatever an agent reads, edits, lists and is asked for: in auto the newest showing of
// every file is in what the model sees, at every request.
func TestJ12_WhatShowsAFileIsNeverFoldedInAuto(t *testing.T) {
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		h := newHost(t, Config{Payback: 10000}, Autonomy{Level: "auto"}).prompt("build a parser for the log files")
		newest := map[string]string{} // file → the message that showed it last
		folded := 0
		for i := range 150 {
			file := fmt.Sprintf("/p/f%d.go", r.Intn(12))
			switch r.Intn(9) {
			case 0:
				h.prompt(fmt.Sprintf("paint%d the windmill%d blue%d and white%d", i, i, i, i))
			case 1:
				h.tool("Read", fmt.Sprintf(`{"file_path":%q}`, file), "package x", false)
				newest[file] = h.lastCall()
			case 2:
				h.tool("Edit", fmt.Sprintf(`{"file_path":%q,"old_string":"a","new_string":"b%d"}`, file, i), "ok", false)
				newest[file] = h.lastCall()
			case 3:
				h.tool("Edit", fmt.Sprintf(`{"file_path":%q,"old_string":"a","new_string":"b%d"}`, file, i), "rejected", true)
			case 4:
				h.tool("bash", fmt.Sprintf(`{"command":"cat p/f%d.go"}`, r.Intn(12)), "package x", false)
			case 5:
				h.reply("That is done.")
			default:
				h.tool("grep", fmt.Sprintf(`{"pattern":"x%d"}`, i), "many lines of a search that nobody needs for long", false)
			}
			h.step(trimtab.Calling{})
			folded = max(folded, len(h.s.Folds))
			inView := map[string]bool{}
			for _, m := range h.s.View(h.history) {
				inView[m.ID] = true
			}
			for file, id := range newest {
				if !inView[id] {
					t.Fatalf("seed %d, step %d: %s was last shown in %s, which is folded away", seed, i, file, id)
				}
			}
		}
		if folded == 0 && seed < 3 {
			t.Errorf("seed %d: nothing was ever folded; this shows nothing", seed)
		}
	}
}

func TestJ12_NamesComeFromTheTask(t *testing.T) {
	for text, want := range map[string]bool{"Sure": false, "yes please": false, "and now?": false, "ok, continue": false, "": false, "deploy": true, "fix the parser": true, "übersetze die Anleitung": true, "把手册翻译成西班牙语": true, "да": false} {
		if names(text) != want {
			t.Errorf("%q names a frame: %v", text, !want)
		}
	}
}

// What speaks of the work in hand goes on with it; another task is one by its words.
func TestJ12_ANewTaskIsKnownByItsWords(t *testing.T) {
	for text, want := range map[string]bool{
		"translate the manual pages into Spanish": true,
		"now let the parser read tabs, too":       false,
		"still the same failure as before":        false,
		"yes, and draw a chart of sales":          false,
		"=== RUN TestSales: chart missing legend": false,
		"draw":       false,
		"把手册翻译成西班牙语": false, // not weighed, so nothing moves
	} {
		h := newHost(t, Config{}, Autonomy{Level: "auto"}).prompt("build a parser for the log files").reply("The parser is built.").prompt(text).step(trimtab.Calling{})
		if got := len(h.memory().Frames) > 1; got != want {
			t.Errorf("%q is a new task: %v", text, got)
		}
	}
}

// The memory does not grow with the session, and what is no longer kept in view is read
// again before it is edited, once it is folded.
func TestJ12_WhatStaysIsBounded(t *testing.T) {
	h := newHost(t, Config{Payback: 10000}, Autonomy{}).prompt("build a parser")
	h.ask("push", "read it all")
	for i := range 250 {
		h.tool("Read", fmt.Sprintf(`{"file_path":"/p/f%d.go"}`, i), "package x", false).step(trimtab.Calling{})
	}
	if m := h.memory(); len(m.Hot) > maxHot || len(m.Unseen) > maxUnseen {
		t.Errorf("%d runs, %d files", len(m.Hot), len(m.Unseen))
	}
	refused := func(file string) bool {
		return len(h.memory().unseen(trimtab.Turn{}, trimtab.ToolCall{Name: "Edit", Input: fmt.Appendf(nil, `{"file_path":%q}`, file)})) > 0
	}
	if refused("/p/f5.go") || refused("/p/f249.go") {
		t.Error("nothing is folded, and an edit is refused")
	}
	h.ask("pop", "completed")
	if !refused("/p/f5.go") || !refused("p/f249.go") || refused("/p/new.go") {
		t.Error("a file is edited unseen, or one that was never seen is refused")
	}
	h.ask("undo")
	if refused("/p/f5.go") || refused("/p/f249.go") {
		t.Error("all is in view again, and an edit is refused")
	}
}

// lastCall is the message that made the newest call.
func (h *host) lastCall() string { return h.history[len(h.history)-2].ID }
