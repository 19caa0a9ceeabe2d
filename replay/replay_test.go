package replay_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/todo"
)

var start = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// recording is a session of so many rounds of one tool, every message 400 bytes.
func recording(rounds int, more ...trimtab.Event) iter.Seq2[trimtab.Event, error] {
	text := strings.Repeat("x", 400)
	events := []trimtab.Event{trimtab.Said{Message: trimtab.Prompt(text)}}
	for i := range rounds {
		id := fmt.Sprintf("c%d", i)
		input, _ := json.Marshal(text[:len(text)-6])
		events = append(events,
			trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, At: start.Add(time.Duration(i) * time.Minute), Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: "bash", Input: input}}}},
			trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: text}}}})
	}
	events = append(events, more...)
	return func(yield func(trimtab.Event, error) bool) {
		for _, ev := range events {
			if !yield(ev, nil) {
				return
			}
		}
	}
}

func run(t *testing.T, cfg steer.Config, rec iter.Seq2[trimtab.Event, error]) replay.Report {
	t.Helper()
	cfg.Todo.Timing, cfg.Guard.Enabled = "fixed", new(false) // the recording repeats itself
	engine, err := steer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.Run(engine, trimtab.Info{ID: "s", Created: start}, rec, replay.Prices{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestListsEveryNoteWithItsPrice(t *testing.T) {
	r := run(t, steer.Config{}, recording(13))
	if r.Steps != 13 || r.Requests != 13 || r.Messages != 27 || len(r.Notes) != 2 {
		t.Fatalf("%d steps, %d requests, %d messages, %d notes", r.Steps, r.Requests, r.Messages, len(r.Notes))
	}
	first, second := r.Notes[0], r.Notes[1]
	if first.Step != 8 || first.Ended != 12 || second.Step != 12 || second.Ended != 0 {
		t.Errorf("notes at %d–%d and %d–%d", first.Step, first.Ended, second.Step, second.Ended)
	}
	// The first rode at the end of the requests of steps 8 to 11, paid as plain input each time, and left at
	// no price.
	if first.Sent != 4 || first.Rode != 4 || first.Lost != 0 {
		t.Errorf("the first was part of %d requests, rode on %d and cost %d of cached prefix; want 4, 4 and 0", first.Sent, first.Rode, first.Lost)
	}
	want := 4 * float64(first.Tokens)
	if math.Abs(first.Cost-want) > 0.01 {
		t.Errorf("cost %.2f, want %.2f", first.Cost, want)
	}
	if r.Added != first.Tokens+second.Tokens || r.Lost != 0 || math.Abs(r.Cost-first.Cost-second.Cost) > 0.01 {
		t.Errorf("totals %+v", r.Totals)
	}
	// Without notes, the n-th request reads what the one before held and writes two messages.
	plain := 1.25 * 100
	for n := 1; n < 13; n++ {
		plain += 0.1*float64(100+(n-1)*200) + 1.25*200
	}
	if math.Abs(r.Plain-plain) > 20 {
		t.Errorf("the session alone costs %.1f, want %.1f", r.Plain, plain)
	}
}

// An appended note is written once and then read with every request, also when its
// life is over.
func TestAnAppendedNoteIsPaidForToTheEnd(t *testing.T) {
	r := run(t, steer.Config{Steering: trimtab.Config{Travel: "append"}}, recording(13))
	if len(r.Notes) != 2 {
		t.Fatalf("%d notes", len(r.Notes))
	}
	first := r.Notes[0]
	if first.Step != 8 || first.Ended != 12 || first.Sent != 5 || first.Rode != 0 || first.Lost != 0 {
		t.Errorf("%+v", first)
	}
	if want := (1.25 + 0.1*4) * float64(first.Tokens); math.Abs(first.Cost-want) > 0.01 {
		t.Errorf("cost %.2f, want %.2f", first.Cost, want)
	}
}

// Neither way gives up cached prefix. Which one is cheaper depends on how long a note
// is heeded for and how long the session lasts: unheeded, it rides on each request in
// full; answered at once, it costs one ride, and an appended one is read to the end.
func TestWhatATravelCosts(t *testing.T) {
	appended := steer.Config{Steering: trimtab.Config{Travel: "append"}}
	tail, stays := run(t, steer.Config{}, recording(30)), run(t, appended, recording(30))
	if tail.Lost != 0 || stays.Lost != 0 || stays.Cost >= tail.Cost {
		t.Errorf("unheeded: append gives up %d and costs %.0f, tail %d and %.0f", stays.Lost, stays.Cost, tail.Lost, tail.Cost)
	}
	answered := func() iter.Seq2[trimtab.Event, error] {
		done := json.RawMessage(`{"todos":[{"content":"a","status":"completed"}]}`)
		more := []trimtab.Event{
			trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "t", Name: "TodoWrite", Input: done}}}},
			trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "t", Text: "ok"}}}},
		}
		for range 20 {
			more = append(more, trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "on we go")})
		}
		return recording(8, more...)
	}
	tail, stays = run(t, steer.Config{}, answered()), run(t, appended, answered())
	if len(tail.Notes) == 0 || tail.Notes[0].Sent != 1 || tail.Notes[0].Cost >= stays.Notes[0].Cost || tail.Lost != 0 || stays.Lost != 0 {
		t.Errorf("answered at once: tail %+v, append %+v", tail.Notes, stays.Notes)
	}
}

func TestCompare(t *testing.T) {
	a := run(t, steer.Config{}, recording(13))
	b := run(t, steer.Config{Todo: todo.Config{InitialTurns: 12, RepeatTurns: 50}}, recording(13))
	d := replay.Compare(a, b)
	if d.Both != 1 || len(d.Only) != 1 || len(d.Other) != 0 || d.Only[0].Step != 8 || d.Lost != 0 || d.Cost >= 0 {
		t.Errorf("difference %+v", d)
	}
	if same := replay.Compare(a, a); same.Both != 2 || len(same.Only)+len(same.Other) != 0 || same.Cost != 0 {
		t.Errorf("a report differs from itself: %+v", same)
	}
}

func TestCompactionIsSurvived(t *testing.T) {
	summary := trimtab.Say(trimtab.RoleUser, trimtab.Host, "summary")
	r := run(t, steer.Config{}, recording(9, trimtab.Said{Message: summary}, trimtab.Rewritten{All: true, Size: summary.Size()},
		trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "on we go")}))
	if len(r.Faults) > 0 || r.Steps != 10 || len(r.Notes) != 1 || r.Notes[0].Ended != 0 {
		t.Errorf("%+v", r)
	}
}
