package edit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// MaxSize is the largest text that can be written, in bytes.
const MaxSize = 4 << 20

// Text is what is being written. The zero Text is empty and ready.
type Text struct {
	lines []string // at least one once anything happened
	row   int
	col   int // bytes into lines[row]

	killed string
	past   []state  // what Undo goes back to
	doing  editKind // what the newest state is followed by
	top    spot     // the first row shown, kept so that the view does not jump
}

type state struct {
	lines    []string
	row, col int
}

// editKind is a kind of change. Several of a kind in a row are undone as one.
type editKind int

const (
	other editKind = iota
	typing
	erasing
)

const maxPast = 100

// String returns the text.
func (e *Text) String() string { return strings.Join(e.lines, "\n") }

// Empty reports whether nothing is written.
func (e *Text) Empty() bool { return len(e.lines) == 0 || len(e.lines) == 1 && e.lines[0] == "" }

// Size is the number of bytes written.
func (e *Text) Size() int {
	n := max(0, len(e.lines)-1)
	for _, l := range e.lines {
		n += len(l)
	}
	return n
}

// Set replaces the text and puts the cursor at its end. It can be undone.
func (e *Text) Set(text string) {
	e.keep(other)
	e.lines = strings.Split(breaks(text), "\n")
	e.row = len(e.lines) - 1
	e.col = len(e.lines[e.row])
	e.top = spot{}
}

// Clear empties the text. It can be undone.
func (e *Text) Clear() { e.Set("") }

// Insert puts text at the cursor and reports whether that stays within MaxSize.
func (e *Text) Insert(text string) bool {
	text = breaks(text)
	if e.Size()+len(text) > MaxSize {
		return false
	}
	what := other
	if utf8.RuneCountInString(text) == 1 && text != "\n" && text != " " {
		what = typing
	}
	e.keep(what)
	added := strings.Split(text, "\n")
	line := e.lines[e.row]
	before, after := line[:e.col], line[e.col:]
	last := len(added) - 1
	added[0] = before + added[0]
	e.col = len(added[last])
	added[last] += after
	e.lines = slices.Concat(e.lines[:e.row], added, e.lines[e.row+1:])
	e.row += last
	return true
}

// breaks makes all line ends the same: some terminals paste them as carriage returns.
// Bytes that are no text become the sign for that, as they would on their way to a model.
// Nothing else is altered; what a terminal must not see is replaced when it is drawn.
func breaks(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// keep remembers the present state for Undo.
func (e *Text) keep(what editKind) {
	if len(e.lines) == 0 {
		e.lines = []string{""}
	}
	if what != other && what == e.doing {
		return
	}
	e.doing = what
	if len(e.past) == maxPast {
		e.past = slices.Delete(e.past, 0, 1)
	}
	e.past = append(e.past, state{slices.Clone(e.lines), e.row, e.col})
}

// Undo goes back to before the last change.
func (e *Text) Undo() {
	if len(e.past) == 0 {
		return
	}
	s := e.past[len(e.past)-1]
	e.past = e.past[:len(e.past)-1]
	e.lines, e.row, e.col, e.doing = s.lines, s.row, s.col, other
}

// At returns the cursor's line and the byte in it.
func (e *Text) At() (row, col int) { return e.row, e.col }

// Before returns the cursor's line up to the cursor.
func (e *Text) Before() string {
	if len(e.lines) == 0 {
		return ""
	}
	return e.lines[e.row][:e.col]
}

// Replace puts text in the place of the last n bytes before the cursor.
func (e *Text) Replace(n int, text string) {
	e.keep(other)
	n = min(n, e.col)
	line := e.lines[e.row]
	text = breaks(text)
	e.lines[e.row] = line[:e.col-n] + text + line[e.col:]
	e.col += len(text) - n
}

// step is the length of the character that begins s.
func step(s string) int {
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(cluster)
}

// back is the length of the character that ends s.
func back(s string) int {
	const far = 256 // a character is shorter
	if len(s) > far {
		for i := len(s) - far; i < len(s); i++ {
			if s[i-1] < utf8.RuneSelf && s[i] < utf8.RuneSelf { // between two plain letters a character begins
				s = s[i:]
				break
			}
		}
	}
	n := 0
	for rest := s; rest != ""; rest = rest[n:] {
		n = step(rest)
	}
	return n
}

// Left goes back by a character.
func (e *Text) Left() {
	e.doing = other
	switch {
	case e.col > 0:
		e.col -= back(e.lines[e.row][:e.col])
	case e.row > 0:
		e.row--
		e.col = len(e.lines[e.row])
	}
}

// Right goes on by a character.
func (e *Text) Right() {
	e.doing = other
	switch {
	case len(e.lines) == 0:
	case e.col < len(e.lines[e.row]):
		e.col += step(e.lines[e.row][e.col:])
	case e.row < len(e.lines)-1:
		e.row++
		e.col = 0
	}
}

// Home goes to the beginning of the line, End to its end.
func (e *Text) Home() { e.doing, e.col = other, 0 }

// End goes to the end of the line.
func (e *Text) End() {
	if e.doing = other; len(e.lines) > 0 {
		e.col = len(e.lines[e.row])
	}
}

// Top goes to the beginning of the text, Bottom to its end.
func (e *Text) Top() { e.row = 0; e.Home() }

// Bottom goes to the end of the text.
func (e *Text) Bottom() { e.row = max(0, len(e.lines)-1); e.End() }

// WordLeft goes back to the beginning of a word.
func (e *Text) WordLeft() {
	if e.col == 0 {
		e.Left()
		return
	}
	e.doing = other
	e.col = wordStart(e.lines[e.row][:e.col])
}

// WordRight goes on to the end of a word.
func (e *Text) WordRight() {
	if len(e.lines) == 0 || e.col == len(e.lines[e.row]) {
		e.Right()
		return
	}
	e.doing = other
	e.col += wordEnd(e.lines[e.row][e.col:])
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func wordStart(s string) int {
	s = strings.TrimRightFunc(s, func(r rune) bool { return !inWord(r) })
	return len(strings.TrimRightFunc(s, inWord))
}

func wordEnd(s string) int {
	rest := strings.TrimLeftFunc(s, func(r rune) bool { return !inWord(r) })
	return len(s) - len(strings.TrimLeftFunc(rest, inWord))
}

// Reset begins a new text. What was killed can still be put back.
func (e *Text) Reset() { *e = Text{killed: e.killed} }
