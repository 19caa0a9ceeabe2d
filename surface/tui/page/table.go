package page

import "strings"

// grid is a table. Its columns are measured by the first rows, so that a long
// table is not measured again with every row that arrives.
type grid struct {
	head  []string
	align []byte // l, r or c
	rows  [][]string
	size  int // bytes of the rows

	pen   *pen // that cols were measured by
	width int  // and for
	cols  []int
}

func (g *grid) full() bool { return len(g.rows) >= maxGrid || g.size > maxPara }

// table makes a table of the paragraph's last line, if t is the line below its
// head.
func (m *markdown) table(t string) bool {
	align, ok := underHead(t)
	if !ok {
		return false
	}
	head := splitRow(m.lines[len(m.lines)-1])
	if len(head) != len(align) || len(head) > maxCols {
		return false
	}
	m.lines = m.lines[:len(m.lines)-1]
	if len(m.lines) > 0 {
		m.flush()
	}
	m.lines, m.size = nil, 0
	m.spaced()
	m.leaf, m.grid = tabled, &grid{head: head, align: align}
	return true
}

// row adds a row to the open table.
func (m *markdown) row(t string) {
	cols := splitRow(t)
	for len(cols) < len(m.grid.head) {
		cols = append(cols, "")
	}
	if extra := len(m.grid.head); len(cols) > extra { // what has no column stays readable
		cols[extra-1] = strings.Join(cols[extra-1:], " | ")
		cols = cols[:extra]
	}
	if m.grid.full() {
		m.emit(piece{kind: rowed, grid: m.grid, row: cols})
		return
	}
	m.grid.rows = append(m.grid.rows, cols)
	m.grid.size += len(t)
	if m.grid.full() {
		m.emit(piece{kind: gridded, grid: m.grid})
	}
}

// underHead reads the line of dashes below the head of a table.
func underHead(t string) ([]byte, bool) {
	if strings.Trim(t, "|-: ") != "" || !strings.Contains(t, "-") || !strings.ContainsAny(t, "|:") {
		return nil, false
	}
	var align []byte
	for _, c := range splitRow(t) {
		dashes := strings.Trim(c, ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil, false
		}
		switch {
		case len(c) > 1 && c[0] == ':' && c[len(c)-1] == ':':
			align = append(align, 'c')
		case c[len(c)-1] == ':':
			align = append(align, 'r')
		default:
			align = append(align, 'l')
		}
	}
	return align, true
}

// splitRow returns the cells of a row. A bar in code or behind a backslash is
// text.
func splitRow(t string) []string {
	t = strings.TrimPrefix(strings.TrimSpace(t), "|")
	var out []string
	from, code := 0, false
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case '`':
			code = !code && strings.Contains(t[i+1:], "`")
		case '|':
			if !code {
				out = append(out, strings.TrimSpace(t[from:i]))
				from = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(t[from:]); rest != "" || len(out) == 0 {
		out = append(out, rest)
	}
	for i, c := range out {
		out[i] = strings.ReplaceAll(c, `\|`, "|")
	}
	return out
}

const minCol, columnGap = 4, 3

// measure returns the widths of the columns, or nil where they do not fit beside
// each other.
func (p *pen) measure(g *grid, width int) []int {
	if g.pen == p && g.width == width {
		return g.cols
	}
	cols, total := make([]int, len(g.head)), columnGap*(len(g.head)-1)
	for i := range cols {
		cols[i] = max(p.cellWidth(g.head[i]), 1)
		for _, r := range g.rows {
			cols[i] = max(cols[i], p.cellWidth(r[i]))
		}
		total += cols[i]
	}
	for total > width { // take from the widest
		widest := 0
		for i, c := range cols {
			if c > cols[widest] {
				widest = i
			}
		}
		if cols[widest] <= max(minCol, maxCells) {
			cols = nil
			break
		}
		second := max(minCol, maxCells)
		for i, c := range cols {
			if i != widest && c < cols[widest] {
				second = max(second, c)
			}
		}
		cut := max(1, min(total-width, cols[widest]-second))
		cols[widest] -= cut
		total -= cut
	}
	g.pen, g.width, g.cols = p, width, cols
	return cols
}

func (p *pen) cellWidth(text string) int {
	w := 0
	for _, s := range p.prose(text, inkText) {
		for line := range strings.SplitSeq(s.text, "\n") {
			w += cells(line)
		}
	}
	return w
}

func (p *pen) table(pc *piece, m margin, width int) []row {
	g := pc.grid
	cols := p.measure(g, width-m.width)
	var rows []row
	if cols != nil {
		rows = p.tableRow(g, g.head, m, width, inkStrong)
		m.first = m.rest
		rule := make([]string, len(cols))
		for i, c := range cols {
			rule[i] = strings.Repeat(p.marks.Rule, c)
		}
		line := strings.Join(rule, p.marks.Rule+p.marks.Cross+p.marks.Rule)
		rows = append(rows, row{text: m.rest + p.paint(inkMark, line)})
	}
	for _, r := range g.rows {
		rows = append(rows, p.tableRow(g, r, m, width, inkText)...)
		m.first = m.rest
	}
	if len(rows) == 0 { // only a head, and it does not fit
		rows = p.set(p.prose(strings.Join(g.head, " | "), inkStrong), m, width, false)
	}
	return rows
}

// tableRow draws one row, in columns or, where those do not fit, as lines of
// "head: text".
func (p *pen) tableRow(g *grid, texts []string, m margin, width int, base ink) []row {
	cols := p.measure(g, width-m.width)
	if cols == nil {
		return p.record(g, texts, m, width)
	}
	columns, height := make([][]string, len(cols)), 1
	for i, c := range cols {
		for _, r := range p.set(p.prose(texts[i], base), margin{}, c, false) {
			columns[i] = append(columns[i], r.text)
		}
		height = max(height, len(columns[i]))
	}
	out := make([]row, 0, height)
	bar := " " + p.paint(inkMark, p.marks.Column) + " "
	lead := m.first
	for h := range height {
		line := lead
		for i, c := range cols {
			if i > 0 {
				line += bar
			}
			text := ""
			if h < len(columns[i]) {
				text = columns[i][h]
			}
			line += pad(text, c, g.align[i], i == len(cols)-1)
		}
		out = append(out, row{text: trimRight(line)})
		lead = m.rest
	}
	return out
}

// pad fills a cell up to its column. The last one is not filled behind its text.
func pad(text string, width int, align byte, last bool) string {
	n := max(0, width-cells(plainOf(text)))
	left := 0
	switch align {
	case 'r':
		left = n
	case 'c':
		left = n / 2
	}
	right := n - left
	if last {
		right = 0
	}
	return strings.Repeat(" ", left) + text + strings.Repeat(" ", right)
}

// record draws a row as lines, for a table that is wider than the screen.
func (p *pen) record(g *grid, texts []string, m margin, width int) []row {
	var out []row
	for i, text := range texts {
		if text == "" {
			continue
		}
		in := m
		if len(out) > 0 {
			in.first = in.rest
		}
		spans := append(p.prose(g.head[i]+": ", inkStrong), p.prose(text, inkText)...)
		out = append(out, p.set(spans, in, width, false)...)
	}
	if len(out) == 0 {
		out = append(out, row{text: trimRight(m.first)})
	}
	return append(out, row{text: trimRight(m.rest)})
}
