package page

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestScrollingIsLikeMovingAWindow holds the page to a model: all lines, and a
// window on them.
func TestScrollingIsLikeMovingAWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(20, 90).Draw(t, "width"), rapid.IntRange(2, 30).Draw(t, "height")
		p, all := New(Plain()), New(Plain())
		p.Resize(width, height)
		all.Resize(width, height)
		var open ID
		add := func(text string) {
			for _, q := range []*Page{p, all} {
				q.Prompt(text)
				q.Note("a", "b", text, "c")
				q.Result(q.Call("read", text), text, false)
				q.Close(q.Thought(), text)
				open = q.Reply()
				q.Append(open, text)
			}
		}
		p.Note("a", "b", "hidden", "at the top")
		all.Note("a", "b", "hidden", "at the top")
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			add(texts().Draw(t, "text"))
		}
		want := rowsOf(all)
		// The model: the first line on the screen, or the end.
		top, follow := 0, true
		settle := func(n int) {
			if top >= n-height {
				follow = true
			}
			if follow {
				top = max(0, n-height)
			}
		}
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			settle(len(want))
			by := rapid.IntRange(-40, 40).Draw(t, "by")
			switch rapid.IntRange(0, 5).Draw(t, "do") {
			case 0:
				p.PageUp()
				by = -max(1, height-2)
			case 1:
				p.PageDown()
				by = max(1, height-2)
			case 2:
				p.Top()
				by = -1 << 20
			case 3:
				text := texts().Draw(t, "more")
				p.Append(open, text)
				all.Append(open, text)
				want, by = rowsOf(all), 0
			default:
				p.Scroll(by)
			}
			if by < 0 {
				follow = false
			}
			if !follow {
				top = max(0, top+by)
			}
			settle(len(want))
			got := strings.Split(p.View(), "\n")
			if follow != p.AtEnd() {
				t.Fatalf("at the end: %v, want %v (top %d of %d, height %d)", p.AtEnd(), follow, top, len(want), height)
			}
			rows := height
			if !follow {
				rows--
			}
			for i := range rows {
				line := ""
				if top+i < len(want) {
					line = want[top+i]
				}
				if got[i] != line {
					t.Fatalf("line %d of the screen is %q, want line %d of the page: %q", i, got[i], top+i, line)
				}
			}
			if left := len(want) - top - rows; !follow && left <= near {
				if say := fmt.Sprintf("↓ %d more line", left); !strings.HasPrefix(got[rows], say) {
					t.Fatalf("the last line says %q, want %q", got[rows], say)
				}
			}
		}
	})
}

// TestAReaderStaysWhereTheOpenParagraphParts: a paragraph that grows too long for
// one piece is parted before its last line, and the reader was in that line.
func TestAReaderStaysWhereTheOpenParagraphParts(t *testing.T) {
	for name, first := range map[string]string{"a word": "word \n", "the head of a table": "| a | b |\n"} {
		p := New(Plain())
		p.Resize(20, 6)
		id := p.Reply()
		p.Append(id, first+strings.Repeat("long", 325))
		p.Scroll(-2)
		want := strings.Split(p.View(), "\n")[0]
		if want != "longlonglonglonglong" {
			t.Fatalf("%s: the reader is not in the long line but at %q", name, want)
		}
		at := strings.Count(strings.Join(rowsOf(p), "\n"), "\n")
		p.Append(id, strings.Repeat("w ", 2000))
		if got := strings.Split(p.View(), "\n"); got[0] != want || p.AtEnd() {
			t.Errorf("%s: the reader of line %d was moved to %q", name, at, got[0])
		}
		p.Close(id, "")
		if got := strings.Split(p.View(), "\n"); got[0] != want {
			t.Errorf("%s: closed, the reader was moved to %q", name, got[0])
		}
	}
}

// rowsOf returns every line of a page.
func rowsOf(p *Page) []string {
	var out []string
	p.forth(cursor{}, func(_ cursor, r row) bool {
		out = append(out, r.text)
		return true
	})
	return out
}

func TestAReaderWhoScrolledAwayIsLeftInPeace(t *testing.T) {
	p := New(Plain())
	p.Resize(60, 10)
	session(p, 50)
	id := p.Reply()
	p.Append(id, "streaming ")
	p.Scroll(-25)
	before := strings.Split(p.View(), "\n")[:9]
	for i := range 100 {
		p.Append(id, fmt.Sprintf("word %d\n\n", i))
	}
	p.Close(id, "")
	p.Notice("done")
	if after := strings.Split(p.View(), "\n")[:9]; strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Errorf("the screen moved from\n%s\nto\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	if p.AtEnd() {
		t.Error("the page says it is at its end")
	}
	p.Bottom()
	if view := p.View(); !p.AtEnd() || !strings.HasSuffix(strings.TrimSpace(view), "done") {
		t.Errorf("the end is not shown:\n%s", view)
	}
}

func TestResizeKeepsTheReadersPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(Plain())
		p.Resize(80, 12)
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, "w%03d ", i)
			if i%rapid.SampledFrom([]int{7, 50, 90}).Draw(t, "every") == 3 {
				b.WriteString("\n\n")
			}
		}
		for range 3 {
			p.Prompt("ask")
			p.Close(p.Reply(), b.String())
		}
		p.Scroll(-rapid.IntRange(1, 70).Draw(t, "up"))
		if p.AtEnd() {
			return
		}
		before := p.View()
		first := firstWord(before)
		for range rapid.IntRange(1, 4).Draw(t, "times") {
			p.Resize(rapid.IntRange(20, 200).Draw(t, "width"), 12)
			view := p.View()
			top, _, _ := strings.Cut(view, "\n")
			if !p.AtEnd() && !strings.Contains(before, "ask") && first != "" && strings.TrimSpace(top) != "" && !strings.Contains(top, first) {
				t.Fatalf("%q was at the top and is not any more:\n%s", first, view)
			}
			if p.AtEnd() {
				return // all that was below fits now
			}
		}
		p.Resize(80, 12)
		if after := p.View(); after != before {
			t.Fatalf("there and back again is another place: from\n%s\nto\n%s", before, after)
		}
	})
}

func firstWord(view string) string {
	top, _, _ := strings.Cut(view, "\n")
	f := strings.Fields(top)
	if len(f) == 0 {
		return ""
	}
	return f[0]
}

func TestAClickFindsItsBlock(t *testing.T) {
	p := New(Plain())
	p.Resize(40, 8)
	p.Prompt("hello")
	call := p.Call("list", "{}")
	p.Result(call, "a\nb", false)
	lines := strings.Split(p.View(), "\n")
	for i, line := range lines {
		id, ok := p.At(i)
		if want := strings.Contains(line, "list") || strings.Contains(line, "│"); want && (!ok || id != call) {
			t.Errorf("line %d, %q, is of block %d", i, line, id)
		}
	}
	if _, ok := p.At(7); ok {
		t.Error("a click below the page found a block")
	}
	if !p.Foldable(call) || p.Foldable(call-1) {
		t.Error("a call can be opened, a prompt cannot")
	}
}
