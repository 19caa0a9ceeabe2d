package frame

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
)

func TestF9_WhatAnOutputShows(t *testing.T) {
	for _, c := range []struct {
		text string
		win  string
		lost bool
	}{
		{"ok  \texample.org/parser\t0.1s", "tests passed", false},
		{"PASS", "tests passed", false},
		{"12 passed in 0.3s", "tests passed", false},
		{"Tests:       14 passed, 14 total", "tests passed", false},
		{"All tests passed.", "tests passed", false},
		{"Build succeeded.\n    0 Warning(s)", "build ok", false},
		{"build ok", "build ok", false},
		{"test result: ok. 3 passed; 0 failed", "tests passed", false},
		{"test result: FAILED. 3 passed; 1 failed", "", true},
		{"--- FAIL: TestTabs (0.00s)\nFAIL", "", true},
		{"BUILD FAILED", "", true},
		{"command exited with code 2", "", true},
		{"Exit code: 1", "", true},
		{"exit status 0", "", false},
		{"FAILOVER is on", "", false},
		{"passed the salt", "", false},
		{"", "", false},
		{strings.Repeat("x\n", 20_000) + "ok  \tp\t1s", "tests passed", false},
	} {
		if fails, sign := verdict(c.text); sign != c.win || fails != c.lost {
			t.Errorf("%.60q shows %q and failure %t, want %q and %t", c.text, sign, fails, c.win, c.lost)
		}
	}
}

func TestF9_FilesThatACallChanges(t *testing.T) {
	for input, want := range map[string][]string{
		`{"file_path":"a.go"}`:               {"a.go"},
		`{"filePath":"a.go","content":"x"}`:  {"a.go"},
		`{"path":"a.go","command":"view"}`:   nil,
		`{"path":"a.go","command":"create"}`: {"a.go"},
		`{"path":7}`:                         nil,
		`[]`:                                 nil,
		`{"input":"*** Begin Patch\n*** Update File: a.go\n+x\n*** Add File: b.go\n*** End Patch"}`: {"a.go", "b.go"},
	} {
		if diff := cmp.Diff(want, changed(json.RawMessage(input))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", input, diff)
		}
	}
}

func TestF9_SignalsComeFromTheSessionsEvents(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser")
	h.tool("write", `{"file_path":"a.go"}`, "ok", false).tool("write", `{"file_path":"b.go"}`, "no space", true)
	h.tool("bash", `{"command":"go test"}`, "FAIL", false).tool("bash", `{"command":"go test"}`, "done", false)
	h.tool("bash", `{"command":"go test"}`, "ok  \tp\t1s", false) // nothing changed since: shows nothing new
	h.tool("read", `{"path":"log"}`, "PASS", false)               // a file's words are no test run
	w := h.memory().Work
	if diff := cmp.Diff([]string{"a.go"}, w.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bash succeeds after a failure"}, w.Wins); diff != "" {
		t.Errorf("successes (-want +got):\n%s", diff)
	}
	if r := w.Recent; w.Won != 1 || r.Errors != 1 || r.Failures != 2 || r.Messages != 13 {
		t.Errorf("%+v", w)
	}
}

func TestF9_TurnsWithoutProgress(t *testing.T) {
	idle := func(h *host) int { return h.memory().Work.Recent.Idle }
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser").reply("hm").reply("hm").reply("hm")
	if got := idle(h); got != 2 {
		t.Errorf("three replies after a prompt leave %d idle", got)
	}
	if h.tool("bash", `{"command":"ls"}`, "a", false).reply("hm"); idle(h) != 0 {
		t.Errorf("a new call that works is progress: %d", idle(h))
	}
	h.tool("bash", `{"command":"ls"}`, "a", false).tool("bash", `{"command":"ls"}`, "a", false).reply("hm")
	if got := idle(h); got != 3 {
		t.Errorf("the same call over again is none: %d", got)
	}
	if h.tool("bash", `{"command":"rm"}`, "denied", true).reply("hm"); idle(h) != 5 {
		t.Errorf("a call that fails is none: %d", idle(h))
	}
	if h.prompt("go on").reply("hm"); idle(h) != 0 {
		t.Errorf("the person's word starts afresh: %d", idle(h))
	}
}

func TestF9_OurOwnNotesAreNoSignals(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt("build a parser").reply("hm")
	before := h.memory().Work
	note := trimtab.Say(trimtab.RoleUser, trimtab.Ours, "10 passed")
	note.From = "todo"
	h.say(note)
	after := h.memory().Work
	after.Bytes = before.Bytes
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestF9_TheModelsLimit(t *testing.T) {
	for model, want := range map[string]int{"": 100_000, "claude-sonnet-5": 200_000, "anthropic/claude-opus-5": 200_000, "llama": 100_000} {
		if got := (Frames{}).limit(Memory{Model: model}); got != want {
			t.Errorf("%q: %d, want %d", model, got, want)
		}
	}
	if got := (Frames{cfg: Config{Limit: 8000}}).limit(Memory{Model: "claude"}); got != 8000 {
		t.Errorf("the setting gives %d", got)
	}
}

// TestMemoryStaysSmall plays a long session and looks at what is remembered.
func TestMemoryStaysSmall(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).prompt(strings.Repeat("build a parser ", 1000))
	for i := range 800 {
		h.tool("write", fmt.Sprintf(`{"file_path":"file%d.go"}`, i), strings.Repeat("written ", 200), i%3 == 0)
		h.reply(strings.Repeat("so far ", 500))
	}
	if n := len(encode(t, h.memory())); n > 24<<10 {
		t.Errorf("the memory of one frame has %d bytes", n)
	}
}
