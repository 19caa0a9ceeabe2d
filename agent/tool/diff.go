package tool

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/trimtab/trimtab"
)

// The limits of a diff.
const (
	contextLines = 3  // lines shown before and after a change
	maxPasses    = 20 // about 50 changes each; past them a block is shown as replaced
	maxDetail    = 256 << 10
)

// diff shows how a file would change, in the unified form. It is for eyes only:
// what does not fit is cut, and the last line says so.
func diff(rel string, before, after []byte, isNew bool) string {
	from := "a/" + rel
	if isNew {
		from = "/dev/null"
	}
	from, to, old := display(from), "b/"+display(rel), string(before)
	text, err := udiff.ToUnified(from, to, old, lineEdits(old, string(after)), contextLines)
	if err != nil || text == "" { // an error would mean edits that overlap; none are made
		text = fmt.Sprintf("--- %s\n+++ %s\n", from, to)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > maxDetail {
		short := trimtab.Clip(text, maxDetail)
		short = short[:strings.LastIndexByte(short, '\n')+1]
		text = short + fmt.Sprintf("[cut: %d more lines]\n", strings.Count(text[len(short):], "\n"))
	}
	return text
}

// lineEdits finds the lines to delete and to insert that turn before into after.
//
// udiff.Lines gives up after about 25 changes from each end and replaces all
// lines in between. A person who approves a replacement in a hundred places must
// see a hundred places, so what was given up on is compared again.
func lineEdits(before, after string) []udiff.Edit {
	edits := udiff.Lines(before, after)
	for range maxPasses {
		finer := refine(before, edits)
		if len(finer) == len(edits) {
			break
		}
		edits = finer
	}
	return edits
}

// refine splits each edit that replaces lines which its two sides have in common.
func refine(before string, edits []udiff.Edit) []udiff.Edit {
	var finer []udiff.Edit
	for _, e := range edits {
		if e.Start == e.End || e.New == "" {
			finer = append(finer, e)
			continue
		}
		for _, part := range udiff.Lines(before[e.Start:e.End], e.New) {
			part.Start, part.End = part.Start+e.Start, part.End+e.Start
			finer = append(finer, part)
		}
	}
	return finer
}
