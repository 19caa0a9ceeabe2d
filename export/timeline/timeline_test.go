package timeline_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/timeline"
)

var start = time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC)

func call(id, name, input string) trimtab.Message {
	return trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}}}
}

func result(id, text string, failed bool) trimtab.Message {
	return trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: text, Failed: failed}}}
}

// told makes a session in which these messages were said, each with its entry.
type told struct {
	messages []trimtab.Message
	journal  []trimtab.Entry
}

func (s *told) say(m trimtab.Message) {
	m.ID = fmt.Sprintf("m%d", len(s.messages)+1)
	s.messages = append(s.messages, m)
	s.journal = append(s.journal, trimtab.Entry{At: start, Event: trimtab.Said{Message: trimtab.Message{ID: m.ID}}})
}

func (s *told) changed(c ...trimtab.Change) {
	s.journal = append(s.journal, trimtab.Entry{At: start, Event: trimtab.Calling{}, Changes: c})
}

func (s *told) acted(e trimtab.Event, a ...trimtab.Taken) {
	s.journal = append(s.journal, trimtab.Entry{At: start, Event: e, Actions: a})
}

// outline is a timeline in short.
func outline(t timeline.Timeline) (all []string) {
	for _, turn := range t.Turns {
		for _, i := range turn.Items {
			line := fmt.Sprintf("%d %s", turn.Number, i.Kind)
			switch {
			case i.Note != nil:
				line += fmt.Sprintf(" %s %s→ %s", i.Note.By, i.Note.Heeded, i.Note.Next)
			case i.Tool != "":
				line += fmt.Sprintf(" %s done=%v failed=%v", i.Tool, i.Done, i.Failed)
			default:
				line += " " + i.Text
			}
			all = append(all, line)
		}
	}
	return all
}

func TestV9_EveryMessageOfOursStandsAtItsPlace(t *testing.T) {
	var s told
	s.say(trimtab.Prompt("first"))
	s.changed(trimtab.Change{Kind: trimtab.Injected, By: "mode", Slot: "entry", Note: 1, Text: "plan", Tokens: 5, Seat: trimtab.Seat{Ref: trimtab.Ref{ID: "m1"}}})
	s.say(call("a", "Bash", `{"command":"go test"}`))
	s.say(result("a", "FAIL", true))
	s.changed(trimtab.Change{Kind: trimtab.Injected, By: "guard", Slot: "loop", Note: 2, Asks: true, Tokens: 7, Lost: 3, Seat: trimtab.Seat{Ref: trimtab.Ref{ID: "m3"}, After: true}})
	s.say(call("b", "Bash", `{"command":"go test"}`))
	s.say(result("b", "FAIL", true))
	s.changed(trimtab.Change{Kind: trimtab.Injected, By: "guard", Slot: "loop", Note: 3, Asks: true, Seat: trimtab.Seat{Ref: trimtab.Ref{ID: "m5"}, After: true}},
		trimtab.Change{Kind: trimtab.Copied, By: "mode", Slot: "entry", Note: 1}, trimtab.Change{Kind: trimtab.Withheld, By: "todo", Slot: "reminder", Why: "enough"})
	s.say(call("c", "Edit", `{"file_path":"a.go"}`))
	s.changed(trimtab.Change{Kind: trimtab.Heeded, By: "guard", Slot: "loop", Why: "the work went on"})
	s.say(trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "Done."))
	s.acted(trimtab.Stopping{}, trimtab.Taken{By: "stop", Action: trimtab.Continue{Text: "run it", Why: "unproved"}})
	s.say(trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "I would rather not."))
	s.acted(trimtab.Using{Call: trimtab.ToolCall{Name: "Write"}}, trimtab.Taken{By: "mode", Action: trimtab.Deny{Why: "planning"}}, trimtab.Taken{By: "guard", Action: trimtab.Pause{Why: "circles"}})
	s.acted(trimtab.Asked{Command: "mode", Args: []string{"normal"}})
	s.say(trimtab.Prompt("second"))

	got := timeline.New(trimtab.Session{}, s.messages, s.journal)
	want := []string{
		"1 note mode → Bash", // it is for the prompt, so it stands before it
		"1 prompt first",
		"1 call Bash done=true failed=true",
		"1 note guard no→ Bash",
		"1 call Bash done=true failed=true",
		"1 note guard yes→ Edit",
		"1 held todo → ",
		"1 call Edit done=false failed=false",
		"1 reply Done.",
		"1 note stop no→ I would rather not.",
		"1 reply I would rather not.",
		"1 denied Write done=false failed=false",
		"1 paused guard → ",
		"1 command /mode normal",
		"2 prompt second",
	}
	if diff := cmp.Diff(want, outline(got)); diff != "" {
		t.Error(diff)
	}
	if want := (timeline.Totals{Notes: 4, Heeded: 1, Unheeded: 2, Tokens: 12, Lost: 3, Steps: 5, Calls: 3, Failed: 2}); got.Totals != want {
		t.Errorf("%+v; want %+v", got.Totals, want)
	}
}

// An import has messages and no journal, and a journal that was cut short says nothing of
// a note that still stands.
func TestV9_WithoutAJournal(t *testing.T) {
	messages := []trimtab.Message{trimtab.Prompt("first"), call("a", "Bash", `{}`), result("a", "ok", false), result("gone", "late", false)}
	for i := range messages {
		messages[i].ID = fmt.Sprintf("m%d", i+1)
	}
	s := trimtab.Session{Notes: []trimtab.Note{
		{ID: 1, By: "mode", Life: trimtab.Kept, Text: "plan", Seat: trimtab.Seat{Ref: trimtab.Ref{ID: "m1"}}},
		{ID: 2, By: "mode", Life: trimtab.OneTurn, Text: "secret", Seat: trimtab.Seat{Ref: trimtab.Ref{ID: "m1"}}},
	}}
	want := []string{"1 note mode → Bash", "1 prompt first", "1 call Bash done=true failed=false", "1 call "}
	if diff := cmp.Diff(want, outline(timeline.New(s, messages, nil))); diff != "" {
		t.Error(diff)
	}
	if got := timeline.New(trimtab.Session{}, nil, nil); len(got.Turns) != 0 {
		t.Errorf("%+v", got)
	}
}

// A journal may name messages that are not there, in any order; nothing is told twice.
func TestAJournalThatDoesNotFit(t *testing.T) {
	var s told
	for range 3 {
		s.say(trimtab.Prompt("again"))
	}
	s.journal = append([]trimtab.Entry{{Event: trimtab.Said{Message: trimtab.Message{ID: "elsewhere"}}}, s.journal[2]}, s.journal...)
	if got := timeline.New(trimtab.Session{}, s.messages, s.journal); len(got.Turns) != 3 {
		t.Errorf("%d turns; want 3", len(got.Turns))
	}
}
