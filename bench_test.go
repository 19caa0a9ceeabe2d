package trimtab_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
)

// BenchmarkStep measures sixteen rounds of an agent (a request, a reply with a
// tool call, its result), in which notes come and go, on sessions of different
// lengths. Rule 7: the three should be within 1.5× of each other, and a message
// at most 15 µs.
func BenchmarkStep(b *testing.B) {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("some output of a tool\n", 40)
	for _, n := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			g := on(engine).do(prompt("automata: tidy this"), trimtab.Asked{Command: "mode", Args: []string{"planning"}}, prompt("go"))
			g.history = nil
			for i := range n / 2 {
				for _, ev := range round(i, text) {
					g.s, _ = g.Step(g.s, ev, start)
				}
			}
			b.ReportAllocs()
			var events []trimtab.Event
			for i := range rounds {
				events = append(events, round(n+i, text)...)
			}
			for b.Loop() {
				s := g.s // on from the same session each time
				for _, ev := range events {
					s, _ = g.Step(s, ev, start)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*rounds)/1000, "µs/message")
		})
	}
}

const rounds = 16

func round(i int, text string) []trimtab.Event {
	id := fmt.Sprintf("c%d", i)
	return []trimtab.Event{
		trimtab.Calling{},
		trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: "bash", Input: []byte(`{"command":"make"}`)}}}},
		trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: text}}}},
	}
}
