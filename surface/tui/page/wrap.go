package page

import "strings"

// span is text in one ink.
type span struct {
	text string
	ink  ink
}

// row is one line of the screen. At is where in its piece it begins, so that a
// reader's place survives another width; the blank line before a piece is at -1.
type row struct {
	text string
	at   int
}

// margin stands before the rows of a piece: First before the first, Rest before
// the others. Both are of the same width.
type margin struct {
	first, rest string
	width       int
}

// set breaks spans into rows of at most width cells. Hard breaks lines anywhere,
// as code wants it; otherwise they break between words where they can.
func (p *pen) set(spans []span, m margin, width int, hard bool) []row {
	text := spans[0].text
	if len(spans) > 1 {
		var b strings.Builder
		for _, s := range spans {
			b.WriteString(s.text)
		}
		text = b.String()
	}
	lines := breaks(text, max(width-m.width, 1), hard)
	rows := make([]row, 0, len(lines))
	at, i := 0, 0 // the first byte of spans[i]
	lead := m.first
	for _, l := range lines {
		p.line = append(p.line[:0], lead...)
		b := p.line
		begun := len(b)
		for i < len(spans) && at+len(spans[i].text) <= l.from && i < len(spans)-1 {
			at += len(spans[i].text)
			i++
		}
		for j, begin := i, at; j < len(spans) && begin < l.to; j++ {
			end := begin + len(spans[j].text)
			if part := text[max(begin, l.from):max(min(end, l.to), max(begin, l.from))]; part != "" {
				b = p.write(b, spans[j].ink, part)
			}
			begin = end
		}
		if len(b) == begun {
			b = append(b[:0], trimRight(lead)...)
		}
		p.line = b
		rows = append(rows, row{string(b), l.from})
		lead = m.rest
	}
	return rows
}

func (p *pen) write(b []byte, i ink, text string) []byte {
	c := p.code(i)
	if c == "" {
		return append(b, text...)
	}
	b = append(b, c...)
	b = append(b, text...)
	return append(b, "\x1b[m"...)
}

func trimRight(s string) string { return strings.TrimRight(s, " ") }

type stretch struct{ from, to int }

// breaks returns where the lines of text begin and end.
func breaks(text string, width int, hard bool) []stretch {
	var out []stretch
	from, w := 0, 0
	stop, resume, upto := -1, 0, 0 // the last place to break: end of line, next line, cells before that
	wide := false
	end := func(i int) {
		to := i
		if stop >= from && resume == i { // spaces at the end of a line show nothing
			to = stop
		}
		out = append(out, stretch{from, to})
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c == '\n' {
			end(i)
			i++
			from, w, stop, wide = i, 0, -1, false
			continue
		}
		n, cw := next(text[i:])
		switch {
		case hard:
			if w+cw > width && i > from {
				out = append(out, stretch{from, i})
				from, w = i, 0
			}
		case c == ' ':
			if stop < 0 || resume != i {
				stop = i
			}
			cw = min(cw, width-w) // over the edge a space is nothing
			resume, upto, wide = i+1, w+cw, false
		default:
			isWide := cw == 2 && c >= 0xE2
			if (isWide || wide) && i > from && resume != i && !closing(text[i:i+n]) {
				stop, resume, upto = i, i, w
			}
			wide = isWide
			for w+cw > width && i > from {
				if stop >= from {
					out = append(out, stretch{from, stop})
					from, w = resume, w-upto
				} else {
					out = append(out, stretch{from, i})
					from, w = i, 0
				}
				stop = -1
			}
		}
		i, w = i+n, w+cw
	}
	end(len(text))
	return out
}

// closing reports marks that do not begin a line in text without spaces.
func closing(c string) bool {
	const marks = "、。，．・：；？！゛゜ー’”）〕］｝〉》」』】…‥!),.:;?]}"
	return strings.Contains(marks, c)
}
