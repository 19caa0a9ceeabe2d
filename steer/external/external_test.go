package external_test

import (
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/external"
)

// TestAProgramsNoteIsNotAskedFor: no program takes its notes out of the budget by
// saying that a person asked for them.
func TestAProgramsNoteIsNotAskedFor(t *testing.T) {
	program, err := external.New("mine", external.Program{Command: "x", Events: []string{"said"}})
	if err != nil {
		t.Fatal(err)
	}
	advice := trimtab.Advised{By: "mine", Actions: []trimtab.Taken{{By: "mine", Action: trimtab.Inject{Slot: "a", Text: "b", Requested: true}}}}
	_, acts := program.Steer(trimtab.Turn{Event: advice}, struct{}{})
	if in, ok := acts[0].(trimtab.Inject); !ok || in.Requested || in.Text != "b" {
		t.Errorf("%+v", acts)
	}
}
