package page

import (
	"fmt"
	"strings"
	"testing"
)

// The figures to look at: a frame at most 1 ms, the same for 10 and for 10,000
// messages and for a reply of 1 KB and of 1 MB; a session of 10,000 messages open
// within 200 ms.

func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			p := New(Dark())
			p.Resize(120, 50)
			session(p, n)
			id := p.Reply()
			i := 0
			for b.Loop() {
				p.Append(id, words[i%len(words)])
				p.View()
				i++
			}
		})
	}
	for _, kind := range []string{"prose", "code", "table", "line", "marks", "brackets"} {
		for _, n := range []int{1 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("reply=%s/%dKB", kind, n>>10), func(b *testing.B) {
				p := New(Dark())
				p.Resize(120, 50)
				id := p.Reply()
				p.Append(id, replyOf(kind, n))
				i := 0
				for b.Loop() {
					p.Append(id, words[i%len(words)])
					p.View()
					i++
				}
			})
		}
	}
}

// BenchmarkScroll is a frame of a reader who moves up the page.
func BenchmarkScroll(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			p := New(Dark())
			p.Resize(120, 50)
			session(p, n)
			for b.Loop() {
				p.Scroll(-3)
				p.View()
				if p.top.block == 0 {
					p.Bottom()
				}
			}
		})
	}
}

// BenchmarkOpen is a session from its messages to its first screen.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			for b.Loop() {
				p := New(Dark())
				p.Resize(120, 50)
				session(p, n)
				p.View()
			}
		})
	}
}

// BenchmarkResize is the first frame in another width.
func BenchmarkResize(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			p := New(Dark())
			session(p, n)
			i := 0
			for b.Loop() {
				p.Resize(80+i%2, 50)
				p.View()
				i++
			}
		})
	}
	b.Run("reply=1MB", func(b *testing.B) {
		p := New(Dark())
		p.Close(p.Reply(), replyOf("prose", 1<<20))
		i := 0
		for b.Loop() {
			p.Resize(80+i%2, 50)
			p.View()
			i++
		}
	})
}

// BenchmarkRead is a whole reply from its text to its pieces.
func BenchmarkRead(b *testing.B) {
	for _, kind := range []string{"prose", "code"} {
		text := replyOf(kind, 1<<20)
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p := New(Dark())
				p.Close(p.Reply(), text)
				p.View()
			}
		})
	}
}

var words = strings.SplitAfter("the quick **brown** fox `jumps` over\n- the lazy dog and runs away. ", " ")

func replyOf(kind string, size int) string {
	switch kind {
	case "code":
		return "```go\n" + strings.Repeat("\tfor i := range n { sum += weights[i] * 3 } // add up\n", size/54)
	case "table":
		return "| a | b | c |\n|---|---|---|\n" + strings.Repeat("| a cell | `another` | **third** cell |\n", size/40)
	case "marks":
		return strings.Repeat("a **b** `c` _d_ ", size/16)
	case "brackets":
		return strings.Repeat("[*_", size/3)
	case "line":
		return strings.Repeat("one line without end ", size/21)
	}
	return strings.Repeat(sample, max(1, size/len(sample)))
}
