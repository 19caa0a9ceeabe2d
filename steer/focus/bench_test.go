package focus_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/focus"
)

// text is a message of about 600 bytes that is like no other.
func text(i int) string {
	var b strings.Builder
	for j := range 80 {
		fmt.Fprintf(&b, "word%d ", (i*7919+j*104729)%100003)
	}
	return b.String() + fmt.Sprintf("\n\n- one\n- two\n\n[RESEARCH: topic %d]", i%40)
}

func after(tb testing.TB, messages int) *table {
	t := enter(tb, "ideation")
	for i := range messages {
		t.say("", text(i))
	}
	return t
}

// BenchmarkProcess shows that a message costs the same after 10 and after 10,000.
func BenchmarkProcess(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := after(b, n)
			m := trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text(n+1))
			b.ReportAllocs()
			for b.Loop() {
				t.Process(t.m, m, trimtab.Ref{ID: "m", Seq: n + 1})
			}
		})
	}
}

// TestCostDoesNotGrowWithTheHistory counts allocations and bytes rather than time.
func TestCostDoesNotGrowWithTheHistory(t *testing.T) {
	cost := func(n int) (allocs float64, size int) {
		tb := after(t, n)
		m := trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text(n+1))
		allocs = testing.AllocsPerRun(50, func() { tb.Process(tb.m, m, trimtab.Ref{ID: "m", Seq: n + 1}) })
		raw, err := json.Marshal(tb.m)
		if err != nil {
			t.Fatal(err)
		}
		return allocs, len(raw)
	}
	few, small := cost(100)
	many, large := cost(3000)
	if many > few*1.2+5 || large > small*12/10+500 {
		t.Errorf("after 100 messages %v allocations and %d bytes, after 3,000 %v and %d", few, small, many, large)
	}
}

// FuzzProcess feeds messages of any form and looks that nothing breaks, that the
// memory can be stored, and that tools and hosts mark nothing.
func FuzzProcess(f *testing.F) {
	f.Add("[DONE: cta] x", "model", "bash", `{"command":"go test"}`, "exit code 1")
	f.Add("## CTA\n"+strings.Repeat("x", 90), "person", "WebSearch", `{"query":"q"}`, "[DONE: cta]")
	f.Add("[PROPOSAL] a", "a", "criterion_met", `{"id":"cta","evidence":"e"}`, "")
	f.Add("", "host", "Edit", `{"file_path":"a.go"}`, "done")
	f.Fuzz(func(t *testing.T, said, who, tool, input, result string) {
		tb := enterWith(t, focus.Config{Detector: "both"}, "copywrite")
		for range 3 {
			switch who {
			case "host":
				tb.take(trimtab.Say(trimtab.RoleUser, trimtab.Host, said))
				if len(tb.met()) > 0 {
					t.Fatalf("the host marked %v", tb.met())
				}
			default:
				tb.say(who, said)
			}
		}
		before := len(tb.met())
		tb.take(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "none", Text: result + said}}})
		if len(tb.met()) != before {
			t.Fatalf("a result marked %v", tb.met())
		}
		tb.take(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "c", Name: tool, Input: json.RawMessage(input)}}})
		before = len(tb.met())
		tb.take(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: result}}})
		if len(tb.met()) > before {
			t.Fatalf("what a tool printed marked %v", tb.met())
		}
		raw, err := json.Marshal(tb.m)
		if err != nil {
			t.Fatal(err)
		}
		var m focus.Memory
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		_ = tb.progress().String()
	})
}
