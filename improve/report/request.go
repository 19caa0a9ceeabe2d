package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/plural"
)

// Filed writes a request that was made just now.
func Filed(w io.Writer, it improve.Item) error {
	p := &printer{w: w}
	p.printf("%s  %s\n%s\n", it.ID, it.State, it.Request.Title)
	if it.Request.Kind == improve.Guidance {
		p.printf("%s\n", guidance(it.Request))
	}
	return p.err
}

// Next says what a person may do with a request that was just filed.
func Next(it improve.Item) string {
	if it.State == improve.Queued {
		return "trimtab improve run --watch does it"
	}
	end := ShortID(it.ID)
	return fmt.Sprintf("trimtab improve preview %s shows what would be sent; trimtab improve approve %s lets it begin", end, end)
}

// SampleFiled writes that the sample was filed before.
func SampleFiled(w io.Writer, it improve.Item, now time.Time) error {
	p := &printer{w: w}
	p.printf("the sample is filed already, and nothing is filed twice:\n")
	if p.err == nil {
		p.err = Summary(w, it, now)
	}
	p.printf("  trimtab improve show %s\n", ShortID(it.ID))
	return p.err
}

// Dismissed writes that a person found a finding not useful, or that it counts again.
func Dismissed(w io.Writer, d improve.Dismissal, undone bool) error {
	p := &printer{w: w}
	if undone {
		p.printf("%s counts again\n", d.Fingerprint)
	} else {
		p.printf("%s is not told any more, and no request is made of it; trimtab improve dismiss %[1]s --undo takes that back\n", d.Fingerprint)
	}
	return p.err
}

// Decided writes what a person decided about a request, in the word for it.
func Decided(w io.Writer, it improve.Item, said string) error {
	p := &printer{w: w}
	switch {
	case it.Cancel && it.State == improve.Running:
		p.printf("%s: its worker cleans up and ends it\n", it.ID)
	case it.Cancel:
		p.printf("%s: something was made already; trimtab improve run cleans it up and ends it\n", it.ID)
	case it.Follows != "":
		p.printf("%s %s, which follows %s: %s, in %s\n", said, it.ID, it.Follows, it.Request.Title, it.Project)
	default:
		p.printf("%s %s: %s, in %s\n", said, it.ID, it.Request.Title, it.Project)
	}
	return p.err
}

// LeftLine says how many requests have a worker that is gone; "" for none.
func LeftLine(items []improve.Item, now time.Time) string {
	left := 0
	for _, it := range items {
		if Abandoned(it, now) {
			left++
		}
	}
	if left == 0 {
		return ""
	}
	return plural.Irregular(left, "worker is gone", "workers are gone") + "; trimtab improve run goes on at the same step"
}

// guidance says how a change of what agents are told is proved.
func guidance(r improve.Request) string {
	return fmt.Sprintf("guidance: agents are told, and %s replayed to see that it helps", plural.Irregular(len(r.Turns), "recorded turn is", "recorded turns are"))
}

// Programs writes the programs of a change of what agents are told, in full: nobody
// should have to look for what a host would run.
func Programs(w io.Writer, text string) error {
	p := &printer{w: w}
	if text != "" {
		p.printf("\nPrograms in the change, in full:\n\n    %s\n", strings.ReplaceAll(text, "\n", "\n    "))
	}
	return p.err
}

// WaitingItem is a request that waits for the person, as programs are told of it.
type WaitingItem struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Project string `json:"project"`
}

// WaitingItems are requests as programs are told of them.
func WaitingItems(items []improve.Item) []WaitingItem {
	all := []WaitingItem{}
	for _, it := range items {
		all = append(all, WaitingItem{it.ID, it.Request.Title, it.Project})
	}
	return all
}
