package export

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/trimtab/trimtab"
)

//go:embed page.html
var page string

type htmlPart struct {
	Class, Head, Body string
	Code              bool
}

// WriteHTML writes the document as one page that needs nothing else and runs no
// script.
func (d Document) WriteHTML(w io.Writer) error {
	t, err := template.New("page").Parse(page)
	if err != nil {
		return err
	}
	var parts []htmlPart
	for _, m := range d.Messages {
		for _, p := range m.Parts {
			parts = append(parts, htmlOf(p))
		}
	}
	return t.Execute(w, struct {
		Title string
		Facts [][2]string
		Parts []htmlPart
	}{headline(d), facts(d), parts})
}

func htmlOf(p trimtab.Part) htmlPart {
	switch p := p.(type) {
	case trimtab.Text:
		h := htmlPart{Head: speaker(p), Body: p.Text}
		if p.By == trimtab.Ours {
			h.Class = "ours"
		}
		return h
	case trimtab.ToolCall:
		return htmlPart{Head: "calls " + p.Name, Body: string(p.Input), Code: true}
	case trimtab.ToolResult:
		if p.Failed {
			return htmlPart{Class: "failed", Head: "failed", Body: p.Text, Code: true}
		}
		return htmlPart{Head: "result", Body: p.Text, Code: true}
	case trimtab.Opaque:
		return htmlPart{Head: "(" + p.Kind + ")"}
	}
	return htmlPart{}
}
