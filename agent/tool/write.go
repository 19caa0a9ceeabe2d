package tool

import (
	"bytes"
	"context"
	"fmt"

	"github.com/trimtab/trimtab/internal/plural"
)

const writeSchema = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "the file, relative to the project folder"},
    "content": {"type": "string", "description": "all that the file is to hold"}
  },
  "required": ["path", "content"],
  "additionalProperties": false
}`

type writeInput struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
}

// Write returns the tool that writes a whole file.
func (f *Folder) Write() Tool { return changer(f, "write", writeSchema, f.planWrite) }

func (f *Folder) planWrite(ctx context.Context, in writeInput) (change, error) {
	if in.Content == nil {
		return change{}, fmt.Errorf(`"content" is missing: give all that the file is to hold`)
	}
	rel, info, err := f.target(in.Path)
	if err != nil {
		return change{}, err
	}
	c := change{rel: rel, isNew: info == nil, after: []byte(*in.Content), mode: 0o644}
	if kind := kindOf(c.after[:min(len(c.after), sniffed)]); kind != "" {
		return change{}, fmt.Errorf("the content is %s; only text is written", kind)
	}
	if c.isNew {
		c.did = fmt.Sprintf("%s is written: %s", display(rel), size(c.after))
		return c, nil
	}
	c.mode = info.Mode()
	if c.before, err = f.load(rel); err != nil {
		return change{}, err
	}
	if err := f.memo.fresh(ctx, rel, c.before); err != nil {
		return change{}, err
	}
	c.after = likeBefore(c.before, c.after)
	if bytes.Equal(c.before, c.after) {
		return change{}, fmt.Errorf("%q holds exactly this already; nothing is to be done", rel)
	}
	c.did = fmt.Sprintf("%s is written: %s (before: %s)", display(rel), size(c.after), size(c.before))
	return c, nil
}

// likeBefore gives the text of a file the form that the file had and that read
// does not show: a byte order mark, and line ends of two characters.
func likeBefore(before, after []byte) []byte {
	if len(after) == 0 {
		return after
	}
	if lineEnd(before) == "\r\n" && !bytes.Contains(after, []byte("\r")) {
		after = bytes.ReplaceAll(after, []byte("\n"), []byte("\r\n"))
	}
	mark := []byte("\uFEFF")
	if bytes.HasPrefix(before, mark) && !bytes.HasPrefix(after, mark) {
		after = append(mark, after...)
	}
	return after
}

// lineEnd is how most lines of a text end.
func lineEnd(text []byte) string {
	all, two := bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n"))
	if two > all-two {
		return "\r\n"
	}
	return "\n"
}

func size(text []byte) string {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return fmt.Sprintf("%s, %s", plural.Count(n, "line"), plural.Count(len(text), "byte"))
}
