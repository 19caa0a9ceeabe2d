package page

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/termsafe"
)

type blockKind int8

const (
	prompted blockKind = iota
	replied
	thought
	called
	noted
	noticed
	faulted
	folded
)

// block is one thing that was said or done. Its pieces are made when it first
// comes near the screen.
type block struct {
	kind   blockKind
	name   string // of a tool, or who wrote a note
	slot   string
	why    string
	became string // of a note that came before; "" for the note itself
	input  string // of a call
	text   string // what was said, or a call's result
	buf    []byte // a text that is still arriving
	breaks int    // line breaks in the text
	live   string // the end of what a call that runs has written
	diff   string // what a call changed in files

	arriving bool // more text may come
	failed   bool
	wide     bool // opened by the person

	made  bool
	parts []piece
	md    markdown
	fed   int // bytes of buf that md has read
	tail  []piece
	fresh bool // tail is up to date
}

// source returns the text so far.
func (b *block) source() string {
	if b.arriving {
		return string(b.buf)
	}
	return b.text
}

func (b *block) size() int { return max(len(b.buf), len(b.text)) }

// folds reports whether the block can be opened and closed.
func (b *block) folds() bool {
	return b.kind == thought || b.kind == called || b.kind == folded || b.long() || b.kind == faulted && len(b.why) > maxCause
}

// longPrompt is how many lines of a prompt show before it is opened, and a prompt is long
// that has more than twice as many: what was pasted is known to who pasted it.
const longPrompt = 12

func (b *block) long() bool { return b.kind == prompted && b.breaks > 2*longPrompt }

// prose reports whether the block is drawn from its Markdown.
func (b *block) prose() bool { return b.kind == replied || b.kind == thought && b.wide }

// drop forgets what was made of the text.
func (b *block) drop() {
	b.made, b.parts, b.tail, b.fresh = false, nil, nil, false
	b.md, b.fed = markdown{}, 0
	if b.kind == thought { // once opened: dim, below its own line
		b.md = markdown{base: inkDim, indent: 2, out: []piece{{kind: thinking}}}
	}
}

// make brings the pieces up to date with the text.
func (b *block) make(marks Marks) {
	switch {
	case b.prose() && b.arriving:
		b.feed()
		if !b.fresh {
			b.tail, b.fresh = b.md.open(string(b.buf[b.fed:]), false), true
		}
		b.made = true
	case b.made:
	case b.prose():
		b.finish(b.md.read(b.text))
	default:
		b.parts, b.made = b.lines(marks), true
	}
}

// finish ends the text with what is left of it.
func (b *block) finish(rest string) {
	b.parts = slices.Concat(b.md.out, b.md.open(rest, true))
	b.md, b.tail, b.made = markdown{}, nil, true
}

// feed gives the whole lines that arrived to the reader.
func (b *block) feed() {
	for {
		head := b.buf[b.fed:min(len(b.buf), b.fed+maxLine+1)]
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			head = head[:i+1]
		} else if len(head) <= maxLine {
			return
		}
		line, n, cut, ok := cutLine(string(head))
		if !ok {
			return
		}
		b.md.line(termsafe.Text(line), cut)
		b.fed += n
	}
}

// read reads all whole lines of a text and returns the rest.
func (m *markdown) read(text string) string {
	for {
		line, n, cut, ok := cutLine(text)
		if !ok {
			return text
		}
		m.line(termsafe.Text(line), cut)
		text = text[n:]
	}
}

// count is the number of pieces.
func (b *block) count() int {
	if b.prose() && b.arriving {
		return len(b.md.out) + len(b.tail)
	}
	return len(b.parts)
}

func (b *block) piece(i int) *piece {
	switch {
	case !b.prose() || !b.arriving:
		return &b.parts[i]
	case i < len(b.md.out):
		return &b.md.out[i]
	}
	return &b.tail[i-len(b.md.out)]
}

// tall guesses how many rows the block takes, without looking at its text.
func (b *block) tall(width int) int {
	text := b.breaks + 1 + b.size()/max(width, 1)
	switch {
	case b.kind == thought && !b.wide:
		return 2
	case b.kind == called && b.diff != "":
		return 2 + min(strings.Count(b.diff, "\n"), previewDiff+1)
	case b.kind == called && !b.wide:
		return 2 + min(text, preview+1)
	case b.kind == folded && !b.wide:
		return 2
	case b.long() && !b.wide:
		return longPrompt + 2
	}
	return text + 1
}

// lines returns the pieces of a block that is no Markdown.
func (b *block) lines(marks Marks) []piece {
	text := b.source()
	switch b.kind {
	case prompted:
		if b.long() && !b.wide {
			return b.beginning(text, marks)
		}
		return sheet(text, piece{ink: inkPrompt, sign: marks.Prompt, signed: inkPrompt, soft: true})
	case thought:
		return []piece{b.glimpse(marks)}
	case called:
		return b.call(marks)
	case noted:
		return b.note(marks)
	case folded:
		return b.fold(marks)
	case noticed:
		if b.name != "" { // steering speaks
			return sheet(text, piece{ink: inkNote, sign: marks.Note, signed: inkNote, soft: true})
		}
		return sheet(text, piece{ink: inkNotice, sign: marks.Notice, signed: inkNotice, soft: true})
	}
	out := sheet(text, piece{ink: inkBad, sign: marks.Fault, signed: inkBad, soft: true})
	if b.why == "" {
		return out
	}
	cause := sheet(b.why, piece{ink: inkDim, indent: cells(marks.Fault) + 1, soft: true})
	if !b.wide && len(b.why) > maxCause {
		cause = sheet(clipBytes(b.why, maxCause)+marks.Cut, piece{ink: inkDim, indent: cells(marks.Fault) + 1, soft: true})
	}
	return append(out, cause...)
}

// maxCause is how much of the cause of an error shows before it is opened, in bytes.
const maxCause = 240

// clipBytes cuts a text between runes.
func clipBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// beginning is the first lines of a long prompt, and how many there are more.
func (b *block) beginning(text string, marks Marks) []piece {
	lines := strings.SplitN(text, "\n", longPrompt+1)
	out := sheet(strings.Join(lines[:min(len(lines), longPrompt)], "\n"), piece{ink: inkPrompt, sign: marks.Prompt, signed: inkPrompt, soft: true})
	more := fmt.Sprintf("%d more lines, Ctrl+T opens them", b.breaks+1-longPrompt)
	return append(out, piece{kind: written, indent: 2, one: true, spans: []span{{more, inkComment}}})
}

// sheet returns text in pieces of so many lines that look like the given one. Only
// the first has its sign.
func sheet(text string, like piece) []piece {
	like.kind = written
	text = strings.TrimRight(text, "\r\n")
	var out []piece
	lines, size := make([]string, 0, maxCode), 0
	put := func() {
		p := like
		p.text = strings.Join(lines, "\n")
		if len(out) > 0 && p.sign != "" {
			p.sign = strings.Repeat(" ", cells(p.sign))
		}
		out = append(out, p)
		lines, size = lines[:0], 0
	}
	for text != "" {
		line, n, _, ok := cutLine(text)
		if !ok {
			line, n = text, len(text)
		}
		if len(lines) == maxCode || size+len(line) > maxPara && len(lines) > 0 {
			put()
		}
		lines, size = append(lines, clean(line)), size+len(line)
		text = text[n:]
	}
	if len(lines) > 0 || len(out) == 0 {
		put()
	}
	return out
}

// glimpse is the one row of a thought that is not opened: its newest line while
// it arrives, its first line afterwards.
func (b *block) glimpse(marks Marks) piece {
	word, line := "thinking", ""
	if b.arriving {
		end := strings.TrimRight(settled(string(b.buf[max(0, len(b.buf)-maxLine):])), " \r\n")
		line = end[strings.LastIndexByte(end, '\n')+1:]
	} else {
		word = "thought"
		line, _, _ = strings.Cut(strings.TrimLeft(b.text[:min(len(b.text), maxLine)], " \r\n"), "\n")
	}
	spans := []span{{word, inkDim}}
	if line = strings.TrimSpace(clean(line)); line != "" {
		spans = append(spans, span{": " + line, inkDim | inkEmph})
	}
	if n := strings.Count(strings.TrimRight(b.text, "\r\n"), "\n") + 1; !b.arriving && n > 1 {
		spans[0].text += fmt.Sprintf(" (%d lines)", n)
	}
	return piece{kind: written, spans: spans, sign: marks.Thought, signed: inkDim, one: true}
}

// fold is one line about messages that the model sees as their summary; the summary
// stands below it where it was opened.
func (b *block) fold(marks Marks) []piece {
	out := []piece{{kind: written, spans: []span{{b.name, inkNote}}, sign: marks.Below, signed: inkNote, soft: true}}
	if b.wide && b.text != "" {
		out = append(out, sheet(b.text, piece{ink: inkDim, indent: 2, soft: true})...)
	}
	return out
}

// note shows who wrote it, why, and what the model reads.
func (b *block) note(marks Marks) []piece {
	who := clean(b.name)
	if b.slot != "" && b.slot != b.name {
		who += "/" + clean(b.slot)
	}
	head := []span{{b.head(who), inkNote}}
	if b.why != "" {
		head = append(head, span{b.reason(), inkDim})
	}
	out := []piece{{kind: written, spans: head, sign: marks.Note, signed: inkNote, soft: true}}
	if b.text == "" {
		return out
	}
	return append(out, sheet(b.text, piece{ink: inkDim, indent: 2, soft: true})...)
}

// head names a note, and reason says why it came, or why it is no more.
func (b *block) head(who string) string {
	if b.became == "" {
		return "note by " + who
	}
	return who + " " + clean(b.became)
}

func (b *block) reason() string {
	if b.became == "" {
		return ", because " + oneLine(b.why)
	}
	return ": " + oneLine(b.why)
}
