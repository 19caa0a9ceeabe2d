package page

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
)

// place is a row of the page by what is on it, which stays true when the width
// changes: a block, a piece of it, and a byte in that.
type place struct{ block, piece, at int }

func (a place) before(b place) bool {
	switch {
	case a.block != b.block:
		return a.block < b.block
	case a.piece != b.piece:
		return a.piece < b.piece
	}
	return a.at < b.at
}

// above is a place before every row.
const above = -3

// ready returns a block with its pieces made, or nil if it does not show.
func (p *Page) ready(i int) *block {
	b := p.blocks[i]
	if p.hidden(i) {
		return nil
	}
	if !b.made && !b.arriving {
		p.warmed(i)
	}
	b.make(p.pen.marks)
	return b
}

// rows returns the rows of a piece, drawn if they are not yet.
func (p *Page) rows(i, j int) []row {
	pc := p.blocks[i].piece(j)
	if pc.stamp != p.stamp {
		pc.rows = p.pen.draw(pc, max(p.width, minWidth))
		if j == 0 && i > p.first {
			pc.rows = append([]row{{"", above + 1}}, pc.rows...)
		}
		pc.stamp = p.stamp
	}
	return pc.rows
}

// cursor is a row under the eye while walking.
type cursor struct{ block, piece, row int }

// seek returns the row at a place, or the nearest one before it.
func (p *Page) seek(t place) cursor {
	if t.block >= len(p.blocks) {
		return cursor{len(p.blocks), 0, 0}
	}
	b := p.ready(t.block)
	if b == nil || b.count() == 0 {
		return cursor{t.block, 0, 0}
	}
	if t.piece >= b.count() {
		last := b.count() - 1
		return cursor{t.block, last, max(0, len(p.rows(t.block, last))-1)}
	}
	rows := p.rows(t.block, t.piece)
	k := 0
	for k+1 < len(rows) && rows[k+1].at <= t.at {
		k++
	}
	return cursor{t.block, t.piece, k}
}

// locate returns the place of a row.
func (p *Page) locate(c cursor) place {
	if c.block >= len(p.blocks) {
		return place{c.block, 0, above}
	}
	if b := p.ready(c.block); b == nil || c.piece >= b.count() {
		return place{c.block, c.piece, above}
	}
	rows := p.rows(c.block, c.piece)
	if c.row >= len(rows) {
		return place{c.block, c.piece, above}
	}
	return place{c.block, c.piece, rows[c.row].at}
}

// hold counts the rows of what is still open in a block down to the one a reader
// has on top of the screen, and says where they begin; -1 if the reader is
// elsewhere. More text may part the open piece in two, and the place by piece and
// byte would then be another row.
func (p *Page) hold(i int) (base, rows int) {
	b := p.blocks[i]
	if p.follow || p.top.block != i || !b.prose() || !b.arriving || p.top.piece < len(b.md.out) {
		return -1, 0
	}
	base = len(b.md.out)
	c := p.seek(p.top)
	for j := base; j < c.piece; j++ {
		rows += len(p.rows(i, j))
	}
	return base, rows + c.row
}

// release brings the reader back to the row that was held.
func (p *Page) release(i, base, rows int) {
	if base < 0 {
		return
	}
	last := cursor{i, base, 0}
	p.forth(last, func(c cursor, _ row) bool {
		if c.block != i {
			return false
		}
		last = c
		rows--
		return rows >= 0
	})
	p.top = p.locate(last)
}

// back returns the row n rows before c, and how many rows were missing.
func (p *Page) back(c cursor, n int) (cursor, int) {
	for n > c.row {
		n -= c.row
		prev, ok := p.previous(c)
		if !ok {
			return cursor{c.block, c.piece, 0}, n
		}
		c = prev
	}
	c.row -= n
	return c, 0
}

// previous returns the end of the piece before: a row that is one too far.
func (p *Page) previous(c cursor) (cursor, bool) {
	i, j := c.block, c.piece-1
	for i >= 0 {
		for ; j >= 0; j-- {
			if n := len(p.rows(i, j)); n > 0 {
				return cursor{i, j, n}, true
			}
		}
		i--
		if i >= 0 {
			if b := p.ready(i); b != nil {
				j = b.count() - 1
			}
		}
	}
	return c, false
}

// forth calls see for every row from c on, until it returns false.
func (p *Page) forth(c cursor, see func(c cursor, r row) bool) {
	for i := c.block; i < len(p.blocks); i++ {
		b := p.ready(i)
		if b == nil {
			continue
		}
		for j := 0; j < b.count(); j++ {
			k := 0
			if i == c.block {
				if j < c.piece {
					j = c.piece
					if j >= b.count() {
						break
					}
				}
				if j == c.piece {
					k = c.row
				}
			}
			for rows := p.rows(i, j); k < len(rows); k++ {
				if !see(cursor{i, j, k}, rows[k]) {
					return
				}
			}
		}
	}
}

// end returns the top row of a screen that shows the end.
func (p *Page) end() cursor {
	c, _ := p.back(cursor{len(p.blocks), 0, 0}, p.height)
	return c
}

// settle notices a reader who has come to the end.
func (p *Page) settle() {
	if p.follow {
		return
	}
	end, early := p.locate(p.end()), false
	p.forth(p.seek(p.top), func(c cursor, _ row) bool {
		early = p.locate(c).before(end)
		return false
	})
	p.follow = !early
}

// Scroll moves the page by lines: down for a positive number, up for a negative
// one, and to either end for more than 10,000. At the end the page follows what
// comes.
func (p *Page) Scroll(lines int) {
	switch {
	case lines > far:
		p.Bottom()
		return
	case lines < -far:
		p.Top()
		return
	case lines < 0:
		c := p.start()
		c, _ = p.back(c, -lines)
		p.top, p.follow = p.locate(c), false
	case lines > 0 && !p.follow:
		n := lines
		last := p.start()
		p.forth(last, func(c cursor, _ row) bool {
			last = c
			n--
			return n >= 0
		})
		p.top = p.locate(last)
	}
	p.settle()
	p.valid = false
}

// far is how many lines are still walked one by one.
const far = 10000

// start is the top row of the screen.
func (p *Page) start() cursor {
	if p.follow {
		return p.end()
	}
	return p.seek(p.top)
}

// PageUp moves up by a screen, less two lines that stay in sight.
func (p *Page) PageUp() { p.Scroll(-max(1, p.height-2)) }

// PageDown moves down by a screen, less two lines that stay in sight.
func (p *Page) PageDown() { p.Scroll(max(1, p.height-2)) }

// Top goes to the beginning.
func (p *Page) Top() {
	p.top, p.follow, p.valid = place{0, 0, above}, false, false
	p.settle()
}

// Bottom goes to the end, and follows it.
func (p *Page) Bottom() { p.follow, p.valid = true, false }

// AtEnd reports whether the end is on the screen.
func (p *Page) AtEnd() bool {
	p.settle()
	return p.follow
}

// View returns the screen: exactly as many lines as it is high, each at most as
// many cells as it is wide. Above the end, the last line says how much is below.
func (p *Page) View() string {
	if p.valid {
		return p.view
	}
	p.settle()
	p.owner = p.owner[:0]
	lines := make([]string, 0, p.height)
	if p.width >= minWidth && p.height > 0 {
		rows := p.height
		if !p.follow && rows > 1 {
			rows--
		}
		var at cursor
		p.forth(p.start(), func(c cursor, r row) bool {
			at = c
			if len(lines) == rows {
				return false
			}
			lines = append(lines, r.text)
			p.owner = append(p.owner, p.gone+ID(c.block)+1)
			return true
		})
		if !p.follow && rows < p.height {
			lines = append(lines, p.pen.paint(inkDim, clip(p.below(at), p.width, p.pen.marks.Cut)))
		}
	}
	for len(lines) < p.height {
		lines = append(lines, "")
	}
	p.view, p.valid = strings.Join(lines, "\n"), true
	return p.view
}

// At returns the block on a row of the last View, as for a click.
func (p *Page) At(line int) (ID, bool) {
	if line < 0 || line >= len(p.owner) {
		return 0, false
	}
	return p.owner[line], true
}

// Foldable reports whether Toggle does something to a block.
func (p *Page) Foldable(id ID) bool {
	i := p.find(id)
	return i >= 0 && p.blocks[i].folds()
}

// near is how many lines below the screen are counted; more are guessed.
const near = 200

// below says how many lines there are from c on.
func (p *Page) below(c cursor) string {
	n := 0
	p.forth(c, func(at cursor, _ row) bool {
		n++
		return n <= near
	})
	about := ""
	if n > near {
		about = "about "
		n = 0
		for _, t := range p.talls[c.block+1:] {
			n += int(t)
		}
		if b := p.ready(c.block); b != nil && b.count() > 0 {
			n += int(p.talls[c.block]) * (b.count() - c.piece) / b.count()
		}
		n = max(round(n), near)
	}
	word := "lines"
	if n == 1 {
		word = "line"
	}
	return fmt.Sprintf("%s %s%s more %s", p.pen.marks.Below, about, plural.Thousands(n), word)
}

// round keeps two figures of a number.
func round(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}
