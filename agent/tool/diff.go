package tool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// The limits of a diff.
const (
	around    = 3       // lines shown before and after a change
	maxGrid   = 4 << 20 // lines compared with lines; past it a block is shown as replaced
	maxDetail = 256 << 10
)

// diff shows how a file would change, in the unified form. It is for eyes only:
// what does not fit is cut, and the last line says so.
func diff(rel string, before, after []byte, isNew bool) string {
	from := "a/" + rel
	if isNew {
		from = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ b/%s\n", display(from), display(rel))
	ops := compare(splitLines(string(before)), splitLines(string(after)))
	for _, h := range hunks(ops) {
		h.write(&b)
	}
	text := strings.ToValidUTF8(b.String(), "\uFFFD")
	if len(text) > maxDetail {
		short := trimtab.Clip(text, maxDetail)
		short = short[:strings.LastIndexByte(short, '\n')+1]
		text = short + fmt.Sprintf("[cut: %d more lines]\n", strings.Count(text[len(short):], "\n"))
	}
	return text
}

// splitLines cuts a text after each line end.
func splitLines(text string) []string {
	return slices.Collect(strings.Lines(text))
}

// op is a line of a diff: kept, taken or put.
type op struct {
	sign byte // ' ', '-' or '+'
	line string
}

// compare finds the fewest lines to take and put that make b of a.
func compare(a, b []string) (ops []op) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	mark := func(sign byte, lines []string) {
		for _, l := range lines {
			ops = append(ops, op{sign, l})
		}
	}
	mark(' ', a[:head])
	ops = append(ops, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	mark(' ', a[len(a)-tail:])
	return ops
}

// middle compares what differs at both ends, by the longest common sequence.
func middle(a, b []string) (ops []op) {
	rest := func(sign byte, lines []string) {
		for _, l := range lines {
			ops = append(ops, op{sign, l})
		}
	}
	if len(a) == 0 || len(b) == 0 || len(a) > maxGrid/len(b) {
		rest('-', a)
		rest('+', b)
		return ops
	}
	width := len(b) + 1
	common := make([]int32, (len(a)+1)*width) // of a[i:] and b[j:]
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			ops = append(ops, op{' ', a[i]})
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			ops = append(ops, op{'-', a[i]})
			i++
		default:
			ops = append(ops, op{'+', b[j]})
			j++
		}
	}
	rest('-', a[i:])
	rest('+', b[j:])
	return ops
}

// hunk is a run of lines around changes that are close to each other.
type hunk struct {
	a, b int // lines before it
	ops  []op
}

func hunks(ops []op) (out []hunk) {
	a, b, kept := 0, 0, 0 // kept: lines since the last change
	var h *hunk
	for i, o := range ops {
		if o.sign != ' ' {
			if h == nil {
				lead := min(around, i)
				out = append(out, hunk{a - lead, b - lead, slices.Clone(ops[i-lead : i])})
				h = &out[len(out)-1]
			}
			kept = 0
		} else {
			kept++
		}
		if h != nil {
			h.ops = append(h.ops, o)
			if kept > 2*around { // too far from the next: close it
				h.ops = h.ops[:len(h.ops)-(kept-around)]
				h = nil
			}
		}
		if o.sign != '+' {
			a++
		}
		if o.sign != '-' {
			b++
		}
	}
	if h != nil && kept > around {
		h.ops = h.ops[:len(h.ops)-(kept-around)]
	}
	return out
}

func (h hunk) write(b *strings.Builder) {
	var lines [2]int
	for _, o := range h.ops {
		if o.sign != '+' {
			lines[0]++
		}
		if o.sign != '-' {
			lines[1]++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", extent(h.a, lines[0]), extent(h.b, lines[1]))
	for _, o := range h.ops {
		b.WriteByte(o.sign)
		b.WriteString(o.line)
		if !strings.HasSuffix(o.line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// extent says where a run of lines stands, as the unified form wants it.
func extent(before, lines int) string {
	start := before + 1
	if lines == 0 {
		start = before
	}
	if lines == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}
