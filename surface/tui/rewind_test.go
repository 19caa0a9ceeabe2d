package tui

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/surface/tui/page"
)

// TestChat_A3_AnEditShowsItsDiffWithoutAKey, also when the session is opened again.
func TestChat_A3_AnEditShowsItsDiffWithoutAKey(t *testing.T) {
	change := []tool.FileChange{{Path: "mill.go", Existed: true, Exists: true, Before: []byte("wind = 1\n"), After: []byte("wind = 2\n")}}
	on(t, setup{script: "reply\nsay I look\ncall look {}\nreply\nsay done\n", options: func(o *Options) {
		o.Changes = func(string) map[string][]tool.FileChange { return map[string][]tool.FileChange{"call-1": change} }
	}}, func(b *bench) {
		b.say("go")
		b.run = &run{calls: map[string]page.ID{}}
		b.draw(b.run, agent.Called{Call: trimtab.ToolCall{ID: "x", Name: "edit", Input: json.RawMessage(`{"path":"mill.go"}`)}})
		b.draw(b.run, agent.Returned{Call: trimtab.ToolCall{ID: "x"}, Effects: []tool.Effect{{Files: change}}})
		b.sees("edit mill.go", "+1 −1", "1 - wind = 1", "1 + wind = 2")
		b.run = nil
	})
}

// TestChat_A6_OutputComesWhileACommandRuns, cleaned, and goes with the result.
func TestChat_A6_OutputComesWhileACommandRuns(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.run = &run{calls: map[string]page.ID{}, live: map[string]string{}}
		call := trimtab.ToolCall{ID: "x", Name: "bash", Input: json.RawMessage(`{"command":"make"}`)}
		b.draw(b.run, agent.Called{Call: call})
		b.draw(b.run, agent.Output{Call: call, Text: "\x1b[01;34mtick"})
		b.draw(b.run, agent.Output{Call: call, Text: " 1\x1b[0m\n50%\r"})
		b.draw(b.run, agent.Output{Call: call, Text: "100%\n"})
		b.sees("tick 1", "100%")
		b.misses("50%", "␛", "[01;34m")
		b.draw(b.run, agent.Returned{Call: call, Result: trimtab.ToolResult{ID: "x", Text: "all of it"}})
		b.sees("all of it")
		b.misses("tick 1")
		b.run = nil
	})
}

// TestChat_2_UndoAndRewind: the prompt comes back to the editor, what was taken back is one
// line, and what was not put back is told.
func TestChat_2_UndoAndRewind(t *testing.T) {
	var to []int
	var gone []trimtab.Fold
	on(t, setup{script: "reply\nsay one\nreply\nsay two\nreply\nsay three\n", options: func(o *Options) {
		o.Rewind = func(_ context.Context, _ string, seq int, force bool) (Rewound, error) {
			to = append(to, seq)
			gone = append(gone, trimtab.Fold{First: trimtab.Ref{Seq: seq}, Last: trimtab.Ref{Seq: 6}})
			r := Rewound{Prompt: "prompt", Files: []string{"a.go", "b.go"}, Messages: 2, Frame: "f2"}
			if !force {
				r.Left = []string{"c.go: changed since by somebody else"}
			}
			return r, nil
		}
		o.TakenBack = func(trimtab.Session) []trimtab.Fold { return gone }
		o.Diff = func(_ string, seq int) (string, error) {
			return "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-old\n+new\n", nil
		}
	}}, func(b *bench) {
		b.press("/undo", "enter")
		b.sees("nothing was said yet")
		b.say("first task")
		b.say("second task")
		b.say("third task")
		b.press("/diff", "enter")
		b.sees("diff the last turn", "1 - old", "1 + new")
		b.press("/undo", "enter")
		b.rest()
		b.sees("2 files put back (a.go, b.go)", "taken back here: third task", "c.go: changed since by somebody else")
		b.misses("three")
		if b.text.String() != "prompt" {
			t.Errorf("%q is in the editor", b.text.String())
		}
		b.press("ctrl+u", "/rewind", "enter")
		b.sees("second task", "first task", "1 file")
		b.press("down", "enter")
		b.rest()
		b.misses("two")
		if len(to) != 2 || to[0] != 5 || to[1] != 1 {
			t.Errorf("went back to %v", to)
		}
	})
}

// A turn is taken back while a run is under way: it is interrupted first.
func TestUndoInterruptsFirst(t *testing.T) {
	on(t, setup{script: "reply\nsay a slow reply of several words\n", delay: slow, options: func(o *Options) {
		o.Rewind = func(context.Context, string, int, bool) (Rewound, error) { return Rewound{Messages: 2}, nil }
	}}, func(b *bench) {
		b.press("first", "enter")
		b.pass(3 * slow)
		b.press("/undo", "enter")
		b.pass(2 * time.Second)
		b.rest()
		b.sees("taken back: 2 messages")
		if strings.Contains(b.page.Text(), "several words") {
			t.Error("the reply went on")
		}
	})
}

// TestChat_2_ACommandAfterUndoIsACommand: the prompt that came back does not swallow it, and
// is there again after it.
func TestChat_2_ACommandAfterUndoIsACommand(t *testing.T) {
	redone := 0
	on(t, setup{script: "reply\nsay one\nreply\nsay two\n", options: func(o *Options) {
		o.Rewind = func(context.Context, string, int, bool) (Rewound, error) {
			return Rewound{Prompt: "first task", Messages: 2}, nil
		}
		o.Redo = func(context.Context, string, bool) (Rewound, error) { redone++; return Rewound{Messages: 2}, nil }
	}}, func(b *bench) {
		b.say("first task")
		b.press("/undo", "enter")
		b.rest()
		b.sees("taken back: 2 messages, no files had changed; /redo brings it back")
		b.press("/")
		b.sees("the prompt is set aside", "/help")
		b.press("backspace")
		if b.text.String() != "first task" {
			t.Errorf("%q is in the editor, and the command was given up", b.text.String())
		}
		b.press("/mode planning", "enter")
		b.rest()
		b.sees("Mode: PLANNING")
		if b.text.String() != "first task" {
			t.Errorf("%q is in the editor after a command", b.text.String())
		}
		b.press("/redo", "enter")
		b.rest()
		if redone != 1 || !b.text.Empty() {
			t.Errorf("redone %d times, and %q is in the editor", redone, b.text.String())
		}
		b.press("/undo", "enter")
		b.rest()
		b.press(", and/or the second")
		if b.text.String() != "first task, and/or the second" {
			t.Errorf("%q is in the editor: a slash within words is one", b.text.String())
		}
	})
}
