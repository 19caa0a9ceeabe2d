package frame

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

func seenBy(h *host) (out []string) {
	for _, m := range h.s.View(h.history) {
		out = append(out, m.Text())
	}
	return out
}

// TestChat_A5_FinishedTurnsBecomeAFrame, whatever that costs, and come back.
func TestChat_A5_FinishedTurnsBecomeAFrame(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{})
	h.prompt("build a mill").tool("read", `{"path":"a.go"}`, "package a", false).reply("built")
	h.prompt("paint it").reply("painted")
	h.prompt("and now?")
	h.step(trimtab.Asked{Command: "frame", Args: []string{"turns", `{"first":1,"last":4,"goal":"build a mill","summary":"It stands.","bytes":40}`}})
	if got := seenBy(h); len(got) != 4 || !strings.HasPrefix(got[0], "[Frame f2 completed: build a mill]\nIt stands.") || got[1] != "paint it" {
		t.Fatalf("the model sees %q", got)
	}
	h.step(trimtab.Asked{Command: "frame", Args: []string{"turns", "m5", "m6", "paint", "it"}}) // words will do
	if got := seenBy(h); len(got) != 3 || got[2] != "and now?" {
		t.Fatalf("the model sees %q", got)
	}
	h.step(trimtab.Asked{Command: "frame", Args: []string{"unfold", "f2"}})
	if got := seenBy(h); len(got) != 6 || got[0] != "build a mill" {
		t.Fatalf("unfolded, the model sees %q", got)
	}
	h.step(trimtab.Asked{Command: "frame", Args: []string{"undo"}}).step(trimtab.Asked{Command: "frame", Args: []string{"undo"}}).step(trimtab.Asked{Command: "frame", Args: []string{"undo"}})
	if got := seenBy(h); len(got) != 7 {
		t.Fatalf("undone, the model sees %q", got)
	}
}

// TestChat_2_TurnsAreTakenBack: the newest prompt too, and what was folded inside.
func TestChat_2_TurnsAreTakenBack(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{})
	h.prompt("build a mill").reply("built")
	h.prompt("paint it").reply("painted")
	h.prompt("paint it red").reply("red")
	h.step(trimtab.Asked{Command: "frame", Args: []string{"turns", "3", "4", "paint it"}})
	h.step(trimtab.Asked{Command: "frame", Args: []string{"turns", `{"first":3,"last":6,"goal":"paint it","reason":"rewound","summary":"The files are as before."}`}})
	if got := seenBy(h); len(got) != 3 || !strings.HasPrefix(got[2], "[Frame f3 invalidated: paint it]\nReason: rewound\nThe files are as before.") {
		t.Fatalf("the model sees %q", got)
	}
	h.prompt("build a pond").reply("a pond")
	if got := seenBy(h); len(got) != 5 || got[4] != "a pond" {
		t.Fatalf("the model sees %q", got)
	}
	for _, args := range [][]string{{"0", "2", "x"}, {"3", "99", "x"}, {"4", "7", "x"}, {"x", "y", "z"}, {"1"}, {`{"first":1,"last":2}`}} {
		h.step(trimtab.Asked{Command: "frame", Args: append([]string{"turns"}, args...)})
		if reply, err := h.out.Reply(); err != nil || !reply.Failed {
			t.Errorf("%q was taken: %+v, %v", args, reply, err)
		}
	}
}
