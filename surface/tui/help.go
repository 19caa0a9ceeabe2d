package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// sheet is a text to read. It is laid out anew where the screen gets another
// width.
type sheet struct {
	title string
	write func(width int) []string
	lines []string
	width int // for which the lines were written
	first int
	rows  int  // lines of it that the screen shows
	live  bool // it is written anew with each look, and followed to its end
}

func (d *sheet) key(c *chat, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc", "enter", "q", "?", "f1", "ctrl+c":
		c.close()
	case "up", "k":
		d.first--
	case "down", "j":
		d.first++
	case "pgup":
		d.first -= d.rows
	case "pgdown", "space":
		d.first += d.rows
	case "home":
		d.first = 0
	case "end":
		d.first = len(d.lines)
	}
	return nil
}

func (d *sheet) paste(string) {}

func (d *sheet) scroll(lines int) { d.first += lines }

func (d *sheet) view(c *chat, width, height int) (lines []string, x, y int) {
	l := &c.look
	if d.width != width || d.live {
		end := d.live && d.first+d.rows >= len(d.lines)
		if d.lines, d.width = d.write(width), width; end {
			d.first = len(d.lines)
		}
	}
	d.rows = max(1, height-2)
	lines = append(lines, l.accent(" "+d.title))
	for _, line := range window(d.lines, &d.first, d.rows) {
		lines = append(lines, fit(line, width))
	}
	keys := "Esc closes"
	if len(d.lines) > d.rows {
		keys = fmt.Sprintf("%d to %d of %d, ↑↓ PageUp PageDown, Esc closes", d.first+1, min(len(d.lines), d.first+d.rows), len(d.lines))
	}
	return append(lines, l.dim(fit(" "+keys, width))), 0, -1
}

// keys are what the help says of them.
var keys = [][2]string{
	{"Enter", "send"},
	{"Shift+Enter, Alt+Enter, Ctrl+J", "break the line (so does \\ before Enter)"},
	{"Shift+Tab, Ctrl+Shift+Tab", "next mode, mode before"},
	{"Tab", "complete a command, its argument, or a file after @"},
	{"! and a command", "run it yourself; the model reads of it with the next prompt"},
	{"Up, Down", "what you typed before; Ctrl+R searches it"},
	{"Esc", "close, or interrupt the reply"},
	{"Ctrl+N", "new chat"},
	{"Ctrl+O", "show or hide what steering tells the model, and why"},
	{"Ctrl+S", "search this conversation; so does /find"},
	{"Ctrl+T", "open or fold what tools returned"},
	{"PageUp, PageDown, wheel", "scroll; Shift+Up and Shift+Down by a line, Ctrl+Home and Ctrl+End to the ends"},
	{"Ctrl+G, Ctrl+X Ctrl+E", "write in your own editor ($VISUAL, $EDITOR)"},
	{"Ctrl+Z, Ctrl+Y", "undo; put back what Ctrl+W, Ctrl+U or Ctrl+K cut"},
	{"Ctrl+C", "clear the input, else interrupt the reply; twice exits"},
	{"Ctrl+D", "exit, when the input is empty"},
	{"Ctrl+L", "redraw the screen"},
	{"Shift and mouse", "select text, as the terminal does it"},
}

func (c *chat) help() dialog { return &sheet{title: "help", write: c.helpLines} }

func (c *chat) helpLines(width int) (lines []string) {
	wide := 0
	for _, k := range keys {
		wide = max(wide, len(k[0]))
	}
	if width < 72 { // two columns would leave no width for the words
		wide = 0
	}
	add := func(left, right string) {
		name, gap := " "+c.look.strong(left), "    "
		if wide > 0 {
			gap = strings.Repeat(" ", wide+3)
		}
		if pad := wide - ansi.StringWidth(left); pad >= 0 {
			name += strings.Repeat(" ", pad+2)
		} else { // a line of its own
			for row := range strings.SplitSeq(ansi.Wordwrap(left, max(10, width-1), " "), "\n") {
				lines = append(lines, " "+c.look.strong(row))
			}
			name = gap
		}
		for row := range strings.SplitSeq(ansi.Wordwrap(right, max(10, width-len(gap)), " "), "\n") {
			lines = append(lines, name+row)
			name = gap
		}
	}
	for _, k := range keys {
		add(k[0], k[1])
	}
	lines = append(lines, "")
	for _, cmd := range c.commands() {
		add(strings.TrimSpace("/"+cmd.Name+" "+cmd.Usage), cmd.Short)
	}
	return lines
}
