package frame

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

// long is a session of n messages in frames of about 50 steps, half of them
// nested.
func long(b *testing.B, n int) *host {
	b.Helper()
	h := newHost(b, Config{}, Autonomy{}).prompt("build a parser for the log files")
	text := strings.Repeat("some output of a tool\n", 40)
	for i := 0; len(h.history) < n; i++ {
		if i%50 == 0 && i > 0 && i%100 != 0 {
			h.do("push", fmt.Sprintf("part %d", i))
		}
		if i%100 == 0 && i > 0 {
			h.do("pop", "completed", "it works")
		}
		h.tool("bash", fmt.Sprintf(`{"command":"step %d"}`, i), text, false)
	}
	return h
}

// BenchmarkFold measures a pop with all that follows from it (what is folded, the
// context that is told), the request that leaves then, and the view of the whole
// session. The goal is 5 ms at 10,000 messages.
func BenchmarkFold(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			h := long(b, n)
			h.do("push", "one more").tool("bash", `{"command":"x"}`, strings.Repeat("output ", 200), false)
			b.ReportAllocs()
			for b.Loop() {
				s, _ := h.engine.Step(h.s, trimtab.Asked{Command: "pop"}, h.now)
				s, _ = h.engine.Step(s, trimtab.Calling{}, h.now)
				if len(s.View(h.history)) == 0 {
					b.Fatal("nothing in view")
				}
			}
		})
	}
}

// BenchmarkStep measures a round of an agent: a request, a reply with a call, and
// its result. The three should cost the same.
func BenchmarkStep(b *testing.B) {
	text := strings.Repeat("some output of a tool\n", 40)
	for _, n := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			h := long(b, n)
			call := trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "c", Name: "bash", Input: []byte(`{"command":"make"}`)}}}
			result := trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: text}}}
			b.ReportAllocs()
			for b.Loop() {
				s, _ := h.engine.Step(h.s, trimtab.Calling{}, h.now)
				s, _ = h.engine.Step(s, trimtab.Said{Message: call}, h.now)
				h.engine.Step(s, trimtab.Said{Message: result}, h.now)
			}
		})
	}
}
