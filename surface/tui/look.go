package tui

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/surface/tui/page"
)

// look is what the terminal can show. All of the screen has the colours of the
// page's theme.
type look struct {
	profile colorprofile.Profile
	light   bool
	named   string // the theme that the person chose; "" or "auto" leaves it to the terminal
	theme   page.Theme
}

func newLook() look {
	l := look{profile: colorprofile.ANSI256}
	l.choose()
	return l
}

// choose picks the page's theme.
func (l *look) choose() page.Theme {
	switch {
	case l.plain():
		l.theme = page.Plain()
	case l.profile == colorprofile.ANSI:
		l.theme = page.Basic()
	case page.Named()[l.named] != nil:
		l.theme = page.Named()[l.named]()
	case l.light:
		l.theme = page.Light()
	default:
		l.theme = page.Dark()
	}
	return l.theme
}

func (l *look) plain() bool { return l.profile <= colorprofile.ASCII }

func (l *look) paint(style page.Style, s string) string {
	if style == "" || s == "" {
		return s
	}
	return "\x1b[" + string(style) + "m" + s + "\x1b[m"
}

func (l *look) dim(s string) string    { return l.paint(l.theme.Dim, s) }
func (l *look) strong(s string) string { return l.paint(l.theme.Strong, s) }
func (l *look) accent(s string) string { return l.paint(l.theme.Prompt, s) } // the person, and what they can choose
func (l *look) steer(s string) string  { return l.paint(l.theme.Note, s) }   // modes and all that steers
func (l *look) warn(s string) string   { return l.paint(l.theme.Busy, s) }   // under way, or wants attention
func (l *look) quiet(s string) string  { return l.paint(l.theme.Notice, s) }
func (l *look) bad(s string) string    { return l.paint(l.theme.Bad, s) }

// fit cuts a line to the width, and says so.
func fit(s string, width int) string {
	if width < 1 {
		return ""
	}
	return ansi.Truncate(s, width, "…")
}

// pair puts two ends of a line apart, the right one only where it fits.
func pair(left, right string, width int) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 2 {
		return fit(left, width)
	}
	return left + strings.Repeat(" ", gap) + right
}
