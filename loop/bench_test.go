package loop

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

// prose makes a text of so many words out of a small language.
func prose(r *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "%c%s%d ", 'a'+rune(r.IntN(26)), "ordwing"[:1+r.IntN(6)], r.IntN(400))
	}
	return b.String()
}

// stream makes a session that goes on and on: a reply of about 300 bytes that
// runs a command, and a result of about 1,500.
func stream(n int) []trimtab.Message {
	r := rand.New(rand.NewPCG(1, 2))
	var out []trimtab.Message
	for i := range n / 2 {
		id := fmt.Sprintf("c%d", i)
		input := fmt.Appendf(nil, `{"command":"grep -n %s src/%d.go","description":"look for it"}`, prose(r, 2), i)
		out = append(out,
			trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{
				trimtab.Text{Text: prose(r, 45), By: trimtab.Model}, trimtab.ToolCall{ID: id, Name: "Bash", Input: input},
			}},
			trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: prose(r, 200)}}})
	}
	return out
}

// BenchmarkSee measures a message in the middle of a long session. The goal is
// 15 µs at a window of 1,000, whatever the rule.
func BenchmarkSee(b *testing.B) {
	messages := stream(8000)
	for _, window := range []int{50, 1000} {
		ours, err := NewProgress(ProgressConfig{Window: window})
		if err != nil {
			b.Fatal(err)
		}
		seed, err := NewSeed(SeedConfig{Window: window, Most: 1000})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("progress/window=%d", window), func(b *testing.B) { watchAll(b, Start(ours), messages) })
		b.Run(fmt.Sprintf("seed/window=%d", window), func(b *testing.B) { watchAll(b, Start(seed), messages) })
	}
	for _, d := range All()[2:] {
		b.Run(d.Name(), func(b *testing.B) { watchAll(b, d, messages) })
	}
}

func watchAll(b *testing.B, d Detector, messages []trimtab.Message) {
	for _, m := range messages[:4000] { // fill the window
		d.See(m)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		d.See(messages[i%len(messages)])
	}
	b.StopTimer()
	raw, err := json.Marshal(d)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(raw)), "memory-bytes")
}

// BenchmarkNear measures the search for a near duplicate alone, and prints how
// many of the pairs with a Jaccard similarity of 0.9 or more it finds.
func BenchmarkNear(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{50, 1000} {
		b.Run(fmt.Sprintf("window=%d", size), func(b *testing.B) {
			var w window
			for range size {
				w = w.add(entry{sketch: digestOf(prose(r, 200)).sketch}, size)
			}
			text := prose(r, 200)
			b.ResetTimer()
			for range b.N {
				s := digestOf(text)
				w.each(size, func(o *entry) bool { return !s.near(&o.sketch, 0.8) })
			}
			b.StopTimer()
			found, pairs := recall(3000)
			b.ReportMetric(100*float64(found)/float64(pairs), "recall-%")
		})
	}
}
