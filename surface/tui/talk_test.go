package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/surface/tui/page"
)

const slow = 20 * time.Millisecond // for each word of a reply

func TestAPromptDuringAReplyWaitsAndIsShown(t *testing.T) {
	on(t, setup{script: "reply\nsay a slow reply of several words\nreply\nsay two\n", delay: slow}, func(b *bench) {
		b.press("first", "enter")
		b.pass(3 * slow)
		b.press("second", "enter", "third line one", "shift+enter", "line two", "enter")
		b.sees("queued: second", "queued: third line one", "working")
		if len(b.asked) != 1 {
			t.Errorf("the model was asked %d times during the reply", len(b.asked))
		}
		b.rest()
		b.misses("queued", "working")
		if len(b.asked) != 3 {
			t.Errorf("the model was asked %d times, want 3", len(b.asked))
		}
	})
}

func TestAPromptNeverOvertakesTheChangeOfModeBeforeIt(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.service.slow = 50 * time.Millisecond
		for _, k := range []string{"shift+tab", "shift+tab", "h", "i", "enter"} { // faster than the service
			msg, ok := keyOf(k)
			if !ok {
				msg = tea.KeyPressMsg{Code: rune(k[0]), Text: k}
			}
			b.do(b.take(msg))
		}
		b.rest()
		b.sees("· RESEARCH")
		if got := b.asked[0].Messages; len(got) != 2 || !strings.Contains(got[0].Text(), "RESEARCH") {
			t.Errorf("the model sees %+v", got)
		}
		if b.chat.session.ID != "s1" {
			t.Errorf("it is in session %s: two were begun", b.chat.session.ID)
		}
	})
}

func TestEscInterruptsAndGivesBackWhatWaited(t *testing.T) {
	on(t, setup{script: "reply\nsay a slow reply of several words\n", delay: slow}, func(b *bench) {
		b.press("first", "enter")
		b.pass(3 * slow)
		b.press("second", "enter", "esc")
		b.rest()
		b.sees("a slow", "interrupted")
		b.misses("several words")
		if b.text.String() != "second" {
			t.Errorf("%q is in the editor", b.text.String())
		}
		if len(b.asked) != 1 {
			t.Errorf("the model was asked %d times", len(b.asked))
		}
	})
}

func TestCtrlNDuringAReplyEndsItFirst(t *testing.T) {
	on(t, setup{script: "reply\nsay a slow reply of several words\n", delay: slow}, func(b *bench) {
		b.press("first", "enter")
		b.pass(3 * slow)
		old := b.session.ID
		b.press("ctrl+n")
		b.rest()
		b.sees("new chat")
		b.misses("slow")
		if s, err := b.service.Session(t.Context(), old); err != nil || s.Seq != 2 {
			t.Errorf("the interrupted session has %d messages, %v", s.Seq, err)
		}
		if b.session.ID != "" {
			t.Errorf("still in %s", b.session.ID)
		}
	})
}

func TestAModelErrorIsToldAndThePromptIsKept(t *testing.T) {
	on(t, setup{script: "reply\nsay half a\nfail the line is dead\nreply\nsay whole\n"}, func(b *bench) {
		b.say("first")
		b.sees("the line is dead", `say "go on"`)
		b.say("go on")
		b.sees("whole")
		if got := b.asked[1].Messages; len(got) != 3 || got[0].Text() != "first" || !strings.HasPrefix(got[1].Text(), "half a") {
			t.Errorf("the model sees %+v", got)
		}
	})
}

func TestM7_AFailedSaveIsShownAndTriedAgain(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.press("shift+tab")
		b.service.breaks(errors.New("disk full"))
		b.press("shift+tab")
		b.sees("disk full", "trying again", "PLANNING")
		b.press("words while it waits")
		b.pass(1500 * time.Millisecond)
		b.sees("disk full", "words while it waits")
		b.service.breaks(nil)
		b.pass(5 * time.Second)
		b.misses("disk full")
		b.sees("· RESEARCH", "words while it waits")
	})
}

func TestM7_AReplyThatCouldNotBeStoredIsStoredLater(t *testing.T) {
	on(t, setup{script: "reply\nsay a slow reply\nreply\nsay next\n", delay: slow}, func(b *bench) {
		b.press("first", "enter")
		b.pass(2 * slow)
		b.service.breaks(errors.New("disk full"))
		b.rest()
		b.sees("a slow reply", "disk full")
		b.service.breaks(nil)
		b.pass(3 * time.Second)
		b.say("second")
		if got := b.asked[1].Messages; len(got) != 3 || got[1].Text() != "a slow reply" {
			t.Errorf("the model sees %+v", got)
		}
	})
}

func TestAPromptThatCouldNotBeStoredComesBack(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.press("shift+tab") // there is a session
		b.service.breaks(errors.New("disk full"))
		b.say("my words")
		b.sees("disk full")
		if b.text.String() != "my words" {
			t.Errorf("%q is in the editor", b.text.String())
		}
		b.service.breaks(nil)
		b.press("enter")
		b.rest()
		b.sees("So be it.")
	})
}

func TestWhatCannotBeSavedCanBeGivenUp(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.service.breaks(errors.New("disk full"))
		b.press("my words", "enter")
		b.sees("the prompt waits: disk full")
		b.press("esc")
		b.sees("given up")
		if b.text.String() != "my words" || b.busy() {
			t.Errorf("%q is in the editor, busy: %v", b.text.String(), b.busy())
		}
	})
}

func TestAnOpenedAndLeftChatLeavesNothing(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.press("?", "esc", "/help", "enter", "esc", "ctrl+d")
		for i := range b.store.List(t.Context(), trimtab.Query{}) {
			t.Errorf("there is a session %s", i.ID)
		}
	})
}

func TestAPauseWaitsForThePerson(t *testing.T) {
	on(t, setup{options: func(o *Options) {
		o.Agent = func(context.Context, string, Permit) (Chosen, error) { return Chosen{Runner: &pausing{}}, nil }
	}}, func(b *bench) {
		b.say("go")
		b.sees("Trimtab paused: look here", "Enter goes on")
		b.press("enter")
		b.rest()
		b.sees("went on without a prompt")
	})
}

// pausing is an agent that is paused once.
type pausing struct{ runs int }

func (p *pausing) Run(_ context.Context, _ string, prompt trimtab.Message) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if p.runs++; p.runs == 1 {
			yield(agent.Paused{By: "brake", Why: "look here"}, nil)
			return
		}
		text := "went on without a prompt"
		if len(prompt.Parts) > 0 {
			text = "was told " + prompt.Text()
		}
		yield(agent.Delta{Text: text}, nil)
		yield(agent.Stopped{Reason: agent.Ended}, nil)
	}
}

func TestPermissionIsAskedFor(t *testing.T) {
	const script = "reply\nsay I write\ncall write {}\nreply\nsay done\n"
	for _, tt := range []struct {
		name   string
		keys   []string
		answer string
	}{
		{"y is once", []string{"y"}, "written"},
		{"Enter is what the arrows are on", []string{"enter"}, "written"},
		{"a is always", []string{"a"}, "written"},
		{"n refuses", []string{"n"}, "declined"},
		{"the arrows reach refuse", []string{"right", "right", "enter"}, "declined"},
		{"r takes a reason", []string{"r", "use the pond", "enter"}, "instead: use the pond"},
		{"Esc leaves the reason", []string{"r", "use", "esc", "y"}, "written"},
		{"other keys are no answer", []string{"x", "shift+tab", "up", "down", "n"}, "declined"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			on(t, setup{script: script}, func(b *bench) {
				b.press("go", "enter")
				b.pass(2 * time.Second)
				b.sees("write asks: src/mill.go", "2 - var wind = 1", "2 + var wind = 2", "always allows: write: src/*")
				b.press(tt.keys...)
				b.rest()
				b.sees("done", tt.answer)
				b.misses("PLANNING", "asks:")
			})
		})
	}
}

// TestChat_A2_AQuestionHasAWayOut: three calls ask, and one key ends the run. Nothing is
// asked any more and the model hears that the person stopped it.
func TestChat_A2_AQuestionHasAWayOut(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		on(t, setup{script: "reply\nsay I write\ncall write {\"n\":1}\ncall write {\"n\":2}\ncall write {\"n\":3}\nreply\nsay done\n"}, func(b *bench) {
			b.press("go", "enter")
			b.pass(2 * time.Second)
			b.sees("write asks", "Esc stop the run")
			b.press(key)
			b.rest()
			b.misses("asks:", "done")
			b.sees("interrupted", "cancelled by the person")
			if len(b.asked) != 1 {
				t.Errorf("%s: the model was asked %d times", key, len(b.asked))
			}
			b.say("go on") // it is not left in a state in which it cannot
			if last := b.asked[len(b.asked)-1]; len(b.asked) != 2 || last.Messages[len(last.Messages)-1].Text() != "go on" {
				t.Errorf("%s: %d requests", key, len(b.asked))
			}
		})
	}
}

// TestChat_A2_TheModelHearsTheReason, and the run goes on with it.
func TestChat_A2_TheModelHearsTheReason(t *testing.T) {
	on(t, setup{script: "reply\ncall write {}\nreply\nsay done\n"}, func(b *bench) {
		b.press("go", "enter")
		b.pass(2 * time.Second)
		b.press("r")
		b.tell(tea.PasteMsg{Content: "use the pond"})
		b.press("enter")
		b.rest()
		last := b.asked[1].Messages[len(b.asked[1].Messages)-1]
		if res, ok := last.Parts[0].(trimtab.ToolResult); !ok || !res.Failed || !strings.HasSuffix(res.Text, "what to do instead: use the pond") {
			t.Errorf("the model reads %+v", last)
		}
	})
}

// TestChat_4_ARuleIsKeptWhereThePersonSays: the question offers a project and everywhere only
// where they can be kept.
func TestChat_4_ARuleIsKeptWhereThePersonSays(t *testing.T) {
	for key, want := range map[string]tool.Reply{
		"a": {Answer: tool.Always, Scope: tool.ForSession},
		"p": {Answer: tool.Always, Scope: tool.ForProject},
		"u": {Answer: tool.Always, Scope: tool.ForUser},
	} {
		on(t, setup{}, func(b *bench) {
			b.run = &run{}
			q := &question{ask: tool.Ask{Tool: "bash", Title: "go test", Rule: "bash: go test *"}, answer: make(chan tool.Reply, 1)}
			b.tell(q)
			b.misses("in this project", "everywhere")
			q.ask.Lasts = true
			b.sees("in this project", "everywhere")
			b.press(key)
			if got := <-q.answer; got != want {
				t.Errorf("%s: %+v", key, got)
			}
			b.run = nil
		})
	}
}

func TestWhatIsTypedAsAQuestionComesIsNoAnswer(t *testing.T) {
	on(t, setup{script: "reply\nsay I write\ncall write {}\nreply\nsay done\n", delay: slow}, func(b *bench) {
		b.press("go", "enter")
		for range 20 {
			b.press("y")
			b.pass(50 * time.Millisecond)
		}
		b.sees("write asks")
		b.pass(1100 * time.Millisecond)
		b.press("n")
		b.rest()
		b.sees("declined")
	})
}

func TestAQuestionRightAfterThePromptIsAnsweredAtOnce(t *testing.T) {
	on(t, setup{script: "reply\nsay I write\ncall write {}\nreply\nsay done\n"}, func(b *bench) {
		b.press("go", "enter")
		b.pass(100 * time.Millisecond)
		b.sees("write asks")
		b.press("y")
		b.rest()
		b.sees("written")
	})
}

func TestAQuestionGoesAwayWithItsRun(t *testing.T) {
	on(t, setup{script: "reply\nsay I write\ncall write {}\nreply\nsay done\n"}, func(b *bench) {
		b.press("go", "enter")
		b.pass(2 * time.Second)
		b.sees("write asks")
		b.chat.interrupt()
		b.misses("asks:")
		b.rest()
		b.sees("interrupted")
	})
}

func TestALongQuestionCanBeReadToItsEnd(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		long := strings.Repeat("echo something harmless && ", 60) + "rm -rf /"
		b.run = &run{}
		q := &question{ask: tool.Ask{Tool: "bash", Title: long, Detail: long}, answer: make(chan tool.Reply, 1)}
		b.tell(q)
		b.misses("rm -rf", "always")
		b.sees("below")
		b.press("pgdown", "pgdown", "pgdown")
		b.sees("rm -rf /")
		b.press("a") // not offered
		if len(b.asks) != 1 {
			t.Error("always was taken where it is not offered")
		}
		b.press("n")
		b.run = nil
	})
}

// A message for each token costs too much: whatever comes within a frame comes as
// one.
func TestEventsAreGatheredToThirtyFramesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, r := newFeed(), &run{}
		go func() {
			for i := range 2000 {
				f.put(agent.Delta{Text: fmt.Sprintf("%d ", i)})
				time.Sleep(time.Millisecond)
			}
			f.close(nil)
		}()
		looks, text := 0, ""
		for {
			b := f.look(t.Context(), r).(batch)
			looks++
			for _, ev := range b.events {
				text += ev.(agent.Delta).Text
			}
			if len(b.events) > 1 {
				t.Errorf("%d pieces of one text", len(b.events))
			}
			if b.end {
				break
			}
		}
		if looks > 2*30+2 {
			t.Errorf("%d looks in two seconds, at most 30 a second", looks)
		}
		if !strings.HasPrefix(text, "0 1 2 ") || !strings.HasSuffix(text, "1998 1999 ") {
			t.Error("something is missing")
		}
	})
}

func TestNothingMovesWhileNothingHappens(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.say("hello")
		b.pass(time.Second)
		moved := 0
		for range 100 {
			time.Sleep(time.Second)
			synctest.Wait()
			select {
			case <-b.inbox:
				moved++
			default:
			}
		}
		if moved > 0 {
			t.Errorf("%d messages in a hundred seconds in which nothing happened", moved)
		}
	})
}

func TestHarmlessText(t *testing.T) {
	const evil = "\x1b]52;c;ZXZpbA==\a\x1b]0;title\a\x1b[2J\u202egnp.exe"
	on(t, setup{options: func(o *Options) {
		o.Folder = "/home/ann/" + evil
		o.Branch = func(context.Context) string { return evil }
		o.Models = func(context.Context) ([]Item, error) { return []Item{{Name: evil, Text: evil}}, nil }
		o.Files = func(context.Context) ([]string, error) { return []string{evil, "x"}, nil }
		o.Explain = func(error) string { return evil }
	}}, func(b *bench) {
		check := func(what string) {
			t.Helper()
			v := b.View()
			if strings.ContainsAny(v.Content+v.WindowTitle, "\x1b\a\u202e") {
				t.Errorf("%s: %q", what, v.Content)
			}
		}
		check("start")
		b.tell(tea.PasteMsg{Content: evil})
		check("paste")
		b.press("ctrl+c", "see @")
		check("files")
		b.press("ctrl+c", "/model", "enter")
		check("models")
		b.press("esc")
		b.tell(told{err: errors.New("x")})
		check("fault")
		b.chat.complain(evil)
		check("toast")
		b.chat.queue = []string{evil}
		check("queue")
		b.run = &run{}
		b.tell(&question{ask: tool.Ask{Tool: evil, Title: evil, Detail: "@@ " + evil, Rule: evil}, answer: make(chan tool.Reply, 1)})
		check("question")
		b.chat.queue, b.run = nil, nil
		b.asks = nil
	})
}

// Of several calls the one that runs is named with its own time: not the first, and not none
// once the first has returned.
func TestTheCallThatRunsIsNamed(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.run = &run{calls: map[string]page.ID{}, live: map[string]string{}, began: b.opt.Clock()}
		first := trimtab.ToolCall{ID: "x", Name: "write", Input: json.RawMessage(`{"path":"a"}`)}
		second := trimtab.ToolCall{ID: "y", Name: "bash", Input: json.RawMessage(`{"command":"make","timeout":300,"background":true}`)}
		b.draw(b.run, agent.Called{Call: first})
		b.draw(b.run, agent.Called{Call: second})
		b.pass(time.Minute)
		b.draw(b.run, agent.Returned{Call: first})
		b.run.now = b.opt.Clock().Add(30 * time.Second)
		b.sees("(bash 30s, no output yet)", "bash make background")
		b.misses("timeout", "=true")
		b.draw(b.run, agent.Returned{Call: second})
		b.misses("(bash")
		b.run = nil
	})
}

// A mode that is changed in mid-run says when it counts.
func TestM11_AModeInMidRunSaysWhenItCounts(t *testing.T) {
	on(t, setup{script: "reply\nsay a slow reply of several words\n", delay: slow}, func(b *bench) {
		b.press("first", "enter")
		b.pass(3 * slow)
		b.press("shift+tab")
		b.pass(slow / 2)
		b.sees("Mode: PLANNING, from your next prompt on")
		b.pass(time.Minute)
		b.rest()
	})
}

// A command that fits in a line is asked for in one; a longer one stands whole below.
func TestAQuestionSaysItsCommandOnce(t *testing.T) {
	for _, command := range []string{"go test ./...", "go test ./... && echo " + strings.Repeat("word ", 30), "echo a\necho b"} {
		on(t, setup{}, func(b *bench) {
			b.run = &run{cancel: func() {}}
			line, _, more := strings.Cut(command, "\n")
			title := line
			if more {
				title += " …"
			}
			b.take(&question{ask: tool.Ask{Tool: "bash", Title: title, Detail: command}, answer: make(chan tool.Reply, 1)})
			screen := b.screen()
			if n := strings.Count(screen, line[:6]); n != 1 {
				t.Errorf("%q is there %d times:\n%s", line[:6], n, screen)
			}
			b.sees("bash asks:", strings.TrimSpace(command[len(command)-5:]))
			b.run, b.asks = nil, nil
		})
	}
}

// Who has freed some space does not wait for the next try.
func TestM7_EnterTriesAtOnce(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.service.breaks(errors.New("disk full"))
		b.press("shift+tab")
		b.pass(5 * time.Second) // the next try is seconds away
		b.sees("disk full", "Enter tries now")
		b.service.breaks(nil)
		b.press("enter")
		b.misses("disk full")
		b.sees("· PLANNING")
		b.pass(time.Minute)
		b.misses("RESEARCH") // it was not done twice
	})
}
