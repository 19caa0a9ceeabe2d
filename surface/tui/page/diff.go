package page

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// diffLine is a line of a unified diff with its number in the file.
type diffLine struct {
	sign     byte // ' ', '+', '-', '@' a gap between hunks, 'f' the name of a file, '!' a remark
	old, new int
	text     string
	from, to int // bytes of the text that changed within the line; from == to: no mark
}

// readDiff takes a unified diff apart, of one file or more.
func readDiff(text string) (lines []diffLine) {
	old, new, hunks := 0, 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "--- "):
			hunks = 0
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "--- "), "\t")
			lines = append(lines, diffLine{sign: 'f', text: strings.TrimPrefix(name, "a/")})
		case strings.HasPrefix(line, "+++ "):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "+++ "), "\t")
			if f := &lines[max(0, len(lines)-1)]; len(lines) > 0 && f.sign == 'f' && name != "/dev/null" {
				f.text = strings.TrimPrefix(name, "b/")
			}
		case strings.HasPrefix(line, "@@ "):
			old, new = hunkStart(line)
			if hunks++; hunks > 1 {
				lines = append(lines, diffLine{sign: '@'})
			}
		case strings.HasPrefix(line, "+"):
			lines = append(lines, diffLine{sign: '+', new: new, text: line[1:]})
			new++
		case strings.HasPrefix(line, "-"):
			lines = append(lines, diffLine{sign: '-', old: old, text: line[1:]})
			old++
		case strings.HasPrefix(line, " "):
			lines = append(lines, diffLine{sign: ' ', old: old, new: new, text: line[1:]})
			old, new = old+1, new+1
		case strings.HasPrefix(line, "["):
			lines = append(lines, diffLine{sign: '!', text: line})
		}
	}
	markWords(lines)
	return lines
}

// hunkStart reads "@@ -12,3 +14,4 @@".
func hunkStart(line string) (old, new int) {
	for word := range strings.FieldsSeq(line) {
		number, _, _ := strings.Cut(word[min(1, len(word)):], ",")
		n, err := strconv.Atoi(number)
		switch {
		case err != nil:
		case word[0] == '-':
			old = n
		case word[0] == '+':
			new = n
		}
	}
	return old, new
}

// markWords finds what changed within lines that were replaced one by one.
func markWords(lines []diffLine) {
	for i := 0; i < len(lines); {
		minus := i
		for i < len(lines) && lines[i].sign == '-' {
			i++
		}
		plus := i
		for i < len(lines) && lines[i].sign == '+' {
			i++
		}
		if n := plus - minus; n > 0 && i-plus == n {
			for k := range n {
				markPair(&lines[minus+k], &lines[plus+k])
			}
		}
		if i == minus {
			i++
		}
	}
}

// markPair marks the middle that two lines do not share, in whole words. Lines that have
// little in common are not marked: all of it changed.
func markPair(a, b *diffLine) {
	head := 0
	for head < len(a.text) && head < len(b.text) && a.text[head] == b.text[head] {
		head++
	}
	tail := 0
	for tail < len(a.text)-head && tail < len(b.text)-head && a.text[len(a.text)-1-tail] == b.text[len(b.text)-1-tail] {
		tail++
	}
	shared := strings.TrimSpace(a.text[:head]) + strings.TrimSpace(a.text[len(a.text)-tail:])
	if len(shared)*3 < max(len(strings.TrimSpace(a.text)), len(strings.TrimSpace(b.text))) {
		return
	}
	for _, l := range []*diffLine{a, b} {
		l.from, l.to = wordEdges(l.text, head, len(l.text)-tail)
	}
}

// wordEdges widens a piece of a line to whole words.
func wordEdges(text string, from, to int) (int, int) {
	inside := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == utf8.RuneError
	}
	if from == to {
		return from, to
	}
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:from])
		if !inside(r) {
			break
		}
		from -= n
	}
	for to < len(text) {
		r, n := utf8.DecodeRuneInString(text[to:])
		if !inside(r) {
			break
		}
		to += n
	}
	return from, to
}

// changed counts the lines that a diff adds and removes.
func changedLines(lines []diffLine) (added, removed int) {
	for _, l := range lines {
		switch l.sign {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

// diffPieces draws a diff with the numbers of its lines. Of a long one that was not
// opened the beginning shows.
func diffPieces(lines []diffLine, wide, files bool) (out []piece) {
	digits := 1
	for _, l := range lines {
		digits = max(digits, len(strconv.Itoa(max(l.old, l.new))))
	}
	shown := 0
	for i, l := range lines {
		if l.sign == 'f' && !files {
			continue
		}
		if shown++; !wide && shown > previewDiff {
			return append(out, moreLines(len(lines)-i))
		}
		p := piece{kind: written, indent: 4, bar: true, spans: l.spans(digits), ground: l.ground()}
		p.sign, p.signed = l.margin(digits)
		out = append(out, p)
	}
	return out
}

func moreLines(n int) piece {
	more := fmt.Sprintf("%d more lines", n)
	if n == 1 {
		more = "1 more line"
	}
	return piece{kind: written, indent: 4, bar: true, one: true, spans: []span{{more + ", Ctrl+T opens them", inkComment}}}
}

// margin is the number of a line and whether it came or went: what a long line that is
// broken leaves free.
func (l diffLine) margin(digits int) (string, ink) {
	switch l.sign {
	case '+':
		return fmt.Sprintf("%*d +", digits, l.new), inkAdded
	case '-':
		return fmt.Sprintf("%*d -", digits, l.old), inkRemoved
	case ' ':
		return fmt.Sprintf("%*d  ", digits, l.new), inkMark
	}
	return "", 0
}

func (l diffLine) ground() ink {
	switch l.sign {
	case '+':
		return inkAddedGround
	case '-':
		return inkRemovedGround
	}
	return 0
}

func (l diffLine) spans(digits int) []span {
	ink, word := inkDim, inkDim
	switch l.sign {
	case 'f':
		return []span{{clean(l.text), inkTool}}
	case '@':
		return []span{{strings.Repeat(" ", digits) + " ⋮", inkDim}}
	case '!':
		return []span{{clean(l.text), inkComment}}
	case '+':
		ink, word = inkAdded, inkAddedWord
	case '-':
		ink, word = inkRemoved, inkRemovedWord
	}
	if l.from >= l.to || l.to > len(l.text) {
		return []span{{clean(l.text), ink}}
	}
	var out []span
	for _, part := range []span{{l.text[:l.from], ink}, {l.text[l.from:l.to], word}, {l.text[l.to:], ink}} {
		if part.text != "" {
			out = append(out, span{clean(part.text), part.ink})
		}
	}
	return out
}

// DiffRows draws a unified diff as rows of a screen, for whoever asks about it.
func (p *Page) DiffRows(diff string, width int) (rows []string) {
	lines := readDiff(diff)
	for _, pc := range diffPieces(lines, true, countFiles(lines) > 1) {
		pc.indent, pc.bar = 0, false
		for _, r := range p.pen.draw(&pc, max(width, minWidth)) {
			rows = append(rows, r.text)
		}
	}
	return rows
}
