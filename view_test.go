package trimtab_test

import (
	"slices"
	"testing"

	"github.com/trimtab/trimtab"
)

// noted plays two rounds with a standing note each before the prompt and at the
// end, and returns the session and the history as a program holds it that gives
// its messages no ids.
func noted(t *testing.T) (trimtab.Session, []trimtab.Message) {
	t.Helper()
	before := at[trimtab.Calling]("before", trimtab.Inject{Slot: "a", Text: "before", Place: trimtab.BeforePrompt, Life: trimtab.Kept, Why: "w"})
	end := at[trimtab.Calling]("end", trimtab.Inject{Slot: "b", Text: "end", Life: trimtab.Kept, Why: "w"})
	e := engineOf(t, trimtab.Config{}, before, end)
	history := []trimtab.Message{
		trimtab.Prompt("one"), trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "1"),
		trimtab.Prompt("two"), trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "2"),
	}
	s := trimtab.NewSession("s", start)
	for _, m := range history {
		if m.Role == trimtab.RoleUser {
			s, _ = e.Step(s, trimtab.Said{Message: m}, start)
			s, _ = e.Step(s, trimtab.Calling{}, start)
			continue
		}
		s, _ = e.Step(s, trimtab.Said{Message: m}, start)
	}
	return s, history
}

func texts(view []trimtab.Message) (all []string) {
	for _, m := range view {
		all = append(all, m.Text())
	}
	return all
}

func TestViewPlacesNotesInAHistoryWithoutIDs(t *testing.T) {
	s, history := noted(t)
	want := []string{"before", "one", "end", "1", "before", "two", "end", "2"}
	if got := texts(s.View(history)); !slices.Equal(got, want) {
		t.Errorf("the model sees %q, not %q", got, want)
	}
	if got := texts(s.Record(history)); !slices.Equal(got, want) {
		t.Errorf("the record is %q, not %q", got, want)
	}
	if left := s.Unplaced(history); len(left) > 0 {
		t.Errorf("%d notes are said to have no place", len(left))
	}
	if history[0].ID != "" {
		t.Error("the caller's history was changed")
	}
}

func TestViewSaysWhichNotesItCouldNotPlace(t *testing.T) {
	s, history := noted(t)
	for name, c := range map[string]struct {
		history []trimtab.Message
		left    int
	}{
		"a part of the history, without ids":    {history[2:], 4},
		"no history":                            {nil, 4},
		"other ids":                             {named("x", history), 4},
		"in another order, without ids":         {[]trimtab.Message{history[1], history[0], history[3], history[2]}, 4},
		"a part of the history, with their ids": {named("m", history)[:2], 2},
	} {
		t.Run(name, func(t *testing.T) {
			view, left := s.View(c.history), s.Unplaced(c.history)
			if len(left) != c.left {
				t.Errorf("%d notes are said to have no place, not %d", len(left), c.left)
			}
			if shown := 4 - len(left); len(view) != len(c.history)+shown {
				t.Errorf("%d messages and %d notes are %d messages; %d notes got lost without a word", len(c.history), shown, len(view), len(c.history)+shown-len(view))
			}
		})
	}
}

// named gives messages ids of this kind, by their place.
func named(kind string, history []trimtab.Message) []trimtab.Message {
	history = slices.Clone(history)
	for i := range history {
		history[i].ID = kind + trimtab.MessageID(i + 1)[1:]
	}
	return history
}
