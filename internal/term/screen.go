package term

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Screen is a grid of characters and all that is needed to change it as a
// terminal does.
type Screen struct {
	width, height int
	rows          [][]cell
	main          [][]cell // while the alternate screen is shown
	x, y          int
	wrap          bool // the last column is written: the next character begins a line
	saved         [2]int
	top, bottom   int // of the part that scrolls; bottom is its last row
	title         string
	modes         map[int]bool
	history       []string // rows that scrolled away over the top
	bells         int
	clip          string // what the program put into the clipboard
	style         string // the newest SGR sequence since a reset
	last          rune
	answers       []byte // to the program's questions
	parser        *ansi.Parser
}

// cell is one column. A wide character has the text, the column behind it none.
type cell struct {
	text  string
	style string
	tail  bool
}

// NewScreen returns an empty screen.
func NewScreen(width, height int) *Screen {
	s := &Screen{width: width, height: height, bottom: height - 1, modes: map[int]bool{}, parser: ansi.NewParser()}
	s.rows = blank(width, height)
	s.parser.SetHandler(ansi.Handler{Print: s.print, Execute: s.execute, HandleCsi: s.csi, HandleEsc: s.esc, HandleOsc: s.osc})
	return s
}

func blank(width, height int) [][]cell {
	rows := make([][]cell, height)
	for i := range rows {
		rows[i] = make([]cell, width)
	}
	return rows
}

// Write shows what a program writes.
func (s *Screen) Write(p []byte) (int, error) {
	for _, b := range p {
		s.parser.Advance(b)
	}
	return len(p), nil
}

// Text is what is seen, without the blanks at the ends of lines and of the screen.
func (s *Screen) Text() string {
	lines := make([]string, s.height)
	for y := range lines {
		lines[y] = s.Row(y)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Row is one line of the screen, without the blanks at its end.
func (s *Screen) Row(y int) string {
	var b strings.Builder
	for _, c := range s.rows[y] {
		switch {
		case c.tail:
		case c.text == "":
			b.WriteByte(' ')
		default:
			b.WriteString(c.text)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Style is the SGR parameters that the character at a place was written with.
func (s *Screen) Style(x, y int) string { return s.rows[y][x].style }

// Title is the title of the terminal's window.
func (s *Screen) Title() string { return s.title }

// Clipboard is what the program put into the clipboard, as it was encoded.
func (s *Screen) Clipboard() string { return s.clip }

// Bells is how often the program rang.
func (s *Screen) Bells() int { return s.bells }

// Mode reports whether a private mode is set: 1049 is the alternate screen, 2004
// bracketed paste, 25 the cursor.
func (s *Screen) Mode(n int) bool { return s.modes[n] }

// History are the lines that have scrolled away over the top of the main screen.
func (s *Screen) History() []string { return s.history }

// Resize changes the size. What does not fit is cut off; the program is expected
// to draw again.
func (s *Screen) Resize(width, height int) {
	fit := func(old [][]cell) [][]cell {
		rows := blank(width, height)
		for y := range min(len(old), height) {
			copy(rows[y], old[y])
		}
		return rows
	}
	s.rows = fit(s.rows)
	if s.main != nil {
		s.main = fit(s.main)
	}
	s.width, s.height, s.top, s.bottom = width, height, 0, height-1
	s.x, s.y, s.wrap = min(s.x, width-1), min(s.y, height-1), false
}

func (s *Screen) print(r rune) {
	w := ansi.StringWidth(string(r))
	if w == 0 || unicode.Is(unicode.Mn, r) || r == 0xFE0F || r == 0x200D {
		s.join(r)
		return
	}
	if w > s.width {
		return
	}
	if s.wrap || s.x+w > s.width {
		s.x, s.wrap = 0, false
		s.line()
	}
	s.rows[s.y][s.x] = cell{text: string(r), style: s.style}
	if w == 2 {
		s.rows[s.y][s.x+1] = cell{tail: true, style: s.style}
	}
	s.last = r
	if s.x += w; s.x >= s.width {
		s.x, s.wrap = s.width-1, true
	}
}

// join adds a mark to the character before the cursor.
func (s *Screen) join(r rune) {
	x := s.x - 1
	if s.wrap {
		x = s.x
	}
	for x > 0 && s.rows[s.y][x].tail {
		x--
	}
	if x >= 0 && s.rows[s.y][x].text != "" {
		s.rows[s.y][x].text += string(r)
	}
}

// line moves down a line, and scrolls at the end of the part that scrolls.
func (s *Screen) line() {
	switch {
	case s.y == s.bottom:
		s.scroll(1)
	case s.y < s.height-1:
		s.y++
	}
}

// scroll moves the part that scrolls up by n lines, or down by -n.
func (s *Screen) scroll(n int) {
	part := s.rows[s.top : s.bottom+1]
	for ; n > 0; n-- {
		if s.main == nil && s.top == 0 {
			s.history = append(s.history, s.Row(0))
		}
		copy(part, part[1:])
		part[len(part)-1] = make([]cell, s.width)
	}
	for ; n < 0; n++ {
		copy(part[1:], part)
		part[0] = make([]cell, s.width)
	}
}

func (s *Screen) execute(b byte) {
	switch b {
	case '\r':
		s.x, s.wrap = 0, false
	case '\n', '\v', '\f':
		s.wrap = false
		s.line()
	case '\b':
		s.x, s.wrap = max(s.x-1, 0), false
	case '\t':
		s.x = min((s.x/8+1)*8, s.width-1)
	case '\a':
		s.bells++
	}
}

func (s *Screen) esc(cmd ansi.Cmd) {
	switch cmd.Final() {
	case '7':
		s.saved = [2]int{s.x, s.y}
	case '8':
		s.restore()
	case 'M':
		if s.y == s.top {
			s.scroll(-1)
		} else {
			s.y = max(s.y-1, 0)
		}
	case 'D':
		s.line()
	case 'E':
		s.x = 0
		s.line()
	case 'c':
		fresh := NewScreen(s.width, s.height)
		fresh.history, fresh.parser = s.history, s.parser
		fresh.parser.SetHandler(ansi.Handler{Print: s.print, Execute: s.execute, HandleCsi: s.csi, HandleEsc: s.esc, HandleOsc: s.osc})
		*s = *fresh
	}
}

// restore puts the cursor where it was saved, if that is on the screen still.
func (s *Screen) restore() {
	s.x, s.y, s.wrap = min(s.saved[0], s.width-1), min(s.saved[1], s.height-1), false
}

func (s *Screen) osc(cmd int, data []byte) {
	_, rest, _ := strings.Cut(string(data), ";")
	switch cmd {
	case 0, 2:
		s.title = rest
	case 52:
		s.clip = rest
	case 10, 11:
		if rest == "?" { // light on dark
			s.answer("\x1b]%d;rgb:%s\x1b\\", cmd, map[int]string{10: "dddd/dddd/dddd", 11: "1111/1111/1111"}[cmd])
		}
	}
}

func (s *Screen) answer(format string, args ...any) {
	s.answers = fmt.Appendf(s.answers, format, args...)
}

// Answers returns what the terminal says to the program since the last time.
func (s *Screen) Answers() []byte {
	out := s.answers
	s.answers = nil
	return out
}
