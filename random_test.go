package trimtab_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/race"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/automata"
	"github.com/trimtab/trimtab/steer/todo"
)

var start = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// eager is a lineup that speaks as often as it can.
func eager(t testing.TB, travel string) *trimtab.Engine {
	t.Helper()
	e, err := steer.New(steer.Config{
		Steering: trimtab.Config{Travel: travel},
		Todo:     todo.Config{InitialTurns: 1, RepeatTurns: 1, StuckTaskTurns: 2},
		Automata: automata.Config{InitialTurns: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// talk makes up conversations as hosts really send them: parallel calls,
// results one by one or together, prompts and host text between a call and its
// result, results and typed text in one message, calls that are never answered,
// retries, commands, compaction, restarts.
type talk struct {
	*rand.Rand
	calls int
	open  []string
}

func (k *talk) message() trimtab.Message {
	if len(k.open) > 0 {
		switch k.IntN(10) {
		case 0:
			return trimtab.Prompt("automata, and hurry")
		case 1:
			return trimtab.Say(trimtab.RoleUser, trimtab.Host, "<system-reminder>automata</system-reminder>")
		case 2:
			m := trimtab.Message{Role: trimtab.RoleUser}
			for _, id := range k.open {
				m.Parts = append(m.Parts, trimtab.ToolResult{ID: id, Text: "ok", Failed: k.IntN(4) == 0})
			}
			k.open = nil
			if k.IntN(2) == 0 {
				m.Parts = append(m.Parts, trimtab.Text{Text: "and this", By: trimtab.Person})
			}
			return m
		case 3:
			if k.IntN(5) == 0 { // the host gives up on the calls
				k.open = nil
				return trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "never mind")
			}
		}
		id := k.open[0]
		k.open = k.open[1:]
		return trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: "ok", Failed: k.IntN(4) == 0}}}
	}
	switch k.IntN(6) {
	case 0, 1:
		return trimtab.Prompt([]string{"go on", "automata", "why?", ""}[k.IntN(4)])
	case 2:
		return trimtab.Say(trimtab.RoleAssistant, trimtab.Model, strings.Repeat("word ", k.IntN(50)))
	}
	m := trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: "let me", By: trimtab.Model}}}
	for range 1 + k.IntN(3) {
		k.calls++
		id := fmt.Sprintf("c%d", k.calls)
		k.open = append(k.open, id)
		call := trimtab.ToolCall{ID: id, Name: "bash", Input: json.RawMessage(`{"command":"ls"}`)}
		if k.IntN(4) == 0 {
			call.Name, call.Input = "TodoWrite", json.RawMessage(`{"todos":[{"content":"a","status":"in_progress"}]}`)
		}
		m.Parts = append(m.Parts, call)
	}
	return m
}

func (k *talk) command() trimtab.Event {
	modes := []string{"planning", "research", "normal", "+", "-", "nonsense"}
	switch k.IntN(4) {
	case 0:
		return trimtab.Asked{Command: "automata", Args: []string{"on"}}
	case 1:
		return trimtab.Resumed{}
	}
	return trimtab.Asked{Command: "mode", Args: []string{modes[k.IntN(len(modes))]}}
}

// journal is a conversation as a list of events.
func (k *talk) journal(n int) []trimtab.Event {
	var events []trimtab.Event
	for i := range n {
		m := k.message()
		m.ID = trimtab.MessageID(i + 1)
		events = append(events, trimtab.Said{Message: m})
		for k.IntN(3) > 0 {
			events = append(events, trimtab.Calling{})
		}
		if k.IntN(5) == 0 {
			events = append(events, k.command())
		}
	}
	return append(events, trimtab.Calling{})
}

// checkPairs is the independent validator: it knows nothing of seats. In what
// the model sees, nothing of ours stands between a call and its result, and all
// that the host said is there, once, in its order.
func checkPairs(history, view []trimtab.Message) error {
	open := map[string]bool{}
	answered := map[string]bool{}
	for _, m := range history {
		for _, p := range m.Parts {
			if r, ok := p.(trimtab.ToolResult); ok {
				answered[r.ID] = true
			}
		}
	}
	rest := history
	for i, m := range view {
		if m.From != "" {
			if len(open) > 0 {
				return fmt.Errorf("message %d, by %s, stands between a call and its result", i, m.From)
			}
			continue
		}
		if len(rest) == 0 || rest[0].ID != m.ID {
			return fmt.Errorf("message %d of the view is not the next of the history", i)
		}
		rest = rest[1:]
		for _, p := range m.Parts {
			switch p := p.(type) {
			case trimtab.ToolCall:
				if answered[p.ID] {
					open[p.ID] = true
				}
			case trimtab.ToolResult:
				delete(open, p.ID)
			}
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("%d messages of the history are missing", len(rest))
	}
	return nil
}

// TestP8_PairsStayWhole plays 20,000 random conversations and looks at every
// request that leaves.
func TestP8_PairsStayWhole(t *testing.T) {
	t.Parallel()
	n := 20_000
	if testing.Short() {
		n = 250
	}
	if race.Enabled {
		n = 50
	}
	engines := []*trimtab.Engine{eager(t, "tail"), eager(t, "append")}
	notes := 0
	for seed := range n {
		k := &talk{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}
		engine := engines[seed%2]
		s := trimtab.NewSession("s", start)
		var history []trimtab.Message
		for i, ev := range k.journal(12 + k.IntN(20)) {
			if said, ok := ev.(trimtab.Said); ok {
				history = append(history, said.Message)
			}
			var out trimtab.Outcome
			s, out = engine.Step(s, ev, start.Add(time.Duration(i)*time.Second))
			for _, f := range out.Faults {
				t.Fatalf("seed %d, event %d: %v", seed, i, f)
			}
			if _, ok := ev.(trimtab.Calling); ok {
				if err := checkPairs(history, s.View(history)); err != nil {
					t.Fatalf("seed %d, event %d: %v", seed, i, err)
				}
			}
		}
		notes += s.Made
	}
	if notes < n {
		t.Fatalf("only %d notes in %d conversations: the lineup hardly spoke, so this shows nothing", notes, n)
	}
}

// TestH1_NothingThatWasSentChanges compares each request with the one before: up to
// the newest reply, what was sent is sent again, message for message and note for note,
// however notes travel. What rides at the end is not part of it.
func TestH1_NothingThatWasSentChanges(t *testing.T) {
	t.Parallel()
	n := 2_000
	if testing.Short() {
		n = 100
	}
	if race.Enabled {
		n = 10
	}
	for _, travel := range []string{"tail", "append"} {
		engine := eager(t, travel)
		for seed := range n {
			k := &talk{Rand: rand.New(rand.NewPCG(uint64(seed), 2))}
			s := trimtab.NewSession("s", start)
			var history []trimtab.Message
			var sent []string
			for _, ev := range k.journal(30) {
				s, _ = engine.Step(s, ev, start)
				switch ev := ev.(type) {
				case trimtab.Said:
					ev.Message.ID = s.Last.ID
					history = append(history, ev.Message)
				case trimtab.Rewritten, trimtab.Reset: // the host changed it
					sent = nil
				case trimtab.Calling:
					now := spelled(s, history)
					if len(now) < len(sent) || !slices.Equal(now[:len(sent)], sent) {
						t.Fatalf("%s, seed %d: was sent\n%s\nnow\n%s", travel, seed, strings.Join(sent, "\n"), strings.Join(now, "\n"))
					}
					sent = now
				}
			}
		}
	}
}

// spelled is what a request holds up to the newest reply, a line a part.
func spelled(s trimtab.Session, history []trimtab.Message) (lines []string) {
	end := 0
	for _, m := range s.View(history) {
		for _, p := range m.Parts {
			lines = append(lines, fmt.Sprintf("%s %s %v", m.Role, m.From, p))
		}
		if m.Role == trimtab.RoleAssistant {
			end = len(lines)
		}
	}
	return lines[:end]
}

// TestRule10_JournalReplays folds the same events twice, once with the session
// stored and loaded at random moments, and compares the bytes; and shows that a
// step leaves the session it began with as it was.
func TestRule10_JournalReplays(t *testing.T) {
	t.Parallel()
	n := 200
	if testing.Short() {
		n = 10
	}
	if race.Enabled {
		n = 2
	}
	for seed := range n {
		k := &talk{Rand: rand.New(rand.NewPCG(uint64(seed), 3))}
		engine := eager(t, []string{"tail", "append"}[seed%2])
		events := k.journal(60)
		plain, broken := trimtab.NewSession("s", start), trimtab.NewSession("s", start)
		for i, ev := range events {
			now := start.Add(time.Duration(i) * time.Minute)
			before := encode(t, plain)
			next, outA := engine.Step(plain, ev, now)
			if after := encode(t, plain); after != before {
				t.Fatalf("seed %d, event %d: the step changed the session it was given\n%s\n%s", seed, i, before, after)
			}
			plain = next
			if k.IntN(3) == 0 {
				raw := encode(t, broken)
				broken = trimtab.Session{}
				if err := json.Unmarshal([]byte(raw), &broken); err != nil {
					t.Fatal(err)
				}
			}
			var outB trimtab.Outcome
			broken, outB = engine.Step(broken, ev, now)
			if a, b := encode(t, outA), encode(t, outB); a != b {
				t.Fatalf("seed %d, event %d: outcomes differ\n%s\n%s", seed, i, a, b)
			}
		}
		if a, b := encode(t, plain), encode(t, broken); a != b {
			t.Fatalf("seed %d: sessions differ\n%s\n%s", seed, a, b)
		}
	}
}

func encode(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
