package page

import (
	"fmt"
	"strings"
	"testing"
)

const edited = "--- a/main.go\n+++ b/main.go\n@@ -9,4 +9,5 @@\n package main\n-var wind = 1 // slow\n+var wind = 2 // slow\n+var sails = 4\n \n func main() {}\n@@ -40 +41 @@\n-old\n+entirely other\n"

// TestChat_A3_EditsAreSeen: with line numbers, what changed within a line marked, and
// without opening anything.
func TestChat_A3_EditsAreSeen(t *testing.T) {
	p := whole(Plain(), 60)
	id := p.Call("edit", `{"path":"main.go","old_text":"a\nb","new_text":"c\nd"}`)
	p.Result(id, "main.go is edited: 1 place (line 5)", false)
	p.Changed(id, edited)
	got := strings.TrimSpace(p.View())
	want := "● edit main.go  +3 −2\n │   9   package main\n │  10 - var wind = 1 // slow\n │  10 + var wind = 2 // slow\n │  11 + var sails = 4\n │  12\n │  13   func main() {}\n │     ⋮\n │  40 - old\n │  41 + entirely other"
	if trimmed(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Words are marked where lines were replaced one by one.
	p = whole(Dark(), 60)
	id = p.Call("edit", `{"path":"main.go"}`)
	p.Result(id, "", false)
	p.Changed(id, "--- a/main.go\n+++ b/main.go\n@@ -1 +1 @@\n-var wind = 10 // slow\n+var wind = 20 // slow\n")
	if v := p.View(); !strings.Contains(v, string(Dark().AddedWord)+"m20") || !strings.Contains(v, string(Dark().RemovedWord)+"m10") {
		t.Errorf("no words are marked in %q", v)
	}
}

// A long diff shows its beginning, and all of it when it is opened.
func TestALongDiffOpens(t *testing.T) {
	p := whole(Plain(), 60)
	id := p.Call("write", `{"path":"a"}`)
	p.Result(id, "", false)
	diff := "--- /dev/null\n+++ b/a\n@@ -0,0 +1,100 @@\n"
	for i := range 100 {
		diff += fmt.Sprintf("+line %d\n", i)
	}
	p.Changed(id, diff)
	if v := p.View(); strings.Contains(v, "line 50") || !strings.Contains(v, "more lines, Ctrl+T") {
		t.Error(v)
	}
	p.Toggle(id)
	if v := p.View(); !strings.Contains(v, "line 99") {
		t.Error(v)
	}
}

// TestChat_A6_TheEndOfAnOutputShows, while a command runs and after.
func TestChat_A6_TheEndOfAnOutputShows(t *testing.T) {
	p := whole(Plain(), 60)
	id := p.Call("bash", `{"command":"go test"}`)
	out := ""
	for i := range 30 {
		out += fmt.Sprintf("line %d\n", i)
	}
	p.Output(id, out)
	for _, what := range []string{"running", "ended"} {
		if v := p.View(); !strings.Contains(v, "line 29") || strings.Contains(v, "line 3\n") || !strings.Contains(v, "25 lines above") {
			t.Errorf("%s: %s", what, v)
		}
		p.Result(id, out, true)
	}
}

// TestChat_A5_AFoldIsALineThatOpens.
func TestChat_A5_AFoldIsALineThatOpens(t *testing.T) {
	p := whole(Plain(), 60)
	id := p.Folded("folded 12 messages (build a mill)", "It stands.\nIt turns.")
	if v := p.View(); !strings.Contains(v, "folded 12 messages") || strings.Contains(v, "It turns.") {
		t.Error(v)
	}
	p.Toggle(id)
	if v := p.View(); !strings.Contains(v, "It turns.") {
		t.Error(v)
	}
}

// TestChat_C_APasteOfManyLinesIsAFew in the transcript, and opens.
func TestChat_C_APasteOfManyLinesIsAFew(t *testing.T) {
	p := whole(Plain(), 60)
	text := ""
	for i := range 5000 {
		text += fmt.Sprintf("line %d\n", i)
	}
	id := p.Prompt(text + "the end")
	if v := p.View(); !strings.Contains(v, "line 11") || strings.Contains(v, "line 12\n") || !strings.Contains(v, "4989 more lines") {
		t.Error(v[:600])
	}
	p.Toggle(id)
	p.Bottom()
	if v := p.View(); !strings.Contains(v, "the end") {
		t.Error(v[:600])
	}
}

func trimmed(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, strings.TrimRight(line, " "))
	}
	return strings.Join(out, "\n")
}
