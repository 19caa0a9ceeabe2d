package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// WriteMarkdown writes the document for people: what was said, by whom, and
// which of it was ours. What a terminal would obey is written out.
func (d Document) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n\n", termsafe.Line(headline(d)))
	for _, f := range facts(d) {
		fmt.Fprintf(b, "- %s: %s\n", f[0], termsafe.Line(f[1]))
	}
	for _, m := range d.Messages {
		for _, p := range m.Parts {
			markdownPart(b, p)
		}
	}
	return b.Flush()
}

func headline(d Document) string {
	if d.Title != "" {
		return d.Title
	}
	return "Session " + d.ID
}

// facts are the lines at the head of a document.
func facts(d Document) [][2]string {
	all := [][2]string{
		{"session", d.ID},
		{"folder", d.Project},
		{"agent", d.Host},
		{"model", d.Model},
		{"mode", d.ModeState.Mode},
		{"begun", d.Created.UTC().Format("2006-01-02 15:04 UTC")},
		{"last change", d.Updated.UTC().Format("2006-01-02 15:04 UTC")},
	}
	var out [][2]string
	for _, f := range all {
		if f[1] != "" {
			out = append(out, f)
		}
	}
	return out
}

func markdownPart(w io.Writer, p trimtab.Part) {
	switch p := p.(type) {
	case trimtab.Text:
		fmt.Fprintf(w, "\n## %s\n\n%s\n", termsafe.Line(speaker(p)), strings.TrimRight(termsafe.Text(p.Text), "\n"))
	case trimtab.ToolCall:
		fmt.Fprintf(w, "\n### calls %s\n\n%s\n", termsafe.Line(p.Name), fenced(termsafe.Text(string(p.Input)), "json"))
	case trimtab.ToolResult:
		head := "result"
		if p.Failed {
			head = "failed"
		}
		fmt.Fprintf(w, "\n### %s\n\n%s\n", head, fenced(termsafe.Text(p.Text), ""))
	case trimtab.Opaque:
		fmt.Fprintf(w, "\n### (%s)\n", termsafe.Line(p.Kind))
	}
}

// speaker names who wrote a text.
func speaker(t trimtab.Text) string {
	switch t.By {
	case trimtab.Person:
		return "You"
	case trimtab.Unvouched:
		return "You (not vouched for)"
	case trimtab.Model:
		return "Agent"
	case trimtab.Ours:
		return "Trimtab (" + t.From + ")"
	case trimtab.Tool:
		return "Tool"
	}
	return "Host"
}

// fenced puts text into a code block whose fence does not occur in it.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
