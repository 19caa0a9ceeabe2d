package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
)

const editSchema = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "the file, relative to the project folder"},
    "old_text": {"type": "string", "minLength": 1, "description": "the text to replace, exactly as it stands in the file; it must occur once"},
    "new_text": {"type": "string", "description": "what takes its place"},
    "replace_all": {"type": "boolean", "description": "replace every occurrence"}
  },
  "required": ["path", "old_text", "new_text"],
  "additionalProperties": false
}`

type editInput struct {
	Path string  `json:"path"`
	Old  string  `json:"old_text"`
	New  *string `json:"new_text"`
	All  bool    `json:"replace_all"`
}

// Edit returns the tool that replaces a piece of a file.
func (f *Folder) Edit() Tool { return changer(f, "edit", editSchema, f.planEdit) }

func (f *Folder) planEdit(ctx context.Context, in editInput) (change, error) {
	switch {
	case in.Old == "":
		return change{}, errors.New(`"old_text" is empty: give the text to replace; write makes a new file`)
	case in.New == nil:
		return change{}, errors.New(`"new_text" is missing: give what takes the place of old_text; "" takes it away`)
	case in.Old == *in.New:
		return change{}, errors.New(`"old_text" and "new_text" are the same; nothing is to be done`)
	}
	rel, info, err := f.target(in.Path)
	if err != nil {
		return change{}, err
	}
	if info == nil {
		return change{}, fmt.Errorf("there is no %q in the project folder; write makes a new file", rel)
	}
	c := change{rel: rel, mode: info.Mode()}
	if c.before, err = f.load(rel); err != nil {
		return change{}, err
	}
	if err := f.memo.fresh(ctx, rel, c.before); err != nil {
		return change{}, err
	}
	spans := occurrences(c.before, in.Old)
	switch {
	case len(spans) == 0:
		return change{}, fmt.Errorf("old_text does not occur in %q: %s", rel, nearMiss(string(c.before), in.Old))
	case len(spans) > 1 && !in.All:
		return change{}, fmt.Errorf("old_text occurs %d times in %q (%s); give more of the lines around the one you mean, or replace_all", len(spans), rel, linesOf(c.before, spans))
	}
	c.after = replace(c.before, spans, *in.New, strings.Contains(in.Old, "\r"))
	if len(c.after) > maxChange {
		return change{}, fmt.Errorf("%q would become %d bytes; files over %d MiB are not written here", rel, len(c.after), maxChange>>20)
	}
	if bytes.Equal(c.before, c.after) {
		return change{}, fmt.Errorf("%q would stay as it is; nothing is to be done", rel)
	}
	c.did = fmt.Sprintf("%s is edited: %s (%s)", display(rel), plural.Count(len(spans), "place"), linesOf(c.before, spans))
	return c, nil
}

// span is a piece of a text, from one byte up to another.
type span struct{ from, to int }

// occurrences finds old in text. Since read shows every line end as one
// character, such a one in old stands for either kind; an old with a carriage
// return of its own means what it says.
func occurrences(text []byte, old string) (spans []span) {
	hay, needle := text, []byte(old)
	var shift []int // where carriage returns were taken out of hay
	if bytes.Contains(text, []byte("\r\n")) && !strings.Contains(old, "\r") && strings.Contains(old, "\n") {
		hay, shift = oneEnd(text)
	}
	at, passed := 0, 0
	place := func(i int) int { // in text, of a place in hay; before the line end, not in it
		for passed < len(shift) && shift[passed] < i {
			passed++
		}
		return i + passed
	}
	for {
		i := bytes.Index(hay[at:], needle)
		if i < 0 {
			return spans
		}
		from := place(at + i)
		at += i + len(needle)
		spans = append(spans, span{from, place(at)})
	}
}

// oneEnd takes the carriage return out of each line end, and says before which
// bytes of the result one stood.
func oneEnd(text []byte) (out []byte, gone []int) {
	out = make([]byte, 0, len(text))
	for i, c := range text {
		if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			gone = append(gone, len(out))
			continue
		}
		out = append(out, c)
	}
	return out, gone
}

// replace puts text in the place of each span, with line ends as they are there
// unless it means them as they are, and keeps the line end at the end of the file.
func replace(before []byte, spans []span, text string, asIs bool) []byte {
	var out []byte
	at := 0
	for _, s := range spans {
		out = append(out, before[at:s.from]...)
		if asIs {
			out = append(out, text...)
		} else {
			out = append(out, ends(before, s, text)...)
		}
		at = s.to
	}
	out = append(out, before[at:]...)
	if len(out) > 0 && bytes.HasSuffix(before, []byte("\n")) && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, lineEnd(before)...)
	}
	return out
}

// ends gives new text the line ends of what it replaces, or else of the file.
func ends(before []byte, s span, text string) string {
	if strings.Contains(text, "\r") {
		return text
	}
	like := before[s.from:s.to]
	if !bytes.Contains(like, []byte("\n")) {
		like = before
	}
	if lineEnd(like) == "\r\n" {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// linesOf names the lines at which some spans begin.
func linesOf(text []byte, spans []span) string {
	const most = 8
	var names []string
	line, at := 1, 0
	for i, s := range spans {
		if i == most {
			names = append(names, "…")
			break
		}
		line += bytes.Count(text[at:s.from], []byte("\n"))
		at = s.from
		names = append(names, fmt.Sprint(line))
	}
	if len(names) == 1 {
		return "line " + names[0]
	}
	return "lines " + strings.Join(names, ", ")
}
