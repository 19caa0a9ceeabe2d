package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
)

// TestChat_B17_ASessionOfAnotherChatIsOnlyRead: it is told, nothing is sent or changed, and
// what was written stays.
func TestChat_B17_ASessionOfAnotherChatIsOnlyRead(t *testing.T) {
	held := map[string]bool{}
	on(t, setup{options: func(o *Options) {
		o.Claim = func(id string) (func(), bool) {
			if id == "theirs" {
				return func() {}, false
			}
			held[id] = true
			return func() { delete(held, id) }, true
		}
	}}, func(b *bench) {
		if _, err := b.service.Begin(t.Context(), trimtab.Info{ID: "theirs", Host: "trimtab"}); err != nil {
			t.Fatal(err)
		}
		b.say("mine")
		if !held["s1"] {
			t.Error("a session of one's own is not claimed")
		}
		b.press("/resume theirs", "enter")
		b.sees("open in another chat")
		if len(held) > 0 {
			t.Errorf("%v is still held", held)
		}
		b.press("hello", "enter", "shift+tab")
		b.sees("open in another chat; /new begins another", "> hello")
		b.misses("PLANNING")
		if len(b.asked) != 1 {
			t.Errorf("the model was asked %d times", len(b.asked))
		}
		b.press("ctrl+u", "/new", "enter")
		b.say("another")
		if len(b.asked) != 2 || !held["s2"] {
			t.Errorf("%d requests, held %v", len(b.asked), held)
		}
	})
}

// TestChat_2_AResumedChatSaysWhatNoLongerRuns: but not where another chat has the session,
// in which it runs still.
func TestChat_2_AResumedChatSaysWhatNoLongerRuns(t *testing.T) {
	on(t, setup{options: func(o *Options) {
		o.Claim = func(id string) (func(), bool) { return func() {}, id != "theirs" }
		o.LostJobs = func(id string) string { return "what ran in " + id + " is gone" }
	}}, func(b *bench) {
		for _, id := range []string{"old", "theirs"} {
			if _, err := b.service.Begin(t.Context(), trimtab.Info{ID: id, Host: "trimtab"}); err != nil {
				t.Fatal(err)
			}
		}
		b.say("mine")
		b.misses("is gone")
		b.press("/resume old", "enter")
		b.sees("what ran in old is gone")
		b.press("/resume theirs", "enter")
		b.sees("open in another chat")
		b.misses("what ran in theirs")
	})
}

// TestChat_B11_CtrlCInterruptsAReply, and twice it leaves.
func TestChat_B11_CtrlCInterruptsAReply(t *testing.T) {
	on(t, setup{script: "reply\nsay a slow reply of several words\n", delay: slow}, func(b *bench) {
		b.press("first", "enter")
		b.pass(3 * slow)
		b.press("ctrl+c")
		b.rest()
		b.sees("a slow", "interrupted")
		b.misses("several words")
		if b.gone {
			t.Error("it left")
		}
		b.press("ctrl+c")
		if !b.gone {
			t.Error("it did not leave")
		}
	})
}

// TestChat_B16_AModeOfAnotherTerminalIsSeenBeforeThePrompt goes out in it.
func TestChat_B16_AModeOfAnotherTerminalIsSeenBeforeThePrompt(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.say("hello")
		if _, _, err := b.service.Handle(t.Context(), "s1", trimtab.Asked{Command: "mode", Args: []string{"planning"}}); err != nil {
			t.Fatal(err)
		}
		b.misses("PLANNING")
		b.pass(2 * time.Second)
		b.press("n")
		b.sees("PLANNING")
	})
}

// TestChat_C_TheBellRingsForAPersonWhoLooksElsewhere, and for nobody else.
func TestChat_C_TheBellRingsForAPersonWhoLooksElsewhere(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		if b.ring(time.Second) != nil || b.ring(time.Minute) == nil {
			t.Error("a short run rings, or a long one does not")
		}
		b.tell(tea.BlurMsg{})
		if b.ring(0) == nil {
			t.Error("no bell for a person in another window")
		}
		b.tell(tea.FocusMsg{})
		if b.ring(0) != nil {
			t.Error("a bell for a person who is there")
		}
	})
}

// TestChat_3_TheMeterAfterAFold: what a resumed session takes is what its last request took,
// and the reply since, although the history has many more bytes.
func TestChat_3_TheMeterAfterAFold(t *testing.T) {
	history := []trimtab.Message{trimtab.Prompt(strings.Repeat("a", 80_000)), {Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: strings.Repeat("b", 4000), By: trimtab.Model}}}}
	o := opened{messages: history, session: trimtab.Session{Seq: 2, Meter: trimtab.Meter{Context: 9000, ContextBytes: 80_000, SentSeq: 1}}}
	if got := inView(o, false); got < 9900 || got > 10_100 {
		t.Errorf("%d tokens, want about 10,000", got)
	}
	if got := inView(o, true); got < 20_000 {
		t.Errorf("%d tokens, and nothing is folded", got)
	}
}
