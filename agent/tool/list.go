package tool

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
)

const listSchema = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "the folder, relative to the project folder; the project folder itself if not given"},
    "depth": {"type": "integer", "minimum": 1, "maximum": 10, "description": "how many levels to show; 2 if not given"},
    "all": {"type": "boolean", "description": "also show what .gitignore and .ignore name"}
  },
  "additionalProperties": false
}`

const listDepth, mostDepth, maxListed = 2, 10, 1000

type listInput struct {
	Path  string `json:"path"`
	Depth int    `json:"depth"`
	All   bool   `json:"all"`
}

// List returns the tool that shows what is in a folder.
func (f *Folder) List() Tool { return define("list", listSchema, f.list) }

func (f *Folder) list(ctx context.Context, in listInput) (string, error) {
	if in.Depth < 0 || in.Depth > mostDepth {
		return "", fmt.Errorf(`"depth" goes from 1 to %d`, mostDepth)
	}
	if in.Depth == 0 {
		in.Depth = listDepth
	}
	if in.Path == "" {
		in.Path = "."
	}
	rel, info, err := f.find(in.Path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%q is a file; read shows it", rel)
	}
	l := &listing{Folder: f, depth: in.Depth}
	w := &walk{Folder: f, depth: in.Depth, all: in.All, visit: l.add}
	if err := w.from(ctx, rel); err != nil {
		return "", err
	}
	return l.close(w.unread), nil
}

// listing is the text of a list as it grows.
type listing struct {
	*Folder
	sheet
	depth          int
	files, folders int
	bytes          int64
	hidden, closed int // entries that are ignored; folders not gone into
	enough         bool
}

func (l *listing) add(e entry) error {
	if e.hidden {
		l.hidden++
		return nil
	}
	if l.enough = l.enough || l.files+l.folders == maxListed; l.enough {
		return errEnough
	}
	line := fmt.Sprintf("%10s  %s", l.measure(e), display(e.path))
	if e.dir() {
		line += "/"
	}
	if l.enough = !l.line(line); l.enough {
		return errEnough
	}
	if !e.dir() {
		l.files++
		return nil
	}
	l.folders++
	if e.depth == l.depth {
		l.closed++
	}
	return nil
}

// measure says how large an entry is, or what it is.
func (l *listing) measure(e entry) string {
	switch {
	case e.dir():
		return "dir"
	case e.kind&fs.ModeSymlink != 0:
		return "link"
	case !e.kind.IsRegular():
		return "special"
	}
	info, err := l.root.Lstat(filepath.FromSlash(e.path))
	if err != nil {
		return "?"
	}
	l.bytes += info.Size()
	return strconv.FormatInt(info.Size(), 10)
}

func (l *listing) close(unread []string) string {
	if l.files+l.folders == 0 && len(unread) == 0 {
		l.sum("the folder is empty")
	} else {
		at := ""
		if l.enough {
			at = "at least "
		}
		l.sum("%s%s and %s, %d bytes", at, plural.Count(l.files, "file"), plural.Count(l.folders, "folder"), l.bytes)
	}
	if l.enough {
		l.note("more follows; name a folder with path, or give a smaller depth")
	}
	if l.closed > 0 && !l.enough {
		l.note("%s at depth %d not gone into; name one with path, or give a larger depth", plural.Count(l.closed, "folder"), l.depth)
	}
	if l.hidden > 0 {
		l.note("%s not shown because of .gitignore or .ignore; all=true shows them", plural.Irregular(l.hidden, "entry", "entries"))
	}
	if len(unread) > 0 {
		l.note("not readable, or too large: %s", few(unread))
	}
	return l.text()
}

// few names the first of some paths and counts the rest.
func few(paths []string) string {
	const most = 5
	var names []string
	for _, p := range paths[:min(len(paths), most)] {
		names = append(names, trimtab.Clip(display(p), 200))
	}
	text := strings.Join(names, ", ")
	if rest := len(paths) - most; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// display shows a path on one line, whatever characters it has.
func display(name string) string {
	for _, r := range name {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar || r == '"' {
			return strconv.Quote(name)
		}
	}
	return name
}
