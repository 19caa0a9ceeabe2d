package page

import "strings"

type pieceKind int8

const (
	prosed   pieceKind = iota // a paragraph
	headed                    // a heading
	coded                     // lines of code
	ruled                     // a line across
	gridded                   // a table
	rowed                     // a further row of a table
	written                   // lines in one ink, as they are
	thinking                  // the line above a thought
)

// piece is a part of a block that is drawn by itself: once for each width, when
// it comes on the screen.
type piece struct {
	kind  pieceKind
	text  string
	boxes []box
	fresh int  // boxes from here on show their mark on the first row
	gap   bool // a blank line stands before it
	bars  int  // boxes whose bars go through that line
	level int  // of a heading

	lang          *lang // of code
	info          string
	state         lexState
	opens, closes bool // a fence
	empty         bool // no line, which is not the same as one empty line

	grid *grid
	row  []string

	ink    ink    // of prose and of written lines
	sign   string // before the first line
	signed ink
	indent int    // cells before all lines
	bar    bool   // with a bar in them
	soft   bool   // break between words
	diff   bool   // coloured as a diff
	one    bool   // one row, cut where it is too long
	spans  []span // instead of text
	ground ink    // behind its rows; 0 is none

	stamp int // the layout that rows were drawn for
	rows  []row
}

// measure is the longest line of prose: the eye loses its place on longer ones.
const measure = 100

// draw returns the rows of a piece.
func (p *pen) draw(pc *piece, width int) []row {
	m := p.margin(pc, width)
	var rows []row
	switch pc.kind {
	case prosed:
		rows = p.set(p.prose(pc.text, p.baseInk(pc)), m, min(width, measure), false)
	case headed:
		rows = p.set(p.heading(pc), m, min(width, measure), false)
	case coded:
		rows = p.codeRows(pc, m, width)
	case ruled:
		rows = []row{{m.first + p.paint(inkMark, strings.Repeat(p.marks.Rule, max(width-m.width, 1))), 0}}
	case gridded:
		rows = numbered(p.table(pc, m, width))
	case rowed:
		rows = numbered(p.tableRow(pc.grid, pc.row, m, width, inkText))
	case written:
		rows = p.written(pc, m, width)
	case thinking:
		rows = []row{{p.paint(inkDim, p.marks.Thought+" thought"), 0}}
	}
	if pc.gap {
		bars := strings.Repeat(" ", pc.indent)
		for _, b := range pc.boxes[:min(pc.bars, len(pc.boxes))] {
			bars += p.boxRest(b)
		}
		if cells(plainOf(bars)) > width-maxCells {
			bars = ""
		}
		rows = append([]row{{trimRight(bars), -1}}, rows...)
	}
	return rows
}

func (p *pen) baseInk(pc *piece) ink {
	for _, b := range pc.boxes {
		if b.quote() {
			return inkQuote
		}
	}
	return pc.ink
}

// numbered gives rows their place by their number.
func numbered(rows []row) []row {
	for i := range rows {
		rows[i].at = i
	}
	return rows
}

// heading shows the marks of the lower levels, and of all where the theme has no
// style for headings.
func (p *pen) heading(pc *piece) []span {
	spans := p.prose(pc.text, inkHeading)
	if p.bare(inkHeading) || pc.level > 2 {
		spans = append([]span{{strings.Repeat("#", pc.level) + " ", inkMark}}, spans...)
	}
	return spans
}

// codeRows draws code two cells in. Where the theme has no style for it, its fence
// stays.
func (p *pen) codeRows(pc *piece, m margin, width int) []row {
	bare := p.bare(inkBlock)
	var rows []row
	fence := func(info string, at int) {
		lead := m.rest
		if len(rows) == 0 {
			lead = m.first
		}
		rows = append(rows, row{lead + clip("```"+info, max(width-m.width, 1), p.marks.Cut), at})
	}
	if bare && pc.opens {
		fence(pc.info, 0)
	}
	if !pc.empty {
		in := m
		if len(rows) > 0 {
			in.first = in.rest
		}
		if !bare {
			in = in.in("  ", 2, width)
		}
		for _, r := range p.onGround(pc.lang.spans(pc.text, pc.state), inkCodeGround, in, width) {
			rows = append(rows, row{r.text, r.at + 1})
		}
	}
	if bare && pc.closes {
		fence("", len(pc.text)+2)
	}
	if len(rows) == 0 && m.first != m.rest { // the mark of an item must show
		rows = append(rows, row{trimRight(m.first), 0})
	}
	return rows
}

// in moves a margin to the right, where the width allows it.
func (m margin) in(by string, n, width int) margin {
	if m.width+n > width-maxCells {
		return m
	}
	return margin{m.first + by, m.rest + by, m.width + n}
}

// margin returns what the boxes of a piece put before its rows. Where they take
// too much of the width, the inner ones are left out.
func (p *pen) margin(pc *piece, width int) margin {
	m := margin{}
	if pc.kind != written {
		m = m.in(strings.Repeat(" ", pc.indent), pc.indent, width)
	}
	for i, b := range pc.boxes {
		first, rest := p.boxFirst(b), p.boxRest(b)
		w := cells(plainOf(first))
		if m.width+w > width-maxCells {
			break
		}
		if i < pc.fresh {
			first = rest
		}
		m = margin{m.first + first, m.rest + rest, m.width + w}
	}
	return m
}

func (p *pen) boxFirst(b box) string {
	s := ""
	switch {
	case b.quote():
		return p.boxRest(b)
	case b.bullet > 0 && b.task == 0:
		s = p.paint(inkMark, p.marks.Bullets[(b.bullet-1)%len(p.marks.Bullets)]) + " "
	case b.mark != "":
		s = p.paint(inkMark, b.mark) + " "
	}
	switch b.task {
	case 'x':
		s += p.paint(inkGood, p.marks.Done) + " "
	case ' ':
		s += p.paint(inkMark, p.marks.Open) + " "
	}
	return s
}

func (p *pen) boxRest(b box) string {
	if b.quote() {
		return p.paint(inkMark, p.marks.Bar) + " "
	}
	return strings.Repeat(" ", cells(plainOf(p.boxFirst(b))))
}

// plainOf takes our own styles out of a text.
func plainOf(s string) string {
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return s
		}
		n := strings.IndexByte(s[i:], 'm')
		s = s[:i] + s[i+n+1:]
	}
}

// written draws lines that are no Markdown.
func (p *pen) written(pc *piece, m margin, width int) []row {
	by := strings.Repeat(" ", pc.indent)
	if pc.bar && pc.indent > 1 {
		by = " " + p.paint(inkMark, p.marks.Bar) + strings.Repeat(" ", pc.indent-2)
	}
	m = m.in(by, pc.indent, width)
	spans := pc.spans
	switch {
	case pc.diff:
		spans = diffSpans(pc.text)
	case spans == nil:
		spans = []span{{pc.text, pc.ink}}
	}
	switch n := cells(pc.sign) + 1; {
	case pc.sign == "":
	case m.width+n > width-maxCells: // too narrow for a column of its own
		spans = append([]span{{pc.sign + " ", pc.signed}}, spans...)
	default:
		m = margin{m.first + p.paint(pc.signed, pc.sign) + " ", m.rest + strings.Repeat(" ", n), m.width + n}
	}
	if pc.one {
		spans = clipSpans(spans, max(width-m.width, 1), p.marks.Cut)
	}
	if pc.soft {
		width = min(width, max(measure, m.width+maxCells+1))
	}
	if pc.ground != 0 {
		return p.onGround(spans, pc.ground, m, width)
	}
	return p.set(spans, m, width, !pc.soft)
}

// onGround draws lines that have a colour behind them up to the measure of prose, or the
// whole width where one of them is longer. Without such a colour they are as they are.
func (p *pen) onGround(spans []span, ground ink, m margin, width int) []row {
	if p.bare(ground) {
		return p.set(spans, m, width, true)
	}
	laid := make([]span, len(spans))
	for i, s := range spans {
		laid[i] = s
		if base := s.ink & inkBase; base != inkAddedWord && base != inkRemovedWord { // those have a ground of their own
			laid[i].ink |= ground
		}
	}
	rows := p.set(laid, m, width, true)
	to, wide := min(width, measure), make([]int, len(rows))
	for i, r := range rows {
		if wide[i] = max(cells(plainOf(r.text)), m.width); wide[i] > to {
			to = width
		}
	}
	for i := range rows {
		if lack := m.width - cells(plainOf(rows[i].text)); lack > 0 { // an empty line has no margin
			rows[i].text += strings.Repeat(" ", lack)
		}
		rows[i].text += p.paint(ground, strings.Repeat(" ", max(0, to-wide[i])))
	}
	return rows
}

// clipSpans shortens spans to one row.
func clipSpans(spans []span, width int, mark string) []span {
	out := make([]span, 0, len(spans))
	for i, s := range spans {
		limit := width
		if i < len(spans)-1 {
			limit = max(width-cells(mark), 0)
		}
		w := cells(s.text)
		if w > limit {
			return append(out, span{clip(s.text, width, mark), s.ink})
		}
		out = append(out, s)
		width -= w
	}
	return out
}
