package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

const readSchema = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "the file, relative to the project folder"},
    "offset": {"type": "integer", "minimum": 1, "description": "first line to show, from 1"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100000, "description": "how many lines to show; 2000 if not given"}
  },
  "required": ["path"],
  "additionalProperties": false
}`

const readLines, mostLines = 2000, 100000

type readInput struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// Read returns the tool that shows a text file.
func (f *Folder) Read() Tool { return define("read", readSchema, f.read) }

func (f *Folder) read(ctx context.Context, in readInput) (text string, failed error) {
	switch {
	case in.Path == "":
		return "", errors.New(`"path" is missing: name a file`)
	case in.Offset < 0 || in.Limit < 0 || in.Limit > mostLines:
		return "", fmt.Errorf(`"offset" counts from 1 and "limit" goes up to %d`, mostLines)
	}
	in.Offset = max(in.Offset, 1)
	if in.Limit == 0 {
		in.Limit = readLines
	}
	rel, info, err := f.find(in.Path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("%q is a folder; list shows what is in it", rel)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%q is %s, not a regular file", rel, special(info.Mode()))
	}
	file, info, err := f.open(rel)
	if err != nil {
		return "", err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 64<<10)
	if info.Size() <= maxChange { // what may be changed later is known as it was shown
		raw, err := io.ReadAll(io.LimitReader(file, maxChange+1))
		if err != nil {
			return "", f.explain(rel, err)
		}
		r.Reset(io.MultiReader(bytes.NewReader(raw), file))
		defer func() { f.keep(ctx, rel, raw, failed) }()
	}
	head, err := r.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", f.explain(rel, err)
	}
	if kind := kindOf(head); kind != "" {
		return "", fmt.Errorf("%q is %s (%d bytes), not text that can be shown", rel, kind, info.Size())
	}
	if len(head) == 0 {
		return "[the file is empty]", nil
	}
	page, err := readPage(ctx, r, in.Offset, in.Limit)
	if err != nil {
		return "", f.explain(rel, err)
	}
	return page.text(in.Offset)
}

// keep takes note of a file that the model was shown.
func (f *Folder) keep(ctx context.Context, rel string, raw []byte, failed error) {
	if failed != nil || len(raw) > maxChange {
		return
	}
	if real, err := f.real(rel); err == nil {
		f.memo.saw(ctx, real, raw)
	}
}

// page is a run of lines of a file.
type page struct {
	body  []byte
	start int  // of the last line in body
	lines int  // in body
	seen  int  // lines up to the end of body
	more  bool // lines follow
	cut   bool // the last line is not whole
}

// readPage reads limit lines from the line offset on, and no more than maxRead
// bytes. It stops there: how long the rest is nobody knows.
func readPage(ctx context.Context, r *bufio.Reader, offset, limit int) (p page, err error) {
	if _, err := r.Discard(bom(r)); err != nil {
		return p, err
	}
	whole := true // the reader stands at the start of a line
	for {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		if whole && p.lines == limit {
			_, err := r.Peek(1)
			p.more = err == nil
			return p, nil
		}
		piece, err := r.ReadSlice('\n')
		if len(piece) > 0 {
			if whole {
				p.seen++
			}
			if p.seen >= offset && !p.add(piece, whole) {
				return p, nil
			}
			whole = piece[len(piece)-1] == '\n'
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return p, nil
		case err != nil:
			return p, err
		}
	}
}

// add takes in a piece of a line, and reports false where the page is full. A line
// that does not fit is left for the next page, unless it is the first.
func (p *page) add(piece []byte, begins bool) bool {
	if begins {
		p.lines, p.start = p.lines+1, len(p.body)
	}
	free := maxRead - len(p.body)
	if len(piece) <= free {
		p.body = append(p.body, piece...)
		return true
	}
	p.more = true
	if p.start > 0 {
		p.body, p.lines, p.seen = p.body[:p.start], p.lines-1, p.seen-1
	} else {
		p.body, p.cut = append(p.body, piece[:free]...), true
	}
	return false
}

// bom is the size of the byte order mark that the reader stands at.
func bom(r *bufio.Reader) int {
	if head, _ := r.Peek(3); string(head) == "\uFEFF" {
		return 3
	}
	return 0
}

func (p page) text(offset int) (string, error) {
	if p.lines == 0 {
		return "", fmt.Errorf("the file ends at line %d; give a smaller offset than %d", p.seen, offset)
	}
	var notes []string
	body := bytes.ReplaceAll(p.body, []byte("\r\n"), []byte("\n"))
	if p.cut {
		for n := 0; n < utf8.UTFMax && len(body) > 0 && !utf8.Valid(body[max(0, len(body)-utf8.UTFMax):]); n++ {
			body = body[:len(body)-1]
		}
		notes = append(notes, fmt.Sprintf("line %d is longer than can be shown: the rest of it is left out; go on with offset=%d", p.seen, p.seen+1))
	} else if p.more {
		notes = append(notes, fmt.Sprintf("lines %d to %d shown; go on with offset=%d", offset, p.seen, p.seen+1))
	}
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
		notes = append(notes, "bytes that are not UTF-8 are shown as \uFFFD")
	}
	text := strings.TrimSuffix(string(body), "\n")
	for _, n := range notes {
		text += "\n[" + n + "]"
	}
	return text, nil
}

func special(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}
