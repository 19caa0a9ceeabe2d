package page

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// checkScreen holds a View to its promise: exactly height lines, none wider than
// the screen on any terminal, and no control character but our colours.
func checkScreen(t testing.TB, view string, width, height int) {
	t.Helper()
	lines := strings.Split(view, "\n")
	if len(lines) != max(height, 1) {
		t.Fatalf("%d lines on a screen of %d", len(lines), height)
	}
	for i, line := range lines {
		if w, wc := ansi.StringWidth(line), ansi.StringWidthWc(line); w > width || wc > width {
			t.Fatalf("line %d has %d cells (%d counted by character) on a screen of %d: %q", i, w, wc, width, line)
		}
		if !utf8.ValidString(line) {
			t.Fatalf("line %d is not UTF-8: %q", i, line)
		}
		open := false
		for _, s := range sgr.FindAllString(line, -1) {
			open = s != "\x1b[m"
		}
		if open {
			t.Fatalf("line %d leaves a style open: %q", i, line)
		}
		for _, r := range sgr.ReplaceAllString(line, "") {
			if unicode.IsControl(r) || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("line %d has %U: %q", i, r, line)
			}
		}
	}
}

func FuzzPage(f *testing.F) {
	for _, s := range []string{
		sample, "", "\x00", "\xff\xfe", "**", "`", "```", "- - - a", "> > >", "|a|\n|-|\n|b|", "[a](b", "![](<>)", "<http://x>", "&#27;[2J",
		"\x1b]52;c;aGk=\a\x1b[2J\x1b]0;title\a", "a\u202eb", "e\u0301\u0301", "👩‍👩‍👧‍👦", "🇩🇪🇩", "\t\ta", "a\r\nb\rc", "1. a\n1. b\n\n    c",
		strings.Repeat("x", 5000), strings.Repeat("漢", 3000), strings.Repeat("- ", 60), strings.Repeat("> ", 60), strings.Repeat("[", 400), strings.Repeat("*a_", 400),
		"\u1100\u1100\u1100\u1100\u1100\u1100\u1161", "#\n##\n###### x #", "a\n===\n---\n***", "~~~\n\tx\n~~~", "| a | b |\n|---|:-:|\n| \\| | `|` |\n|x|",
	} {
		f.Add(s, 20+len(s)%61, 24, 3)
	}
	f.Fuzz(func(t *testing.T, text string, width, height, step int) {
		if len(text) > 1<<16 {
			return
		}
		width, height, step = wrapTo(width, 0, 300), wrapTo(height, 0, 60), wrapTo(step, 1, 50)
		for _, theme := range []Theme{Dark(), Plain().ASCII()} {
			p := New(theme)
			p.Resize(width, height)
			check := func() { t.Helper(); checkScreen(t, p.View(), width, height) }
			p.SetVerbose(true)
			p.Prompt(text)
			reply := p.Reply()
			half := len(text) / 2
			p.Append(reply, text[:half])
			check()
			p.Append(reply, text[half:])
			p.Append(p.Thought(), text)
			call := p.Call(text, text)
			check()
			p.Result(call, text, true)
			p.Note(text, text, text, text)
			p.Notice(text)
			p.Fault(text)
			check()
			p.ToggleAll()
			check()
			for range 6 {
				p.Scroll(-step)
				check()
			}
			p.Resize(wrapTo(width*7, 0, 300), height)
			checkScreen(t, p.View(), wrapTo(width*7, 0, 300), height)
			p.Resize(width, height)
			p.Close(reply, "")
			p.Top()
			check()
			p.PageDown()
			p.Scroll(step)
			check()
			for _, r := range p.Text() {
				if unicode.IsControl(r) && r != '\n' && r != '\t' {
					t.Fatalf("%U in the text", r)
				}
			}
		}
	})
}

func wrapTo(n, low, high int) int {
	span := high - low + 1
	return low + ((n-low)%span+span)%span
}
