// Package sessionhtml draws a session for a browser: turns, tools, and our messages in the
// margin at their place. A shared file and the dashboard show the same markup.
//
// Text of people, models and tools never becomes markup or script: Markdown is drawn
// without raw HTML and without pictures, everything else is escaped, and what would
// deceive the eye is written out. It needs nothing from elsewhere and runs no script.
//
//	err := sessionhtml.Write(w, sessionhtml.Page{Timeline: timeline.New(s, messages, journal)})
package sessionhtml

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/timeline"
	"github.com/trimtab/trimtab/internal/termsafe"
)

//go:embed session.html style.css
var files embed.FS

// Page is a session as a file of its own.
type Page struct {
	timeline.Timeline
	Facts [][2]string // what the head lists beside the totals
}

// Style is the style sheet, for pages that hold a session among other things.
func Style() template.CSS {
	raw, _ := files.ReadFile("style.css") // embedded
	return template.CSS(raw)              // #nosec G203 -- our own file
}

// Templates returns the parts that other pages may use: "head", "turns" and "turn".
func Templates() *template.Template {
	return template.Must(template.New("").Funcs(Funcs()).ParseFS(files, "session.html"))
}

// Write writes a page that needs nothing else.
func Write(w io.Writer, p Page) error { return Templates().ExecuteTemplate(w, "file", p) }

// Funcs are what the templates call.
func Funcs() template.FuncMap {
	return template.FuncMap{
		"markdown": markdown, "plain": plain, "brief": brief, "line": line, "input": input, "kind": kind, "clock": clock, "count": count, "style": Style,
	}
}

// The most that is drawn of one text: a page is to be read, and a tool may print for ever.
const (
	maxText   = 64 << 10
	maxResult = 16 << 10
	mostLine  = 240 // characters
)

// plain makes text harmless to the eye and not longer than a page bears: the end of a
// tool's output tells more than its middle.
func plain(text string) string {
	if len(text) > maxResult {
		head, tail := trimtab.Clip(text, maxResult/2), text[len(text)-maxResult/2:]
		for !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
		}
		text = fmt.Sprintf("%s\n… %d bytes are left out …\n%s", head, len(text)-len(head)-len(tail), tail)
	}
	return termsafe.Text(text)
}

// brief tells a call of a tool in one line: the argument that says most.
func brief(raw string) string {
	var args map[string]any
	if json.Unmarshal([]byte(raw), &args) == nil {
		for _, name := range []string{"command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt"} {
			switch v := args[name].(type) {
			case string:
				return line(v)
			case []any:
				var words []string
				for _, w := range v {
					words = append(words, fmt.Sprint(w))
				}
				return line(strings.Join(words, " "))
			}
		}
		if list, ok := args["todos"].([]any); ok {
			return fmt.Sprintf("%d items", len(list))
		}
		if len(args) == 0 {
			return ""
		}
	}
	return line(raw)
}

func line(text string) string {
	text = strings.Join(strings.Fields(trimtab.Clip(text, 4*mostLine)), " ")
	if utf8.RuneCountInString(text) > mostLine {
		text = string([]rune(text)[:mostLine]) + "…"
	}
	return termsafe.Line(text)
}

// input is what a tool was given, laid out.
func input(raw string) string {
	var v any
	if json.Unmarshal([]byte(raw), &v) != nil {
		return plain(raw)
	}
	if args, ok := v.(map[string]any); ok && len(args) == 1 {
		for _, only := range args {
			if s, ok := only.(string); ok {
				return plain(s)
			}
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return plain(raw)
	}
	return plain(strings.TrimSpace(b.String()))
}

// kinds are the names of interventions as people read them.
var kinds = map[string]string{
	"todo": "todo reminder", "automata": "reflection", "mode": "mode", "guard": "loop guard", "stop": "before it stopped", "verify": "unproved", "frame": "frame", "focus": "focus",
}

func kind(by string) string {
	if name, ok := kinds[by]; ok {
		return name
	}
	return line(by)
}

func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("15:04:05")
}

// count writes a number as people read it.
func count(n int) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%.0fM", float64(n)/1e6)
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 10_000:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	case n >= 1000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}
