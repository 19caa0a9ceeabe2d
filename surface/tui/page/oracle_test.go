package page

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// TestProseIsReadAsCommonMark compares our reading of a paragraph, character by
// character, with that of a parser which passes the tests of CommonMark.
func TestProseIsReadAsCommonMark(t *testing.T) {
	marks := []string{"a", "b", " ", "*", "**", "_", "__", "`", "``", "\\", "[", "](u)", "]", "!", "(", ")", ".", "é", "***", "\"", "x y", "![", "[c](<v w> \"t\")"}
	md := goldmark.New()
	rapid.Check(t, func(t *rapid.T) {
		src := "x" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(marks), 0, 14).Draw(t, "src"), "") + "x"
		doc := md.Parser().Parse(text.NewReader([]byte(src)))
		var want []string
		collect(doc, []byte(src), "", &want)
		var got []string
		for _, s := range newPen(Dark()).prose(src, inkText) {
			style := ""
			for i, name := range []string{"strong", "emph", "strike", "code", "link"} {
				if s.ink&(inkStrong<<i) != 0 {
					style += " " + name
				}
			}
			if s.ink&inkBase == inkAddress {
				style = " address"
			}
			for _, r := range s.text {
				got = append(got, string(r)+style)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-commonmark +ours):\n%s", src, diff)
		}
	})
}

// collect writes each character of a tree with its styles.
func collect(n ast.Node, src []byte, style string, out *[]string) {
	put := func(text, style string) {
		sorted := ""
		for _, name := range []string{"strong", "emph", "strike", "code", "link", "address"} {
			if strings.Contains(style, name) {
				sorted += " " + name
			}
		}
		for _, r := range text {
			*out = append(*out, string(r)+sorted)
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			s := string(c.Segment.Value(src))
			if !strings.Contains(style, "code") {
				s = unescape(s)
			}
			put(s, style)
		case *ast.RawHTML: // shown as it is
			for i := range c.Segments.Len() {
				seg := c.Segments.At(i)
				put(string(seg.Value(src)), style)
			}
		case *ast.Emphasis:
			collect(c, src, style+[]string{"", " emph", " strong"}[c.Level], out)
		case *ast.CodeSpan:
			collect(c, src, style+" code", out)
		case *ast.Link:
			collectLink(c, string(c.Destination), src, style, out, put)
		case *ast.Image:
			collectLink(c, string(c.Destination), src, style, out, put)
		default:
			collect(c, src, style, out)
		}
	}
}

func collectLink(n ast.Node, dest string, src []byte, style string, out *[]string, put func(text, style string)) {
	before := len(*out)
	collect(n, src, style+" link", out)
	if len(*out) == before {
		put(dest, style+" link")
		return
	}
	label := ""
	for _, c := range (*out)[before:] {
		r, _ := utf8.DecodeRuneInString(c)
		label += string(r)
	}
	if dest != "" && label != dest {
		put(" ("+dest+")", "address")
	}
}

func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && punct(s[i+1]) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
