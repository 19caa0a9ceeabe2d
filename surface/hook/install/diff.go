package install

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff shows what the plan would change, line by line.
func (pl Plan) Diff() string {
	var b strings.Builder
	for _, c := range pl.Changes {
		switch {
		case c.Before == nil:
			fmt.Fprintf(&b, "new file %s\n", c.Path)
		case c.After == nil:
			fmt.Fprintf(&b, "remove %s\n", c.Path)
		default:
			fmt.Fprintf(&b, "change %s\n", c.Path)
		}
		writeDiff(&b, wholeLines(c.Before), wholeLines(c.After))
	}
	return b.String()
}

// wholeLines ends the last line too, so that a line end alone is no difference.
func wholeLines(text []byte) string {
	if len(text) == 0 || text[len(text)-1] == '\n' {
		return string(text)
	}
	return string(text) + "\n"
}

// lineSigns are how a line is marked that goes, comes or stays.
var lineSigns = map[udiff.OpKind]byte{udiff.Delete: '-', udiff.Insert: '+', udiff.Equal: ' '}

// writeDiff shows changed lines and a few around them.
func writeDiff(b *strings.Builder, before, after string) {
	d, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil { // edits that overlap; udiff.Lines makes none
		fmt.Fprintf(b, "  %v\n", err)
		return
	}
	next := 1 // the line behind the last one that was shown
	for _, h := range d.Hunks {
		if h.FromLine > next {
			b.WriteString("  …\n")
		}
		next = h.FromLine
		for _, line := range h.Lines {
			fmt.Fprintf(b, "%c %s\n", lineSigns[line.Kind], strings.TrimSuffix(line.Content, "\n"))
			if line.Kind != udiff.Insert {
				next++
			}
		}
	}
}
