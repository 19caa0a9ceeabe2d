package term

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// look is how a run of characters is drawn.
type look struct {
	fore, back                           string
	bold, dim, italic, underline, invert bool
}

// The sixteen colours of a terminal with a dark background.
var sixteen = [16]string{
	"#1c1f26", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
	"#5c6370", "#ff7b86", "#b5e890", "#ffd98f", "#7cc3ff", "#da8fef", "#6fd3df", "#ffffff",
}

const (
	paper = "#16181d"
	ink   = "#d7dae0"
)

// looked reads the parameters of SGR sequences.
func looked(style string) (l look) {
	words := strings.Split(style, ";")
	num := func(i int) int {
		if i >= len(words) {
			return 0
		}
		n, _ := strconv.Atoi(words[i])
		return n
	}
	for i := 0; i < len(words); i++ {
		switch n := num(i); {
		case n == 0:
			l = look{}
		case n == 1:
			l.bold = true
		case n == 2:
			l.dim = true
		case n == 3:
			l.italic = true
		case n == 4:
			l.underline = true
		case n == 7:
			l.invert = true
		case n == 22:
			l.bold, l.dim = false, false
		case n == 23:
			l.italic = false
		case n == 24:
			l.underline = false
		case n == 27:
			l.invert = false
		case n >= 30 && n <= 37:
			l.fore = sixteen[n-30]
		case n >= 90 && n <= 97:
			l.fore = sixteen[n-82]
		case n >= 40 && n <= 47:
			l.back = sixteen[n-40]
		case n >= 100 && n <= 107:
			l.back = sixteen[n-92]
		case n == 39:
			l.fore = ""
		case n == 49:
			l.back = ""
		case n == 38 || n == 48:
			colour := ""
			if num(i+1) == 2 {
				colour = fmt.Sprintf("#%02x%02x%02x", num(i+2)&255, num(i+3)&255, num(i+4)&255)
				i += 4
			} else {
				colour = palette(num(i + 2))
				i += 2
			}
			if n == 38 {
				l.fore = colour
			} else {
				l.back = colour
			}
		}
	}
	return l
}

// palette is a colour of the 256.
func palette(n int) string {
	switch {
	case n < 0 || n > 255:
		return ""
	case n < 16:
		return sixteen[n]
	case n < 232:
		n -= 16
		level := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

// SVG draws the screen as a picture: what a person sees, for documents.
func (s *Screen) SVG() []byte {
	const wide, high, margin = 8.4, 18.0, 14.0
	var b strings.Builder
	w, h := float64(s.width)*wide+2*margin, float64(s.height)*high+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	for y, row := range s.rows {
		for x := 0; x < len(row); {
			end := x + 1
			for end < len(row) && row[end].style == row[x].style {
				end++
			}
			var text strings.Builder
			for _, c := range row[x:end] {
				switch {
				case c.tail:
				case c.text == "":
					text.WriteByte(' ')
				default:
					text.WriteString(c.text)
				}
			}
			s.span(&b, looked(row[x].style), text.String(), margin+float64(x)*wide, margin+float64(y)*high, float64(end-x)*wide, high)
			x = end
		}
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func (s *Screen) span(b *strings.Builder, l look, text string, x, y, width, height float64) {
	fore, back := l.fore, l.back
	if fore == "" {
		fore = ink
	}
	if l.invert {
		if back == "" {
			back = paper
		}
		fore, back = back, fore
	}
	if back != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x, y, width, height, back)
	}
	shown := strings.TrimRight(text, " ")
	if shown == "" {
		return
	}
	more := ""
	if l.bold {
		more += ` font-weight="bold"`
	}
	if l.italic {
		more += ` font-style="italic"`
	}
	if l.underline {
		more += ` text-decoration="underline"`
	}
	if l.dim {
		more += ` opacity="0.65"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s"%s xml:space="preserve" textLength="%.1f" lengthAdjust="spacingAndGlyphs">`, x, y+height*0.76, fore, more, width*float64(ansi.StringWidth(shown))/float64(max(ansi.StringWidth(text), 1)))
	_ = xml.EscapeText(b, []byte(shown))
	b.WriteString("</text>\n")
}
