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

// TestJ5_AModeSaysWhoSpeaksAndUntilWhen, behind the words of its prompts, which stay as
// they are. What is empty is not said (M10).
func TestJ5_AModeSaysWhoSpeaksAndUntilWhen(t *testing.T) {
	modes, err := mode.New(mode.Config{}, mode.Definition{ID: "mute", Name: "MUTE", Entry: "Be brief."})
	if err != nil {
		t.Fatal(err)
	}
	m := mode.Memory{}
	prompt := func() map[string]string {
		t.Helper()
		var acts []trimtab.Action
		m, acts = modes.Steer(trimtab.Turn{Event: trimtab.Said{Message: trimtab.Prompt("go")}}, m)
		said := map[string]string{}
		for _, a := range acts {
			if in, ok := a.(trimtab.Inject); ok {
				said[in.Slot] = in.Text
			}
		}
		return said
	}
	enter := func(id string) map[string]string {
		t.Helper()
		m, _ = modes.Steer(trimtab.Turn{Event: trimtab.Asked{Command: "mode", Args: []string{id}, By: trimtab.Person}}, m)
		return prompt()
	}
	for _, def := range mode.BuiltIn()[1:] {
		for text, want := range map[string][2]string{
			enter(def.ID)["entry"]:  {def.Entry, "it holds until the mode is over"},
			prompt()["reminder"]:    {def.Reminder, "it holds for this turn"},
			enter("normal")["over"]: {def.Name + " MODE is over; its instructions no longer apply.", "the person left the mode"},
		} {
			if !strings.HasPrefix(text, want[0]) || !strings.Contains(text, "(Trimtab says this") || !strings.Contains(text, want[1]) || strings.Contains(text, "not the person") {
				t.Errorf("%s says\n%s", def.ID, text)
			}
		}
	}
	if said := enter("mute"); !strings.HasPrefix(said["entry"], "Be brief.\n(Trimtab") {
		t.Errorf("%q", said)
	}
	if said := prompt(); said["reminder"] != "" {
		t.Errorf("nothing is to be said, and it says %q", said)
	}
}

// TestH2_AnEntryOfAnOlderSessionIsPutBack: it stood there without who speaks.
func TestH2_AnEntryOfAnOlderSessionIsPutBack(t *testing.T) {
	modes, err := mode.New(mode.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m := mode.Memory{Mode: "planning", Told: "planning", Shown: "planning"}
	old := trimtab.Note{By: "mode", Slot: "entry", Text: mode.BuiltIn()[1].Entry, Life: trimtab.Kept}
	_, acts := modes.Steer(trimtab.Turn{Event: trimtab.Rewritten{}, Gone: []trimtab.Note{old}}, m)
	if len(acts) != 1 || !strings.HasPrefix(acts[0].(trimtab.Inject).Text, old.Text) {
		t.Errorf("%+v", acts)
	}
}
