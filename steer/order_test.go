package steer_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/automata"
	"github.com/trimtab/trimtab/steer/todo"
)

// TestSeed000_17_TheReminderStandsBeforeTheReflection holds the order in whatever the
// model reads, however notes travel, whenever each falls due and the list is written.
// What is open stands in front of every live reflection: in a reminder or in its own
// note.
func TestSeed000_17_TheReminderStandsBeforeTheReflection(t *testing.T) {
	travels := []trimtab.Travel{trimtab.Tail, trimtab.Append, trimtab.Clearing}
	reflections := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 17))
		cfg := steer.Config{
			Steering: trimtab.Config{MuteAfter: 1000},
			Todo:     todo.Config{InitialTurns: 1 + r.IntN(10), RepeatTurns: 1 + r.IntN(6)},
			Automata: automata.Config{InitialTurns: 1 + r.IntN(10)},
		}
		engine, err := steer.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		travel := travels[seed%3]
		now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
		s := trimtab.NewSession("s", now)
		step := func(ev trimtab.Event) {
			now = now.Add(time.Second)
			s, _ = engine.Step(s, ev, now)
		}
		step(trimtab.Said{Message: trimtab.Prompt("automata: tidy this")})
		for i := range 60 {
			step(trimtab.Calling{Travel: travel})
			reflections += ordered(t, fmt.Sprintf("seed %d, %s, %+v, step %d", seed, travel, cfg, s.Step), s)
			call := trimtab.ToolCall{ID: fmt.Sprint("c", i), Name: "bash", Input: json.RawMessage(`{}`)}
			if r.IntN(12) == 0 {
				call.Name, call.Input = "TodoWrite", json.RawMessage(`{"todos":[{"content":"mend the parser","status":"pending"}]}`)
			}
			step(trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{call}}})
			step(trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: call.ID, Text: "ok"}}}})
		}
	}
	if reflections < 500 {
		t.Errorf("only %d requests had a reflection", reflections)
	}
}

// ordered checks one request and returns how many live reflections it has.
func ordered(t *testing.T, where string, s trimtab.Session) int {
	t.Helper()
	live := func(by string) int {
		return slices.IndexFunc(s.Notes, func(n trimtab.Note) bool { return n.By == by && n.Live() })
	}
	reminder, reflection := live("todo"), live("automata")
	if reflection < 0 {
		return 0
	}
	if reminder > reflection {
		t.Fatalf("%s: the reminder stands behind the reflection", where)
	}
	text := s.Notes[reflection].Text
	named := strings.Index(text, "mend the parser")
	if named > strings.Index(text, "Time to look up") {
		t.Fatalf("%s: what is open stands behind the questions:\n%s", where, text)
	}
	if reminder < 0 && named < 0 && slices.ContainsFunc(s.Todos, func(it trimtab.Todo) bool { return it.Status == trimtab.Pending }) {
		t.Fatalf("%s: nothing says what is open in front of the reflection", where)
	}
	return 1
}
