package mode_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/mode"
)

// A rewind may take away the word that a mode is over and leave the mode's entry: then
// it is said again. Where the entry is gone too, nothing is.
func TestH2_TheEndOfAModeIsPutBackWhereItsEntryStands(t *testing.T) {
	modes, err := mode.New(mode.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var notes []trimtab.Note
	m := mode.Memory{}
	say := func(words ...string) {
		t.Helper()
		m, _ = modes.Steer(trimtab.Turn{Event: trimtab.Asked{Command: "mode", Args: words, By: trimtab.Person}}, m)
		var acts []trimtab.Action
		m, acts = modes.Steer(trimtab.Turn{Event: trimtab.Said{Message: trimtab.Prompt("go")}}, m)
		for _, a := range acts {
			if in, ok := a.(trimtab.Inject); ok && in.Text != "" {
				notes = append(notes, trimtab.Note{By: "mode", Slot: in.Slot, Text: in.Text, Life: in.Life})
			}
		}
	}
	say("planning")
	say("normal")
	if len(notes) != 2 || !strings.HasPrefix(notes[1].Text, "PLANNING MODE is over") || notes[1].Life != trimtab.Kept {
		t.Fatalf("notes %+v", notes)
	}
	for _, c := range []struct {
		gone []trimtab.Note
		want int
	}{{notes[1:], 1}, {notes, 0}, {nil, 0}} {
		_, acts := modes.Steer(trimtab.Turn{Event: trimtab.Rewritten{}, Gone: c.gone}, m)
		if len(acts) != c.want || c.want == 1 && acts[0].(trimtab.Inject).Text != notes[1].Text {
			t.Errorf("%d notes gone: %+v", len(c.gone), acts)
		}
	}
	// A mode that was left, with its entry gone before the next prompt, needs no end.
	say("planning")
	m, _ = modes.Steer(trimtab.Turn{Event: trimtab.Asked{Command: "mode", Args: []string{"normal"}, By: trimtab.Person}}, m)
	m, _ = modes.Steer(trimtab.Turn{Event: trimtab.Rewritten{}, Gone: notes}, m)
	notes = nil
	say("normal")
	if len(notes) != 0 {
		t.Errorf("it ends a mode that stands nowhere: %+v", notes)
	}
}
