package export

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// The formats of a document.
const (
	JSON     = "json"
	Markdown = "md"
	HTML     = "html"
)

// FormatOf is the format that the ending of a file's name asks for; "" where it asks
// for none.
func FormatOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".json":
		return JSON
	case ".md", ".markdown":
		return Markdown
	case ".html", ".htm":
		return HTML
	}
	return ""
}

// Writer writes documents in a format, JSON where it is "".
func Writer(format string) (func(d Document, w io.Writer) error, error) {
	switch format {
	case "", JSON:
		return Document.WriteJSON, nil
	case Markdown:
		return Document.WriteMarkdown, nil
	case HTML:
		return Document.WriteHTML, nil
	}
	return nil, fmt.Errorf("format %q is not known; give json, md or html", format)
}
