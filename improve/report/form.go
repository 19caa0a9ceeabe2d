package report

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/improve"
)

// Form is the form of a report.
type Form string

// The forms.
const (
	AsText     Form = "text"
	AsJSON     Form = "json"
	AsMarkdown Form = "markdown"
	AsHTML     Form = "html"
)

// Asked is what a person said of the form of a report.
type Asked struct {
	File           string // to write to; its ending may say the form
	HTML           string // a file for a page
	JSON, Markdown bool
}

// FormOf returns the form that is asked for, and an error where there are several.
func FormOf(a Asked) (Form, error) {
	a.File = cmp.Or(a.File, a.HTML)
	switch strings.ToLower(filepath.Ext(a.File)) {
	case ".json":
		a.JSON = true
	case ".md", ".markdown":
		a.Markdown = true
	case ".html", ".htm":
		a.HTML = a.File
	}
	if a.JSON && a.Markdown || a.HTML != "" && (a.JSON || a.Markdown || a.HTML != a.File) {
		return "", errors.New("--json, --markdown, --html and --output do not go together")
	}
	switch {
	case a.HTML != "":
		return AsHTML, nil
	case a.JSON:
		return AsJSON, nil
	case a.Markdown:
		return AsMarkdown, nil
	}
	return AsText, nil
}

// Writer is what writes a reflection in a form.
func (l Layout) Writer(f Form) func(io.Writer, improve.Reflection) error {
	switch f {
	case AsHTML:
		return l.HTML
	case AsJSON:
		return JSON
	case AsMarkdown:
		return l.Markdown
	case AsText:
	}
	return l.Text
}
