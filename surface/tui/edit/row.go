package edit

import (
	"slices"
	"strings"
)

// span is a row of a line: bytes from, to. A row's text is at most the width.
type span struct{ from, to int }

// wrap breaks a line into rows, between words where it can. There is always one.
func wrap(line string, width int) []span {
	var rows []span
	from, gap, at, cells := 0, -1, 0, 0
	for at < len(line) {
		cluster, w := firstGlyph(line[at:])
		if cells+w > width && at > from {
			to := at
			if gap > from {
				to = gap
			}
			rows = append(rows, span{from, to})
			from, gap = to, -1
			cells = textWidth(line[from:at])
		}
		at += len(cluster)
		cells += w
		if cluster == " " {
			gap = at
		}
	}
	return append(rows, span{from, len(line)})
}

// find returns the row of a byte. A byte at a break belongs to the row it begins.
func find(rows []span, col int) int {
	for i := len(rows) - 1; i > 0; i-- {
		if rows[i].from <= col {
			return i
		}
	}
	return 0
}

// Up goes to the row above, as shown at this width, and reports whether there
// is one.
func (e *Text) Up(width int) bool { return e.vertical(width, -1) }

// Down goes to the row below, as shown at this width, and reports whether there
// is one.
func (e *Text) Down(width int) bool { return e.vertical(width, 1) }

func (e *Text) vertical(width, by int) bool {
	if len(e.lines) == 0 {
		return false
	}
	e.doing = other
	line := e.lines[e.row]
	rows := wrap(line, width)
	i := find(rows, e.col)
	x := textWidth(line[rows[i].from:e.col])
	row, i := e.row, i+by
	switch {
	case i < 0 && row == 0, i == len(rows) && row == len(e.lines)-1:
		return false
	case i < 0:
		row--
		rows = wrap(e.lines[row], width)
		i = len(rows) - 1
	case i == len(rows):
		row++
		rows = wrap(e.lines[row], width)
		i = 0
	}
	e.row, e.col = row, column(e.lines[row], rows, i, x)
	return true
}

// column is the byte of a row that stands x cells from its beginning.
func column(line string, rows []span, i, x int) int {
	at, last := rows[i].from, rows[i].to
	for cells := 0; at < last; {
		cluster, w := firstGlyph(line[at:])
		if cells+w > x || i < len(rows)-1 && at+len(cluster) == last { // the break belongs to the next row
			break
		}
		cells += w
		at += len(cluster)
	}
	return at
}

// Rows returns the rows to show, at most height of them and each at most width
// cells, with the cursor's place among them: at the end of a full row it stands
// one cell beside it. Only what is shown is laid out.
func (e *Text) Rows(width, height int) (rows []string, x, y int) {
	width, height = max(width, 2), max(height, 1)
	if len(e.lines) == 0 {
		return []string{""}, 0, 0
	}
	here := wrap(e.lines[e.row], width)
	i := find(here, e.col)
	x = textWidth(e.lines[e.row][here[i].from:e.col])
	above := e.above(width, height-1, i, here)
	below := e.below(width, height-1, i, here)
	// The view begins where it began before, if the cursor is in it then.
	y = len(above)
	for y > 0 && above[len(above)-y].before(e.top) {
		y--
	}
	y = max(y, min(len(above), height-1-len(below))) // no empty rows below while there is text above
	shown := append(append(above[len(above)-y:], spot{e.row, here[i]}), below...)
	shown = shown[:min(len(shown), height)]
	e.top = shown[0]
	for _, s := range shown {
		rows = append(rows, drawn(strings.TrimSuffix(e.lines[s.row][s.from:s.to], " ")))
	}
	return rows, x, y
}

// spot is a row of a line, of all lines.
type spot struct {
	row int
	span
}

func (s spot) before(o spot) bool { return s.row < o.row || s.row == o.row && s.from < o.from }

// above returns up to n rows before the cursor's.
func (e *Text) above(width, n, i int, here []span) []spot {
	var out []spot
	for j := i - 1; j >= 0 && len(out) < n; j-- {
		out = append(out, spot{e.row, here[j]})
	}
	for row := e.row - 1; row >= 0 && len(out) < n; row-- {
		for _, s := range slices.Backward(wrap(e.lines[row], width)) {
			if len(out) < n {
				out = append(out, spot{row, s})
			}
		}
	}
	slices.Reverse(out)
	return out
}

// below returns up to n rows after the cursor's.
func (e *Text) below(width, n, i int, here []span) []spot {
	var out []spot
	for j := i + 1; j < len(here) && len(out) < n; j++ {
		out = append(out, spot{e.row, here[j]})
	}
	for row := e.row + 1; row < len(e.lines) && len(out) < n; row++ {
		for _, s := range wrap(e.lines[row], width) {
			if len(out) < n {
				out = append(out, spot{row, s})
			}
		}
	}
	return out
}
