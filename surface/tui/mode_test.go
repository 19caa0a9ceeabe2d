package tui

import (
	"encoding/json"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
)

func TestM1_AChangeOfModeSendsNothingAndIsSeen(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.press("shift+tab")
		b.sees("Mode: PLANNING", "demo · PLANNING")
		if title := b.View().WindowTitle; title != "trimtab · PLANNING · mill" {
			t.Errorf("title %q", title)
		}
		if len(b.asked) != 0 || b.session.Seq != 0 {
			t.Errorf("the model was asked %d times, %d messages", len(b.asked), b.session.Seq)
		}
	})
}

func TestM9_ShiftTabGoesThroughAllFiveModes(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		for _, want := range []string{"PLANNING", "RESEARCH", "CODE REVIEW", "DEBUGGING"} {
			b.press("shift+tab")
			b.sees("Mode: "+want, "· "+want)
		}
		b.press("shift+tab")
		b.sees("Mode: NORMAL")
		b.misses("· DEBUGGING", "· NORMAL")
		b.press("ctrl+shift+tab")
		b.sees("Mode: DEBUGGING")
	})
}

func TestM9_APasteWithShiftTabInItChangesNothing(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.tell(tea.PasteMsg{Content: "one\x1b[Z two\x1b[1;2Z\x1b[9;2u"})
		b.misses("PLANNING")
		b.sees("one␛[Z two␛[1;2Z␛[9;2u")
		if b.chat.session.ID != "" {
			t.Error("a session was begun")
		}
	})
}

func TestM9_ShiftTabIsNothingInADialog(t *testing.T) {
	for _, open := range [][]string{{"f1"}, {"/model", "enter"}, {"/resume", "enter"}, {"/mode", "enter"}, {"ctrl+r"}} {
		on(t, setup{}, func(b *bench) {
			b.press(open...)
			if b.shown() == nil {
				t.Fatalf("%v opens no dialog", open)
			}
			b.press("shift+tab", "ctrl+shift+tab", "esc")
			if b.shown() != nil {
				t.Errorf("%v: Esc does not close the dialog", open)
			}
			b.misses("PLANNING", "DEBUGGING")
		})
	}
}

func TestM9_ModeListsAndFinds(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.press("/mode", "enter")
		b.sees("normal", "planning", "research", "code-review", "debugging", "investigate")
		b.press("res", "enter")
		b.sees("Mode: RESEARCH")
		b.press("/mode code", "enter")
		b.sees("Mode: CODE REVIEW")
		b.press("/mode plannig", "enter")
		b.sees(`did you mean planning?`)
	})
}

func TestM2M3M8_WhatTheModelSeesInAMode(t *testing.T) {
	on(t, setup{script: "reply\nsay one\nreply\nsay two\n"}, func(b *bench) {
		b.press("shift+tab")
		b.say("first")
		b.press("/status", "enter")
		b.say("second")
		if len(b.asked) != 2 {
			t.Fatalf("the model was asked %d times", len(b.asked))
		}
		first, second := b.asked[0].Messages, b.asked[1].Messages
		if len(first) != 2 || first[0].From != "mode" || !strings.Contains(first[0].Text(), "PLANNING") || first[1].Text() != "first" {
			t.Errorf("first request: %+v", first)
		}
		if n := len(second); n != 5 || second[3].Text() != "second" || second[4].From != "mode" || !strings.HasPrefix(second[4].Text(), "Remember") {
			t.Errorf("second request: %+v", second)
		}
		for i := range first {
			if second[i].Text() != first[i].Text() {
				t.Errorf("message %d was sent as %q and is now %q", i, first[i].Text(), second[i].Text())
			}
		}
	})
}

func TestM6_ANewChatBeginsInNormal(t *testing.T) {
	for _, how := range [][]string{{"ctrl+n"}, {"/new", "enter"}} {
		on(t, setup{}, func(b *bench) {
			b.press("shift+tab")
			b.say("hello")
			old := b.chat.session.ID
			b.press(how...)
			b.misses("PLANNING", "hello", "So be it")
			b.say("again")
			if s, err := b.service.Session(t.Context(), old); err != nil || s.Seq != 2 {
				t.Errorf("the old session: %d messages, %v", s.Seq, err)
			}
			if b.chat.session.ID == old {
				t.Error("it is the old session")
			}
			if got := b.asked[len(b.asked)-1].Messages; len(got) != 1 {
				t.Errorf("the model sees %d messages, want the prompt alone", len(got))
			}
		})
	}
}

func TestM7_AResumedSessionIsInItsModeAndIsReminded(t *testing.T) {
	on(t, setup{script: "reply\nsay one\nreply\nsay two\n"}, func(b *bench) {
		b.press("shift+tab")
		b.say("first words")
		b.press("ctrl+n")
		b.press("/resume", "enter")
		b.sees("first words")
		b.press("enter")
		b.sees("resumed, 2 messages", "first words", "one", "· PLANNING")
		b.say("second")
		last := b.asked[len(b.asked)-1].Messages
		entries := 0
		for _, m := range last {
			if m.From == "mode" && !strings.HasPrefix(m.Text(), "Remember") {
				entries++
			}
		}
		if at := len(last) - 1; entries != 1 || !strings.HasPrefix(last[at].Text(), "Remember") || last[at-1].Text() != "second" {
			t.Errorf("%d entry prompts; behind the prompt: %q", entries, last[at].Text())
		}
	})
}

func TestAResumedSessionSaysThatItBrokeOff(t *testing.T) {
	for name, last := range map[string]trimtab.Message{
		"a prompt": trimtab.Prompt("second"),
		"a call":   {Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "c1", Name: "list"}}},
	} {
		on(t, setup{script: "reply\nsay one\n"}, func(b *bench) {
			b.say("first words")
			id := b.session.ID
			b.press("/resume "+id, "enter")
			b.sees("resumed, 2 messages")
			b.misses("go on")
			if _, _, err := b.service.Handle(t.Context(), id, trimtab.Said{Message: last}); err != nil { // and the program was killed
				t.Fatal(name, err)
			}
			b.press("ctrl+n")
			b.press("/resume "+id, "enter")
			b.sees(`resumed, 3 messages; it ended during a reply: say "go on"`)
		})
	}
}

func TestM7_AnUnknownModeIsToldAndTheMessagesAreKept(t *testing.T) {
	for name, memory := range map[string]string{"unknown": `{"mode":"zen"}`, "unreadable": `[1]`} {
		t.Run(name, func(t *testing.T) {
			on(t, setup{}, func(b *bench) {
				b.say("my words")
				s, err := b.store.Load(t.Context(), b.chat.session.ID)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := b.store.Commit(t.Context(), trimtab.Commit{Session: s.WithMemory("mode", json.RawMessage(memory))}); err != nil {
					t.Fatal(err)
				}
				b.service.Service = session.New(b.service.Engine(), b.store, session.Options{}) // another process: nothing is remembered
				b.press("ctrl+n", "/resume "+s.ID, "enter")
				b.sees("my words", "So be it.", "! ")
				b.misses("PLANNING")
			})
		})
	}
}

func TestM11_AModeChangedDuringAReplyCountsForTheNextPrompt(t *testing.T) {
	on(t, setup{script: "reply\nsay a slow reply of several words\nreply\nsay two\n", delay: 20_000_000}, func(b *bench) {
		b.press("first", "enter")
		b.pass(60_000_000)
		b.press("shift+tab")
		b.sees("PLANNING", "working")
		b.rest()
		b.say("second")
		if got := b.asked[0].Messages; len(got) != 1 {
			t.Errorf("the first request has %d messages", len(got))
		}
		if got := b.asked[1].Messages; got[len(got)-2].From != "mode" {
			t.Errorf("the second request: %+v", got)
		}
	})
}
