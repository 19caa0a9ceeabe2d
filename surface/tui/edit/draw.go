package edit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// tab is how a tab is drawn.
const tab = "    "

// firstGlyph is the character that begins text and the cells that it takes when it is drawn.
func firstGlyph(text string) (cluster string, cells int) {
	cluster, cells = ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	if cluster == "" {
		cluster = text[:1] // not a character: it is drawn as the replacement character
	}
	if needsDrawing(cluster) {
		cells = ansi.StringWidth(drawGlyph(cluster))
	}
	return cluster, cells
}

// drawGlyph is what the screen shows of a character.
func drawGlyph(cluster string) string {
	if cluster == "\t" {
		return tab
	}
	return termsafe.Text(cluster)
}

// needsDrawing reports whether text may hold something that is not drawn as it is.
func needsDrawing(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f {
			return true
		}
	}
	return false
}

// drawn is what the screen shows of a line: tabs as spaces, and what a terminal obeys
// or hides written out. Cutting a text at glyphs keeps it the sum of its parts.
func drawn(line string) string {
	if !needsDrawing(line) {
		return line
	}
	var b strings.Builder
	for line != "" {
		cluster, _ := firstGlyph(line)
		b.WriteString(drawGlyph(cluster))
		line = line[len(cluster):]
	}
	return b.String()
}

// textWidth is the cells that a piece of a line takes when it is drawn.
func textWidth(line string) int {
	if !needsDrawing(line) {
		return len(line)
	}
	n := 0
	for line != "" {
		cluster, w := firstGlyph(line)
		n += w
		line = line[len(cluster):]
	}
	return n
}
