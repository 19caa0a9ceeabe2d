package edit

import (
	"slices"
	"strings"
	"unicode"
)

// Backspace takes away the character before the cursor, or joins two lines.
func (e *Text) Backspace() {
	if e.row == 0 && e.col == 0 {
		return
	}
	e.keep(erasing)
	if e.col == 0 {
		e.row--
		e.col = len(e.lines[e.row])
		e.join()
		return
	}
	n := back(e.lines[e.row][:e.col])
	e.cut(e.col-n, e.col)
}

// Delete takes away the character after the cursor, or joins two lines.
func (e *Text) Delete() {
	if len(e.lines) == 0 || e.row == len(e.lines)-1 && e.col == len(e.lines[e.row]) {
		return
	}
	e.keep(erasing)
	if e.col == len(e.lines[e.row]) {
		e.join()
		return
	}
	e.cut(e.col, e.col+step(e.lines[e.row][e.col:]))
}

// join appends the next line to this one.
func (e *Text) join() {
	e.lines[e.row] += e.lines[e.row+1]
	e.lines = slices.Delete(e.lines, e.row+1, e.row+2)
}

// cut takes bytes out of the line and puts the cursor there.
func (e *Text) cut(from, to int) string {
	line := e.lines[e.row]
	e.lines[e.row] = line[:from] + line[to:]
	e.col = from
	return line[from:to]
}

// KillBefore takes away the line up to the cursor and keeps it for Yank.
func (e *Text) KillBefore() {
	if e.col == 0 {
		e.Backspace()
		return
	}
	e.keep(other)
	e.killed = e.cut(0, e.col)
}

// KillAfter takes away the rest of the line, or the line's end, and keeps it.
func (e *Text) KillAfter() {
	if len(e.lines) == 0 || e.col == len(e.lines[e.row]) {
		e.Delete()
		return
	}
	e.keep(other)
	e.killed = e.cut(e.col, len(e.lines[e.row]))
}

// KillWord takes away the word before the cursor, up to white space, and keeps it.
func (e *Text) KillWord() {
	if e.col == 0 {
		e.Backspace()
		return
	}
	e.keep(other)
	s := strings.TrimRightFunc(e.lines[e.row][:e.col], unicode.IsSpace)
	e.killed = e.cut(len(strings.TrimRightFunc(s, func(r rune) bool { return !unicode.IsSpace(r) })), e.col)
}

// KillWordRight takes away the word after the cursor and keeps it.
func (e *Text) KillWordRight() {
	if len(e.lines) == 0 || e.col == len(e.lines[e.row]) {
		e.Delete()
		return
	}
	e.keep(other)
	e.killed = e.cut(e.col, e.col+wordEnd(e.lines[e.row][e.col:]))
}

// Yank puts back what was killed last.
func (e *Text) Yank() bool { return e.killed == "" || e.Insert(e.killed) }
