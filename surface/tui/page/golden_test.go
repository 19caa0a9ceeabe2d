package page

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// screens are the kinds of block, each drawn in both widths with and without
// styles.
var screens = []struct {
	name string
	draw func(p *Page)
}{
	{"prompt", func(p *Page) {
		p.Prompt("What does the parser do when a line is longer than the screen is wide?\n\n    keep this indent\nand 漢字 too")
	}},
	{"reply", func(p *Page) { p.Close(p.Reply(), sample) }},
	{"streaming", func(p *Page) {
		p.Append(p.Reply(), "It works **like this**:\n\n1. read\n2. draw\n\n```python\ndef draw(page):\n    \"\"\"Draws a page,\n    and returns")
	}},
	{"code", func(p *Page) {
		p.Close(p.Reply(), "```go\n/* a comment\n   of two lines */\nfunc main() { fmt.Println(`raw\nstring`, 'x', 0x1F) } // end\n```\n\n~~~sh\n# list\nif [ -f go.mod ]; then echo \"$HOME\"; fi\n~~~\n\n```\nno language: <b> **x**\n```\n")
	}},
	{"table", func(p *Page) {
		p.Close(p.Reply(), "| Package | May import | Why |\n|---|---|---|\n| root | nothing | what everyone imports imports **no one** |\n| `steer` | root | siblings are strangers, and stay so |\n\n| a | b | c | d | e | f | g |\n|---|---|---|---|---|---|---|\n| first | second column | third column | fourth | fifth column | sixth | seventh |\n")
	}},
	{"thought", func(p *Page) {
		p.Close(p.Thought(), "The question is about *width*.\nSo look at wrap.go first, and then at everything that calls it, because it may be wrong.")
		th := p.Thought()
		p.Append(th, "First this.\nThen that, which is longer than a narrow screen")
		open := p.Thought()
		p.Close(open, "An opened thought:\n\n- one\n- two")
		p.Toggle(open)
	}},
	{"call", func(p *Page) {
		p.Result(p.Call("read", `{"path":"surface/tui/page/wrap.go","offset":1,"limit":200}`), strings.Repeat("a line of the file, which may be longer than a narrow screen is wide\n", 9), false)
		p.Result(p.Call("bash", `{"command":"go test ./..."}`), "FAIL\texit status 1", true)
		p.Result(p.Call("list", `{}`), "", false)
		p.Call("search", `{"pattern":"func .*Wrap","path":"."}`)
		p.Result(p.Call("mcp__server__tool", `not JSON`), "ok", false)
	}},
	{"opened", func(p *Page) {
		id := p.Call("edit", `{"path":"wrap.go","old_string":"if w > width {\n\tbreak\n}","new_string":"if w >= width {\n\tbreak\n}","all":true}`)
		p.Result(id, "1\n2\n3\n4\n5\n6", false)
		p.Toggle(id)
	}},
	{"diff", func(p *Page) {
		p.Result(p.Call("edit", `{"path":"wrap.go"}`), "--- a/wrap.go\n+++ b/wrap.go\n@@ -1,3 +1,3 @@\n if w {\n-\tbreak\n+\tcontinue\n }\n", false)
	}},
	{"todo", func(p *Page) {
		p.Result(p.Call("todo_write", `{"todos":[{"content":"read the code","status":"completed"},{"content":"write a test that fails on the bug, and see it fail","status":"in_progress"},{"content":"mend it","status":"pending"}]}`), "the list has 3 items now", false)
		p.Result(p.Call("update_plan", `{"plan":[{"step":"one","status":"done"}]}`), "no", true)
	}},
	{"note", func(p *Page) {
		p.SetVerbose(true)
		p.Note("todo", "reminder", "Your list is older than your work.\nBring it up to date.", "8 steps without a write")
	}},
	{"notice", func(p *Page) {
		p.Notice("mode: plan. Tools that change files are refused until you leave it.")
		p.Fault("save session 20261115-101500: disk full. Free some space; it is tried again.")
	}},
	{"scrolled", func(p *Page) {
		session(p, 20)
		p.Scroll(-30)
	}},
}

// TestScreens compares what is drawn with the screens in testdata. Run it with
// TRIMTABTEST_UPDATE=1 to write them, and read the difference.
func TestScreens(t *testing.T) {
	themes := []struct {
		name  string
		theme Theme
	}{{"plain", Plain()}, {"dark", Dark()}, {"light", Light()}, {"basic", Basic()}, {"ascii", Plain().ASCII()}}
	for _, s := range screens {
		for _, th := range themes {
			if th.name != "plain" && th.name != "dark" && s.name != "call" && s.name != "reply" {
				continue // the other themes draw the same in other colours
			}
			for _, width := range []int{80, 40} {
				name := fmt.Sprintf("%s-%s-%d", s.name, th.name, width)
				t.Run(name, func(t *testing.T) {
					p := New(th.theme)
					height := 20
					if s.name == "reply" || s.name == "call" {
						height = 76
					}
					p.Resize(width, height)
					s.draw(p)
					view := p.View()
					checkScreen(t, view, width, height)
					golden(t, name, strings.ReplaceAll(strings.TrimRight(view, "\n")+"\n", "\x1b", `\e`))
				})
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if os.Getenv("TRIMTABTEST_UPDATE") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.ReplaceAll(string(want), "\r\n", "\n"), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("another screen than %s (-kept +drawn):\n%s", file, diff)
	}
}
