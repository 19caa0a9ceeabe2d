package edit

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// show draws the text with a bar at the cursor.
func show(e *Text) string {
	if len(e.lines) == 0 {
		return "|"
	}
	lines := append([]string{}, e.lines...)
	lines[e.row] = lines[e.row][:e.col] + "|" + lines[e.row][e.col:]
	return strings.Join(lines, "\n")
}

// do takes the text through steps by their names.
func do(e *Text, steps ...string) {
	for _, s := range steps {
		switch s {
		case "left":
			e.Left()
		case "right":
			e.Right()
		case "home":
			e.Home()
		case "end":
			e.End()
		case "top":
			e.Top()
		case "bottom":
			e.Bottom()
		case "up":
			e.Up(10)
		case "down":
			e.Down(10)
		case "word-left":
			e.WordLeft()
		case "word-right":
			e.WordRight()
		case "backspace":
			e.Backspace()
		case "delete":
			e.Delete()
		case "kill-before":
			e.KillBefore()
		case "kill-after":
			e.KillAfter()
		case "kill-word":
			e.KillWord()
		case "kill-right":
			e.KillWordRight()
		case "yank":
			e.Yank()
		case "undo":
			e.Undo()
		case "clear":
			e.Clear()
		default:
			e.Insert(s)
		}
	}
}

func TestTheCursorMovesByWhatTheEyeSees(t *testing.T) {
	for _, tt := range []struct{ steps, want string }{
		{"", "|"},
		{"a b", "a b|"},
		{"ab,left", "a|b"},
		{"ab,left,left,left", "|ab"},
		{"ab,right", "ab|"},
		{"a👩‍👩‍👧b,left,left", "a|👩‍👩‍👧b"},
		{"e\u0301x,left,left", "|e\u0301x"},
		{"日本,left", "日|本"},
		{"one\ntwo,home,left", "one|\ntwo"},
		{"one\ntwo,top,end,right", "one\n|two"},
		{"one\ntwo,top,bottom", "one\ntwo|"},
		{"ab cd_e-f,word-left", "ab cd_e-|f"},
		{"ab cd_e-f,word-left,word-left", "ab |cd_e-f"},
		{"ab cd,home,word-right", "ab| cd"},
		{"ab\ncd,home,word-left", "ab|\ncd"},
		{"one\nlonger,up", "one|\nlonger"},
		{"one\nlonger,top,right,down", "one\nl|onger"},
		{"aaaa bbbb cccc,up", "aaaa| bbbb cccc"},
		{"日本語日本語,home,down", "日本語日本|語"},
	} {
		var e Text
		do(&e, strings.Split(tt.steps, ",")...)
		if got := show(&e); got != tt.want {
			t.Errorf("%q gives %q, want %q", tt.steps, got, tt.want)
		}
	}
}

func TestWhatIsTakenAwayCanBePutBack(t *testing.T) {
	for _, tt := range []struct{ steps, want string }{
		{"ab,backspace", "a|"},
		{"a👩‍👩‍👧,backspace", "a|"},
		{"one\ntwo,home,backspace", "one|two"},
		{"one\ntwo,top,end,delete", "one|two"},
		{"ab,home,delete", "|b"},
		{"one two,kill-word", "one |"},
		{"one two  ,kill-word", "one |"},
		{"src/x.go y,home,kill-right", "|/x.go y"},
		{"one two,kill-word,yank,yank", "one twotwo|"},
		{"one two,home,right,kill-after", "o|"},
		{"one two,home,right,kill-after,yank", "one two|"},
		{"one\ntwo,kill-before", "one\n|"},
		{"one,clear,undo", "one|"},
		{"one,backspace,backspace,undo", "one|"},
		{"a,b,c,undo", "|"},
		{"a,b, ,c,undo", "ab |"},
		{"a,undo,undo", "|"},
		{"backspace,delete,kill-before,kill-after,kill-word,kill-right,yank,undo,left,right,up,down,end", "|"},
	} {
		var e Text
		do(&e, strings.Split(tt.steps, ",")...)
		if got := show(&e); got != tt.want {
			t.Errorf("%q gives %q, want %q", tt.steps, got, tt.want)
		}
	}
}

// TestChat_A1_WhatIsPastedStaysAndIsDrawnHarmless: only line ends become the same, and
// bytes that are no text the sign for that.
func TestChat_A1_WhatIsPastedStaysAndIsDrawnHarmless(t *testing.T) {
	var e Text
	e.Insert("a\x1b[Zb\r\nc\rd\te\u202e می\u200cخواهم\xff")
	if want := "a\x1b[Zb\nc\nd\te\u202e می\u200cخواهم\ufffd"; e.String() != want {
		t.Errorf("got %q, want %q", e.String(), want)
	}
	rows, x, y := e.Rows(60, 9)
	if want := "a␛[Zb|c|d    e<U+202E> می\u200cخواهم\ufffd"; strings.Join(rows, "|") != want || x != ansi.StringWidth(rows[2]) || y != 2 {
		t.Errorf("drawn as %q with the cursor at %d,%d", rows, x, y)
	}
	e.Left()
	e.Left()
	if _, _ = e.At(); !strings.HasSuffix(e.Before(), "خواه") {
		t.Errorf("the cursor is behind %q", e.Before())
	}
}

func TestATextThatIsTooLongIsNotTaken(t *testing.T) {
	var e Text
	if e.Insert(strings.Repeat("x", MaxSize+1)) || !e.Empty() {
		t.Error("it was taken")
	}
	if !e.Insert(strings.Repeat("x", MaxSize)) || e.Insert("y") || e.Size() != MaxSize {
		t.Errorf("size %d, want %d", e.Size(), MaxSize)
	}
}

func TestRowsBreakBetweenWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
		x, y int
	}{
		{"", []string{""}, 0, 0},
		{"one two three", []string{"one two", "three"}, 5, 1},
		{"abcdefghijkl", []string{"abcdefghij", "kl"}, 2, 1},
		{"日本語日本語", []string{"日本語日本", "語"}, 2, 1},
		{"abcdefghij", []string{"abcdefghij"}, 10, 0},
		{"a\n\nb", []string{"a", "", "b"}, 1, 2},
	} {
		var e Text
		e.Insert(tt.text)
		rows, x, y := e.Rows(10, 5)
		if diff := cmp.Diff(tt.want, rows); diff != "" || x != tt.x || y != tt.y {
			t.Errorf("%q: cursor %d,%d, want %d,%d; rows (-want +got):\n%s", tt.text, x, y, tt.x, tt.y, diff)
		}
	}
}

func TestALongTextShowsWhereTheCursorIs(t *testing.T) {
	var e Text
	for i := range 50 {
		e.Insert(fmt.Sprintf("line %d\n", i))
	}
	e.Backspace()
	rows, _, y := e.Rows(20, 4)
	if diff := cmp.Diff([]string{"line 46", "line 47", "line 48", "line 49"}, rows); diff != "" || y != 3 {
		t.Errorf("cursor in row %d (-want +got):\n%s", y, diff)
	}
	e.Up(20) // the view stands still while the cursor is in it
	e.Up(20)
	rows, _, y = e.Rows(20, 4)
	if diff := cmp.Diff([]string{"line 46", "line 47", "line 48", "line 49"}, rows); diff != "" || y != 1 {
		t.Errorf("cursor in row %d (-want +got):\n%s", y, diff)
	}
	e.Top()
	rows, _, y = e.Rows(20, 4)
	if diff := cmp.Diff([]string{"line 0", "line 1", "line 2", "line 3"}, rows); diff != "" || y != 0 {
		t.Errorf("cursor in row %d (-want +got):\n%s", y, diff)
	}
}

// Any text and any steps: nothing breaks, the cursor is between characters, and
// what is drawn fits.
func FuzzText(f *testing.F) {
	f.Add("hello\nworld", "lrudhewxbz", 20, 3)
	f.Add("👩‍👩‍👧 日本語 e\u0301\x1b[Z\r\n\t", "lllbbddkyKWu", 5, 1)
	f.Add(strings.Repeat("a", 600)+"é", "bblll", 80, 10)
	f.Add("\xee0", "l", 20, 3)
	f.Fuzz(func(t *testing.T, text, steps string, width, height int) {
		width, height = 2+abs(width)%300, 1+abs(height)%50
		var e Text
		e.Insert(text)
		names := map[rune]string{
			'l': "left", 'r': "right", 'u': "up", 'd': "down", 'h': "home", 'e': "end", 'w': "word-left", 'x': "word-right", 'b': "backspace", 'D': "delete",
			'k': "kill-after", 'K': "kill-before", 'W': "kill-word", 'R': "kill-right", 'y': "yank", 'z': "undo", 't': "top", 'T': "bottom",
		}
		for _, s := range steps[:min(len(steps), 100)] {
			if name := names[s]; name != "" {
				do(&e, name)
			} else {
				e.Insert(string(s))
			}
			check(t, &e, width, height)
		}
	})
}

func check(t *testing.T, e *Text, width, height int) {
	t.Helper()
	if !utf8.ValidString(e.Before()) || !utf8.ValidString(e.String()) {
		t.Fatalf("not text: %q", show(e))
	}
	rows, x, y := e.Rows(width, height)
	if len(rows) > height || len(rows) == 0 || y < 0 || y >= len(rows) || x < 0 || x > width {
		t.Fatalf("%d rows, cursor at %d,%d in %dx%d", len(rows), x, y, width, height)
	}
	for _, r := range rows {
		if w := ansi.StringWidth(r); w > width {
			t.Fatalf("row %q is %d cells wide, at most %d", r, w, width)
		}
		if strings.ContainsAny(r, "\x1b\r\n\t\u009b") {
			t.Fatalf("row %q would be obeyed", r)
		}
	}
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
