package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sample has one of everything that models write.
const sample = "# A heading\n\nSome *emphasis*, **strong**, `code`, ~~gone~~ and a [link](https://example.com/x?a=1&amp;b=2). Bare https://example.com/a_b_c.\n" +
	"The second line stays a line.\n\n## Lists\n\n- one\n- two with a long text that wraps around the edge of the screen, as it must in eighty columns\n" +
	"  - nested\n    - deeper\n      1. number\n      1. number two\n- [x] done\n- [ ] open\n\n3. three\n4. four\n\n   a paragraph of the item\n\n" +
	"   ```go\n   func main() { // says hi\n   \treturn \"x\" + 42\n   }\n   ```\n\n> quoted *text*\n> > deeper\n>\n> back\n\n" +
	"| Name | Value | Note |\n|:-----|------:|:----:|\n| a | 1 | `x|y` |\n| longer name | 1000 | a rather long note that must be wrapped at forty columns |\n\n---\n\n" +
	"```diff\n--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n```\n\nUnderlined\n==========\n\n    indented code\n\n" +
	"<b>html</b> &lt;x&gt; 漢字かな交じり文。テスト 👩‍💻 e\u0301\n"

// fragments are put together into texts that are not quite Markdown.
var fragments = []string{
	"word ", "a longer stretch of words ", "\n", "\n\n", "\r\n", "**", "*", "_", "`", "```", "```go\n", "~~", "# ", "## ", "- ", "  - ", "1. ", "2) ", "> ", "| a | b |\n", "|---|--:|\n", "---\n", "===\n",
	"[x](http://a.b/c_d)", "![", "](", "<br>", "&amp;", "&#27;", "\t", "    ", "漢字", "👩‍💻", "e\u0301", "🇩🇪", "\x1b[2J", "\xff", "\xe6\xbc", "- [x] ", "/* ", "*/ ", "\"", "func ", strings.Repeat("long", 300), strings.Repeat("w ", 2500),
}

func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 60).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

// whole returns a page that shows all of itself.
func whole(theme Theme, width int) *Page {
	p := New(theme)
	p.Resize(width, 3000)
	return p
}

func TestAnyChunkingGivesTheSamePage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		if rapid.Bool().Draw(t, "sample") {
			text = sample + text + sample
		}
		width := rapid.IntRange(20, 120).Draw(t, "width")
		stop := rapid.IntRange(0, len(text)).Draw(t, "stop")
		p := whole(Dark(), width)
		id := p.Reply()
		for at := 0; at < len(text); {
			n := min(rapid.IntRange(1, 40).Draw(t, "n")*rapid.SampledFrom([]int{1, 1, 50}).Draw(t, "times"), len(text)-at)
			if at < stop {
				n = min(n, stop-at)
			}
			p.Append(id, text[at:at+n])
			at += n
			if at == stop {
				once := whole(Dark(), width)
				once.Append(once.Reply(), text[:at])
				same(t, "at byte "+fmt.Sprint(at), once.View(), p.View())
			} else if rapid.IntRange(0, 9).Draw(t, "look") == 0 {
				p.View()
			}
		}
		p.Close(id, text)
		once := whole(Dark(), width)
		once.Close(once.Reply(), text)
		same(t, "in the end", once.View(), p.View())
	})
}

func same(t interface{ Fatalf(string, ...any) }, when, want, got string) {
	if got != want {
		t.Fatalf("%s, arriving in pieces gives another page than arriving at once (-once +pieces):\n%s", when, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

func TestWhatWasSaidLastReplacesWhatStreamed(t *testing.T) {
	p := whole(Plain(), 40)
	id := p.Reply()
	p.Append(id, "half a th")
	p.Close(id, "half a thought, **whole**")
	if got := strings.TrimSpace(p.View()); got != "half a thought, **whole**" {
		t.Errorf("the page shows %q", got)
	}
	p.Append(id, "late")
	p.Close(id, "later")
	if got := strings.TrimSpace(p.View()); got != "half a thought, **whole**" {
		t.Errorf("a closed reply changed to %q", got)
	}
}

func TestOnlyTheOpenEndIsDrawnAgain(t *testing.T) {
	p := New(Dark())
	p.Resize(80, 400)
	id := p.Reply()
	p.Append(id, strings.Repeat("A paragraph of some words.\n\n- item\n- item\n\n```go\nx := 1\n```\n\n", 20)+"The open")
	p.View()
	b := p.blocks[0]
	drawn := map[int]*row{}
	for i := range b.md.out {
		if rows := b.md.out[i].rows; len(rows) > 0 {
			drawn[i] = &rows[0]
		}
	}
	if len(drawn) < 80 {
		t.Fatalf("only %d finished pieces were drawn", len(drawn))
	}
	p.Append(id, " end")
	p.View()
	for i, first := range drawn {
		if &b.md.out[i].rows[0] != first {
			t.Errorf("piece %d was drawn again", i)
		}
	}
	if n := len(b.tail); n != 1 {
		t.Errorf("%d pieces are open, want 1", n)
	}
}

func TestTheOpenEndIsBounded(t *testing.T) {
	for name, unit := range map[string]string{
		"one long line": "word ", "one long word": "x", "lines of one paragraph": "a line\n", "a fence": "", "a table": "| a | b |\n",
		"a list": "- item\n", "a quote": "> text\n", "code in a list": "", "long lines of code": "", "long rows": "",
	} {
		p := New(Dark())
		id := p.Reply()
		switch name {
		case "a fence":
			p.Append(id, "```go\n")
			unit = "x := 1\n"
		case "code in a list":
			p.Append(id, "- item\n  ```\n")
			unit = "  x := 1\n"
		case "long lines of code":
			p.Append(id, "```\n")
			unit = strings.Repeat("x = 1; ", 400) + "\n"
		case "long rows":
			p.Append(id, "| a | b |\n|---|---|\n")
			unit = "| a |" + strings.Repeat("x = 1; ", 400) + "|\n"
		case "a table":
			p.Append(id, "| a | b |\n|---|---|\n")
		}
		p.Append(id, strings.Repeat(unit, 200_000/len(unit)))
		p.View()
		size := 0
		for _, pc := range p.blocks[0].tail {
			size += len(pc.text)
			if pc.grid != nil {
				size += pc.grid.size
			}
		}
		if size > 4*maxLine {
			t.Errorf("%s: %d bytes are drawn again with every word", name, size)
		}
	}
}

func TestALongSessionOpensWithoutReadingIt(t *testing.T) {
	p := New(Dark())
	session(p, 10_000)
	p.View()
	made := 0
	for _, b := range p.blocks {
		if b.made {
			made++
		}
	}
	if made > 30 {
		t.Errorf("%d of %d blocks were read for one screen", made, len(p.blocks))
	}
	p.Resize(80, 200)
	for range 150 {
		p.PageUp()
		p.View()
	}
	made = 0
	for _, b := range p.blocks {
		if b.made {
			made++
		}
	}
	if made > 2*maxWarm {
		t.Errorf("%d blocks are kept as drawn after reading up the page", made)
	}
}

// session fills a page as an agent does.
func session(p *Page, messages int) {
	for i := 0; i < messages; i += 5 {
		p.Prompt(fmt.Sprintf("Question %d: what does this do?", i))
		p.Note("todo", "reminder", "Keep your list up to date.", "5 steps without a write")
		call := p.Call("read", `{"path":"main.go"}`)
		p.Result(call, strings.Repeat("a line of the file\n", 30), false)
		p.Close(p.Reply(), fmt.Sprintf("Answer %d.\n\n", i)+sample)
		p.Close(p.Thought(), "Let me see.\nIt is in main.go.")
	}
}

func TestModelTextIsHarmless(t *testing.T) {
	for _, evil := range []string{
		"\x1b]52;c;aGk=\a", "\x1b]0;title\a", "\x1b[2J\x1b[H", "\x1b[31mred", "\u009b2J", "\x1bPq\x1b\\", "a\u202egpj.exe", "\u2066x\u2069", "\u200b", "\b\b\b", "\r hidden", "&#27;[2J", "&#x9b;2J", "&#x202e;x", "[a](&#27;]0;x)", "<http://a/\x1b[2J>",
		"```\n\x1b[2J\n```", "| \x1b[2J |\n|---|\n| \u202e |", "```\x1b[2J\ncode\n```",
	} {
		p := whole(Plain(), 60)
		p.SetVerbose(true)
		p.Prompt(evil)
		p.Append(p.Reply(), evil)
		p.Close(p.Reply(), evil)
		p.Append(p.Thought(), evil)
		p.Result(p.Call(evil, evil), evil, true)
		p.Call("x", `{"a":"`+evil+`","b":"\u001b[2J"}`)
		p.Note(evil, evil, evil, evil)
		p.Notice(evil)
		p.Fault(evil)
		p.ToggleAll()
		view := p.View()
		checkScreen(t, view, 60, 3000)
		if strings.ContainsAny(view+p.Text(), "\x1b\a\b\r\u009b\u202e\u2066\u200b") {
			t.Errorf("%q reached the screen: %q", evil, strings.TrimSpace(view))
		}
	}
}

func TestIDsOfAClearedPageNameNothing(t *testing.T) {
	p := New(Plain())
	old := p.Reply()
	p.Append(old, "before")
	p.Clear()
	p.Append(p.Reply(), "after")
	p.Append(old, "ghost")
	p.Close(old, "ghost")
	p.Toggle(old)
	p.Result(old, "ghost", true)
	p.Append(99, "ghost")
	p.Append(-1, "ghost")
	if got := p.Text(); got != "after\n" {
		t.Errorf("the page says %q", got)
	}
	if got := strings.TrimSpace(p.View()); got != "after" {
		t.Errorf("the page shows %q", got)
	}
}

func TestTextIsEverythingWhole(t *testing.T) {
	p := New(Dark())
	p.Prompt("one\ntwo")
	reply := p.Reply()
	p.Append(reply, "**yes**\x1b[2J\n")
	p.Result(p.Call("bash", `{"command":"ls"}`), strings.Repeat("x\n", 10), true)
	p.Note("todo", "reminder", "secret", "why")
	p.Notice("n")
	want := "> one\n> two\n\n**yes**␛[2J\n\nbash ls (failed)\n" + strings.Repeat("    x\n", 10) + "\nn\n"
	if diff := cmp.Diff(want, p.Text()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	p.SetVerbose(true)
	if !strings.Contains(p.Text(), "(note by todo, because why)\nsecret\n") {
		t.Errorf("a note that is shown is not in the text: %s", p.Text())
	}
	if got := p.TextOf(reply); got != "**yes**␛[2J\n" {
		t.Errorf("the reply alone is %q", got)
	}
}

func TestWhatBecameOfANoteIsSaidInOneLine(t *testing.T) {
	p := whole(Plain(), 60)
	p.SetVerbose(true)
	p.Note("todo", "reminder", "Keep your list.", "8 steps without a write")
	p.Change("todo", "reminder", "removed", "", "the todo list was written")
	p.Change("automata", "reflection", "withheld", "Take stock.", "over budget")
	p.Notice("after")
	var rows []string
	for row := range strings.Lines(p.View()) {
		rows = append(rows, strings.TrimSpace(row))
	}
	want := []string{
		"◆ note by todo/reminder, because 8 steps without a write", "Keep your list.", "",
		"◆ todo/reminder removed: the todo list was written", "",
		"◆ automata/reflection withheld: over budget", "Take stock.", "",
	}
	if diff := cmp.Diff(want, rows[:min(len(rows), len(want))]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if want := "(todo removed: the todo list was written)\n\n"; !strings.Contains(p.Text(), want) {
		t.Errorf("the text is %q", p.Text())
	}
}

func TestThoughtsAndResultsOpenAndClose(t *testing.T) {
	p := whole(Plain(), 60)
	th := p.Thought()
	p.Append(th, "first\nsecond")
	shows := func(when string, want ...string) {
		t.Helper()
		view := p.View()
		for _, w := range want {
			no, yes := strings.CutPrefix(w, "!")
			if strings.Contains(view, no) == yes {
				t.Errorf("%s, shown: %q, want %q", when, strings.TrimSpace(view), w)
			}
		}
	}
	shows("while it arrives", "thinking: second", "!first")
	p.Toggle(th)
	shows("opened while it arrives", "first", "second")
	p.Append(th, " third")
	shows("opened while it arrives", "second third")
	p.Close(th, "")
	shows("closed", "first", "second third")
	p.Toggle(th)
	shows("folded", "thought (2 lines): first", "!second")
	call := p.Call("glance", `{}`)
	p.Result(call, "1\n2\n3\n4\n5\n6", false)
	shows("a result", "4", "!5", "2 more lines")
	p.ToggleAll()
	shows("all open", "second third", "6", "!more lines")
	p.ToggleAll()
	shows("all folded", "!second third", "!6")
	p.Note("todo", "reminder", "Keep your list.", "it is old")
	shows("not verbose", "!Keep your list")
	p.SetVerbose(true)
	shows("verbose", "note by todo/reminder, because it is old", "Keep your list.")
}

func TestATextThatIsNotTyped(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\r\n":                        "a\nb",
		"x\ty":                              "x   y",
		"```\n\tx\n```":                     "```\n    x\n```",
		"1. a\n1. b":                        "1. a\n2. b",
		"7) a\n8) b":                        "7) a\n8) b",
		"- a\n\n  b\n- c":                   "• a\n\n  b\n• c",
		"text\n- item":                      "text\n• item",
		"text\n2. not an item":              "text\n2. not an item",
		"> a\nlazy":                         "│ a\n│ lazy",
		"-\n- x":                            "•\n• x",
		"[text](http://x.y)":                "text (http://x.y)",
		"[http://x.y](http://x.y)":          "http://x.y",
		"[evil](http://x.y \"title\")":      "evil (http://x.y)",
		"<http://x.y>":                      "http://x.y",
		"![alt](pic.png)":                   "alt (pic.png)",
		"snake_case_name and 2*3*4":         "snake_case_name and 2*3*4",
		"\\*not\\*":                         "*not*",
		"[x]: http://def":                   "[x]: http://def",
		"- ```\n  x\n  ```":                 "• ```\n  x\n  ```",
		"- a:\n  ```\nunindented\n  ```\nb": "• a:\n\n  ```\n  unindented\n  ```\n\nb",
		"| a |\n| b |":                      "| a |\n| b |",
		"a | b\n--|--\n1 | 2":               "a │ b\n──┼──\n1 │ 2",
		"#hashtag":                          "#hashtag",
		"Title\n---":                        "## Title",
		"two\nlines\n---":                   "two\nlines\n" + strings.Repeat("─", 60),
		"a<br>b":                            "a\nb",
		"* * *":                             strings.Repeat("─", 60),
		"\n\n\na\n\n\n\nb\n\n":              "a\n\nb",
	} {
		p := whole(Plain(), 60)
		p.Close(p.Reply(), in)
		got := strings.TrimRight(p.View(), "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

func TestAnyThemeFitsTheScreen(t *testing.T) {
	for _, theme := range []Theme{{}, {Strong: "1\x1b[2J", Block: "red", Marks: Marks{Rule: "漢", Bar: "wide bar", Prompt: "\x1b]0;x\a", Bullets: [3]string{"", "\n", "long bullet"}}}} {
		p := New(theme)
		p.Resize(30, 200)
		p.Prompt("x")
		p.Close(p.Reply(), sample)
		p.Result(p.Call("x", "{}"), "1\n2\n3\n4\n5\n6", false)
		checkScreen(t, p.View(), 30, 200)
	}
}

// TestChat_6_WhatWasFoundIsToldInWords: "1 line" of a search that found nothing read like a
// match.
func TestChat_6_WhatWasFoundIsToldInWords(t *testing.T) {
	for _, c := range []struct{ tool, result, want string }{
		{"search", "no match; 2 files searched", "no match; 2 files searched"},
		{"search", "a.go:1: x\nb.go:2: [x]\n2 matches in 2 files; 9 files searched\n[not searched, over 8 MiB: c]", "2 matches in 2 files; 9 files searched"},
		{"list", "the folder is empty", "the folder is empty"},
		{"list", "   44  main.go\n1 file and 0 folders, 44 bytes\n", "1 file and 0 folders, 44 bytes"},
		{"list", "[only\n[brackets", "2 lines"},
		{"list", "", "nothing"},
		{"search", strings.Repeat("long ", 30), "1 line"},
		{"read", "a\nb\nc", "3 lines"},
	} {
		p := New(Plain())
		p.Resize(120, 10)
		p.Result(p.Call(c.tool, `{}`), c.result, false)
		if got := strings.TrimSpace(p.View()); !strings.HasSuffix(got, c.tool+"  "+c.want) {
			t.Errorf("%s of %q: %q, want %q", c.tool, c.result, got, c.want)
		}
	}
}

// TestChat_6_OneLineIsNotHidden behind a line that says so.
func TestChat_6_OneLineIsNotHidden(t *testing.T) {
	for tool, lines := range map[string]int{"bash": previewLive, "glance": preview} {
		for more, hidden := range map[int]bool{1: false, 2: true} {
			p := New(Plain())
			p.Resize(80, 20)
			var all []string
			for i := range lines + more {
				all = append(all, fmt.Sprintf("row%d.", i))
			}
			p.Result(p.Call(tool, `{}`), strings.Join(all, "\n"), false)
			shown := strings.Count(p.View(), "row")
			if hidden && shown != lines || !hidden && shown != lines+more {
				t.Errorf("%s: %d rows of %d are shown:\n%s", tool, shown, lines+more, p.View())
			}
		}
	}
}
