package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// The limits of the reader. What goes beyond them is still shown, in parts or as
// plain text.
const (
	maxPara  = maxLine // bytes of a paragraph that are read as one
	maxDepth = 12      // quotes and lists inside each other
	maxCode  = 32      // lines of code in a piece
	maxGrid  = 32      // rows that a table's columns are measured by
	maxCols  = 32      // columns of a table
)

// box is a quote or an item of a list around a piece.
type box struct {
	mark   string // of an item, without its style; "" is a quote
	bullet int    // 1 for a bullet of the first level; 0 is a number
	indent int    // columns of the item's own text in the source
	task   byte   // 'x' or ' ' of a task; 0 is none
}

func (b box) quote() bool { return b.mark == "" && b.bullet == 0 }

// list is how the items of a list go on.
type list struct {
	sign byte // - + * . or )
	next int
}

type leaf int

const (
	none leaf = iota
	para
	fenced
	indented
	tabled
)

// markdown reads a text line by line into pieces. A piece that is in out never
// changes again; what is still open is in the other fields, and is small. The
// zero value is ready.
type markdown struct {
	base   ink // of its prose
	indent int // cells before everything

	out   []piece
	boxes []box  // open; never changed in place, since pieces share it
	fresh int    // boxes from here on have not shown their mark
	lists []list // by depth
	gap   bool   // a blank line came, or is wanted, before the next piece
	bars  int    // boxes that the blank line belongs to
	any   bool   // a piece was made

	leaf  leaf
	lines []string // of the paragraph or code
	size  int      // bytes of them
	fence fence
	grid  *grid
	cut   bool // the line before was cut for its length and goes on here
}

type fence struct {
	char   byte
	size   int
	indent int
	info   string
	lang   *lang
	state  lexState // after the lines that are in pieces
	begun  bool     // its first piece was made
}

// open returns the pieces that the text would end with if it ended after rest.
func (m markdown) open(rest string, closed bool) []piece {
	m.out = nil
	m.lists = slices.Clone(m.lists)
	m.lines = slices.Clip(m.lines)
	if m.grid != nil && m.leaf == tabled && !m.grid.full() {
		g := *m.grid
		g.rows = slices.Clip(g.rows)
		m.grid = &g
	}
	if !closed {
		rest = settled(rest)
		if m.leaf != fenced && strings.Trim(rest, " -=*_#`~|>+:.0123456789") == "" {
			rest = "" // a mark whose meaning the next character decides
		}
	}
	if rest != "" {
		m.line(termsafe.Text(rest), false)
	}
	m.end(closed)
	return m.out
}

// end ends what is open. A fence that was not closed ends without a mark while
// more may come.
func (m *markdown) end(closed bool) {
	if m.leaf == fenced && !closed {
		m.code(false)
		m.leaf = none
	}
	m.flush()
	m.closeTo(0)
}

// line reads one line. Cut says that it goes on with the next.
func (m *markdown) line(s string, cut bool) {
	goesOn := m.cut
	m.cut = cut
	if goesOn && m.leaf != fenced {
		s = untab(s)
		if m.leaf != para {
			m.flush()
			m.leaf = para
		}
		m.add(s)
		return
	}
	if m.leaf != fenced { // the tabs of code begin behind the margin of its list
		s = untab(s)
	}
	depth, rest := m.match(s)
	switch {
	case m.leaf == fenced && m.inFence(depth, rest, goesOn):
		return
	case isBlank(rest):
		m.closeTo(depth) // only a quote does not go on
		m.flush()
		if m.any {
			m.gap, m.bars = true, depth
		}
		return
	case m.leaf == indented && depth == len(m.boxes) && indentOf(rest) >= 4:
		m.addCode(rest[4:])
		return
	}
	m.start(depth, rest)
}

// match returns how many open boxes the line goes on with, and its rest.
func (m *markdown) match(s string) (int, string) {
	for i, b := range m.boxes {
		switch {
		case b.quote():
			n := indentOf(s)
			if n > 3 || n == len(s) || s[n] != '>' {
				return i, s
			}
			s = strings.TrimPrefix(s[n+1:], " ")
		case isBlank(s):
		case indentOf(s) >= b.indent:
			s = s[b.indent:]
		default:
			return i, s
		}
	}
	return len(m.boxes), s
}

// inFence reads a line inside a fence, and reports whether it belongs to it. Code
// in a list that is indented less than the item still belongs to it: models write
// it so.
func (m *markdown) inFence(depth int, rest string, goesOn bool) bool {
	if slices.ContainsFunc(m.boxes[depth:], box.quote) {
		m.closeTo(depth)
		return false
	}
	t := strings.TrimLeft(rest, " \t")
	if n := runLength(t, m.fence.char); !goesOn && n >= m.fence.size && isBlank(t[n:]) {
		m.code(true)
		m.leaf = none
		return true
	}
	m.addCode(untab(rest[min(indentOf(rest), m.fence.indent):]))
	return true
}

// start reads a line that may begin new boxes and blocks.
func (m *markdown) start(depth int, rest string) {
	opened := false
	for depth < maxDepth {
		o, ok := openBox(rest, !opened && m.leaf == para && depth == len(m.boxes))
		if !ok {
			break
		}
		if !opened {
			m.closeTo(depth)
			m.flush()
			opened = true
		}
		m.push(o)
		depth, rest = len(m.boxes), o.rest
	}
	if isBlank(rest) { // an item without text yet
		return
	}
	n := indentOf(rest)
	t := rest[n:]
	if !opened && m.leaf == para {
		if depth == len(m.boxes) && n < 4 && (m.setext(t) || m.table(t)) {
			return
		}
		if n > 3 || isText(t) {
			m.add(t) // also where the boxes do not go on: a lazy line
			return
		}
	}
	if !opened && m.leaf == tabled && depth == len(m.boxes) && n < 4 && strings.Contains(t, "|") {
		m.row(t)
		return
	}
	if !opened {
		m.closeTo(depth)
	}
	m.block(n, t, rest)
}

// block begins a block that is no box.
func (m *markdown) block(n int, t, rest string) {
	switch {
	case n > 3:
		m.flush()
		m.leaf, m.fence = indented, fence{lang: &lang{}}
		m.spaced()
		m.addCode(rest[4:])
		return
	case isRule(t):
		m.flush()
		m.emit(piece{kind: ruled})
		return
	}
	if level, text, ok := heading(t); ok {
		m.flush()
		m.head(level, text)
		return
	}
	if f, ok := openFence(t); ok {
		m.flush()
		f.indent, f.lang = n, langOf(f.info)
		m.leaf, m.fence = fenced, f
		m.spaced()
		return
	}
	if m.leaf != para {
		m.flush()
		m.leaf = para
	}
	m.add(t)
}

// isText reports that a line begins no block, so that it may go on a paragraph.
func isText(t string) bool {
	_, _, isHeading := heading(t)
	_, isFence := openFence(t)
	return !isRule(t) && !isHeading && !isFence
}

// spaced wants a blank line before the next piece, but not between an item's mark
// and its text.
func (m *markdown) spaced() {
	if m.any && m.fresh == len(m.boxes) && !m.gap {
		m.gap, m.bars = true, len(m.boxes)
	}
}

func (m *markdown) head(level int, text string) {
	m.spaced()
	m.emit(piece{kind: headed, level: level, text: text})
}

// setext makes a heading of a one-line paragraph that is underlined.
func (m *markdown) setext(t string) bool {
	if !isUnderline(t) {
		return false
	}
	if len(m.lines) != 1 {
		m.flush()
		m.emit(piece{kind: ruled})
		return true
	}
	text := m.lines[0]
	m.lines, m.size, m.leaf = nil, 0, none
	level := 2
	if t[0] == '=' {
		level = 1
	}
	m.head(level, text)
	return true
}

// add puts a line into the open paragraph.
func (m *markdown) add(t string) {
	if m.size+len(t) > maxPara && len(m.lines) > 0 {
		m.flush()
		m.leaf = para
	}
	m.lines = append(m.lines, strings.TrimRight(t, " "))
	m.size += len(t) + 1
}

// addCode puts a line into the open code.
func (m *markdown) addCode(t string) {
	m.lines = append(m.lines, t)
	m.size += len(t)
	if len(m.lines) == maxCode || m.size > maxPara {
		m.code(false)
	}
}

// code makes a piece of the lines of code so far.
func (m *markdown) code(closes bool) {
	f := &m.fence
	if len(m.lines) > 0 || closes || !f.begun {
		p := piece{kind: coded, text: strings.Join(m.lines, "\n"), info: f.info, lang: f.lang, state: f.state, empty: len(m.lines) == 0}
		p.opens, p.closes = f.size > 0 && !f.begun, f.size > 0 && closes
		f.begun = true
		f.state = f.lang.after(p.text, p.state)
		m.lines, m.size = nil, 0
		m.emit(p)
	}
	if closes {
		m.gap, m.bars = true, len(m.boxes)
	}
}

// flush ends the open block.
func (m *markdown) flush() {
	switch m.leaf {
	case para:
		text := strings.Join(m.lines, "\n")
		m.lines, m.size = nil, 0
		m.emit(piece{kind: prosed, text: text})
	case fenced, indented:
		m.code(true)
	case tabled:
		if !m.grid.full() {
			m.emit(piece{kind: gridded, grid: m.grid})
		}
		m.grid = nil
		m.gap, m.bars = true, len(m.boxes)
	}
	m.leaf = none
}

// emit adds a finished piece.
func (m *markdown) emit(p piece) {
	p.boxes, p.fresh, p.ink, p.indent = m.boxes, m.fresh, m.base, m.indent
	if m.gap && m.any {
		p.gap, p.bars = true, min(m.bars, len(m.boxes))
	}
	m.gap, m.any = false, true
	m.fresh = len(m.boxes)
	m.lists = m.lists[:min(len(m.lists), len(m.boxes))]
	m.out = append(m.out, p)
}

// push opens a box.
func (m *markdown) push(o opening) {
	b := box{indent: o.indent, task: o.task}
	if o.sign != 0 {
		m.name(&b, o.sign, o.number)
	}
	m.boxes = append(slices.Clip(m.boxes), b)
}

// name gives an item its mark: a bullet by its level, or its number in the list.
func (m *markdown) name(b *box, sign byte, number int) {
	depth := len(m.boxes)
	if depth < len(m.lists) && m.lists[depth].sign == sign {
		number = m.lists[depth].next
	}
	for len(m.lists) < depth {
		m.lists = append(m.lists, list{})
	}
	m.lists = append(m.lists[:depth:depth], list{sign, number + 1})
	if sign == '.' || sign == ')' {
		b.mark = strconv.Itoa(number) + string(sign)
		return
	}
	b.bullet = 1
	for _, o := range m.boxes {
		if o.bullet > 0 {
			b.bullet++
		}
	}
}

// closeTo closes the boxes from a depth on. An item that had no text still shows
// its mark.
func (m *markdown) closeTo(depth int) {
	if depth >= len(m.boxes) {
		return
	}
	m.flush()
	if m.fresh < len(m.boxes) {
		m.emit(piece{kind: prosed})
	}
	m.boxes = slices.Clip(m.boxes[:depth])
	m.fresh, m.bars = min(m.fresh, depth), min(m.bars, depth)
}
