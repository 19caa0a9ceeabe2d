package sessionhtml_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessionhtml"
	"github.com/trimtab/trimtab/export/timeline"
)

// hostile is text that would like to be more than text.
var hostile = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `[a](javascript:alert(1))`, `![p](https://evil.example/p.png)`,
	"```html\n</pre><script>alert(1)</script>\n```", `</style></title></textarea><iframe src=//evil.example>`, `<a href="data:text/html,x">x</a>`, `[x]: javascript:alert(1)` + "\n\n[x]",
	"\u202eevil\u202c", strings.Repeat("🙂", 5000), strings.Repeat("x", 10<<20), strings.Repeat("[", 5000), strings.Repeat("> ", 3000) + "deep", "{{.Info}}", "&lt;b&gt;", "<!--", "\x00\x1b[31m",
}

func page(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"command": text})
	if err != nil {
		t.Fatal(err)
	}
	messages := []trimtab.Message{
		{ID: `m1" onclick="x`, Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Person}}},
		{ID: "m2", Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model}, trimtab.ToolCall{ID: "c", Name: text, Input: raw}}},
		{ID: "m3", Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: text, Failed: true}}},
		{ID: "m4", Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Host}}},
	}
	journal := []trimtab.Entry{
		{Event: trimtab.Said{Message: trimtab.Message{ID: "m3"}}},
		{Event: trimtab.Calling{}, Changes: []trimtab.Change{{Kind: trimtab.Injected, By: text, Slot: text, Note: 1, Text: text, Why: text, Seat: trimtab.Seat{Ref: trimtab.Ref{ID: "m3"}, After: true}}}},
		{Event: trimtab.Using{Call: trimtab.ToolCall{Name: text}}, Actions: []trimtab.Taken{{By: "x", Action: trimtab.Deny{Why: text}}, {By: "x", Action: trimtab.Notify{Text: text}}}},
	}
	var b bytes.Buffer
	p := sessionhtml.Page{Timeline: timeline.New(trimtab.Session{Info: trimtab.Info{ID: "s", Title: text}}, messages, journal), Facts: [][2]string{{"folder", text}}}
	if err := sessionhtml.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inert walks the markup as a browser would and finds what could act or load.
func inert(t *testing.T, text string) {
	t.Helper()
	allowed := map[string]bool{
		"html": true, "head": true, "body": true, "meta": true, "title": true, "style": true, "main": true, "header": true, "h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true,
		"dl": true, "dt": true, "dd": true, "div": true, "small": true, "fieldset": true, "legend": true, "label": true, "input": true, "section": true, "article": true, "aside": true, "details": true, "summary": true,
		"span": true, "code": true, "pre": true, "p": true, "time": true, "a": true, "em": true, "strong": true, "ul": true, "ol": true, "li": true, "blockquote": true, "hr": true, "br": true, "del": true,
		"table": true, "thead": true, "tbody": true, "tr": true, "th": true, "td": true,
	}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			if !allowed[tok.Data] {
				t.Errorf("there is a <%s>", tok.Data)
			}
			for _, a := range tok.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "style" || a.Key == "href" && !strings.HasPrefix(a.Val, "http") && !strings.HasPrefix(a.Val, "#") && a.Val != "" {
					t.Errorf("<%s %s=%.60q>", tok.Data, a.Key, a.Val)
				}
			}
		}
	}
}

func TestV6_TextNeverBecomesMarkup(t *testing.T) {
	for _, text := range hostile {
		got := page(t, text)
		inert(t, got)
		if len(got) > 2<<20 {
			t.Errorf("%.30q: a page of %d bytes", text, len(got))
		}
		if strings.ContainsAny(got, "\u202e\x1b\x00") {
			t.Errorf("%.30q: what deceives the eye is in the page", text)
		}
	}
}

func FuzzPage(f *testing.F) {
	for _, text := range hostile {
		if len(text) < 1<<16 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { inert(t, page(t, text)) })
}

func TestV9_MarkdownIsDrawn(t *testing.T) {
	got := page(t, "# Title\n\n**bold** and `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done")
	for _, want := range []string{"<strong>bold</strong>", "<code>code</code>", "<td>1</td>", "<h1>Title</h1>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if i := strings.Index(got, `class="reply"`); i < 0 || strings.Contains(got[i:i+200], "**bold**") {
		t.Error("the reply stands there raw")
	}
}
