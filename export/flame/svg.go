package flame

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"
)

//go:embed chart.css
var looks string

// Sizes of the picture, in pixels. A letter of the labels is letterWidth wide.
const (
	pageWidth   = 1200
	margin      = 16
	rowHeight   = 28
	headHeight  = 64
	letterWidth = 7.3
)

// statuses are in the order of the legend.
var statuses = []string{"in_progress", "completed", "planned", "failed", "blocked", "invalidated"}

// hatch is drawn over what is folded. Labels stay readable on it.
const hatch = `<defs><pattern id="fold" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" stroke="#fff" stroke-opacity=".5" stroke-width="4"/></pattern></defs>`

// SVG draws a picture that stands alone. What it says of a frame is shown where
// the pointer rests on it.
func SVG(g Graph) ([]byte, error) {
	c, err := g.lay()
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	height := headHeight + max(1, c.depth)*rowHeight + 2*margin + 34
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", pageWidth, height, pageWidth, height, esc("Frames of "+c.heading()))
	fmt.Fprintf(&out, "<style>\n%s</style>\n%s\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n", looks, hatch)
	fmt.Fprintf(&out, `<text class="title" x="%d" y="30">%s</text><text class="facts" x="%d" y="50">%s</text>`+"\n", margin, esc(cut(c.heading(), 120)), margin, esc(c.facts()))
	for _, b := range c.boxes {
		c.svgBox(&out, b)
	}
	if len(c.boxes) == 0 {
		fmt.Fprintf(&out, `<text class="facts" x="%d" y="%d">no frames yet; the first prompt opens the root</text>`+"\n", margin, headHeight+18)
	}
	c.svgLegend(&out, headHeight+max(1, c.depth)*rowHeight+margin+14)
	out.WriteString("</svg>\n")
	return []byte(out.String()), nil
}

func (c chart) svgBox(out *strings.Builder, b box) {
	width := b.Width * (pageWidth - 2*margin)
	y := headHeight + (c.depth-1-b.Depth)*rowHeight
	fmt.Fprintf(out, `<svg class="%s" x="%.2f" y="%d" width="%.2f" height="%d"><title>%s</title>`, b.class(c.Active), margin+b.X*(pageWidth-2*margin), y, width, rowHeight-1, esc(c.hover(b)))
	out.WriteString(boxShape)
	columns := int((width - 8) / letterWidth)
	weight := brief(b.Tokens)
	if columns >= len(weight)+14 && b.Tokens > 0 {
		fmt.Fprintf(out, `<text x="%.2f" y="18" text-anchor="end">%s</text>`, width-4, weight)
		columns -= len(weight) + 1
	}
	if text := b.short(columns); text != "" {
		fmt.Fprintf(out, `<text x="4" y="18">%s</text>`, esc(text))
	}
	out.WriteString("</svg>\n")
}

// boxShape is a box and the hatching over it.
const boxShape = `<rect class="box" width="100%" height="100%" rx="3"/><rect class="hatch" width="100%" height="100%" rx="3"/>`

// svgLegend says what the colours mean, and how wide is wide.
func (c chart) svgLegend(out *strings.Builder, y int) {
	x := margin
	entry := func(class, text string) {
		fmt.Fprintf(out, `<svg class="%s" x="%d" y="%d" width="14" height="14">%s</svg><text class="key" x="%d" y="%d">%s</text>`+"\n", class, x, y-11, boxShape, x+20, y, esc(text))
		x += 38 + 7*utf8.RuneCountInString(text)
	}
	for _, s := range statuses {
		f := Frame{Status: s}
		entry("f "+s, f.Mark()+" "+f.Said())
	}
	entry("f completed folded", "folded away")
	fmt.Fprintf(out, `<text class="key" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", pageWidth-margin, y, esc(c.scale()))
}

// scale says what a width means.
func (c chart) scale() string {
	if c.widest {
		return "Width is tokens; the smallest are drawn wider"
	}
	return "Width is tokens"
}

// brief is a number of tokens in few letters.
func brief(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 99_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
