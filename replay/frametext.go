package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/steer/frame"
)

// WriteFrames writes the report on a session of a file for people. Damaged is how
// many lines of it were left out.
func WriteFrames(w io.Writer, file string, damaged int, rep FrameReport) error {
	p := termsafe.NewPrinter(w)
	writeFrames(p, file, damaged, rep)
	return p.Err()
}

func writeFrames(p *termsafe.Printer, file string, damaged int, rep FrameReport) {
	p.Printf("%s\n  %s  %s\n", file, rep.Session, rep.Title)
	p.Printf("  %s, %s, %s, about %d tokens", plural.Count(rep.Messages, "message"), plural.Count(rep.Steps, "step"), plural.Count(rep.Requests, "request"), rep.Tokens)
	if damaged > 0 {
		p.Printf(", %s left out", plural.Count(damaged, "damaged line"))
	}
	p.Printf("\n")
	if rep.Messages == 0 {
		p.Printf("  nothing was said in the main conversation of this file\n")
		return
	}
	for _, b := range rep.Boundaries {
		end := ""
		if b.Kind == frame.Pop {
			end = " as " + string(b.Status)
		}
		p.Printf("  step %-5d %-4s %s%s: %s - %s (%d %%)\n", b.Step, b.Kind, b.Frame, end, termsafe.FirstLine(b.Goal, 60), b.Reason, b.Confidence)
	}
	p.Printf("  boundaries drawn by the heuristics: %d; suggestions, had nobody followed any: %d\n", len(rep.Boundaries), rep.Suggested)
	for _, peak := range rep.Highest {
		var scores []string
		for _, s := range peak.Scores {
			if s.Enabled {
				scores = append(scores, fmt.Sprintf("%s %d", strings.ReplaceAll(s.Name, "_", " "), s.Score))
			}
		}
		p.Printf("  highest %-4s %d %% at step %d, of %d %% (%s of %s)\n", peak.Side, peak.Confidence, peak.Step, peak.Threshold, peak.How, strings.Join(scores, ", "))
	}
	writeWays(p, rep.Ways)
	for _, f := range rep.Faults {
		p.Printf("  fault: %s\n", f)
	}
}

// writeWays compares what a session sends folded and unfolded.
func writeWays(p *termsafe.Printer, ways []FrameWay) {
	p.Printf("  %-9s %6s %6s %12s %6s %9s %9s", "", "frames", "popped", "tokens sent", "share", "largest", "last")
	for _, b := range ways[0].Bills {
		p.Printf("  %-19s", "cost by "+b.Cache)
	}
	p.Printf("\n")
	for _, w := range ways {
		p.Printf("  %-9s %6d %6d %12d %4.0f %% %9d %9d", w.Name, w.Frames, w.Popped, w.Sent, 100*w.Share, w.Largest, w.Last)
		for _, b := range w.Bills {
			p.Printf("  %11.0f %4.0f %% ", b.Cost, 100*b.Share)
		}
		p.Printf("\n")
	}
	for _, w := range ways {
		if w.Folds == 0 {
			continue
		}
		p.Printf("  %s: %s kept %d tokens from the requests, %d were promised", w.Name, plural.Count(w.Folds, "fold"), w.Kept, w.Promised)
		p.Printf("; %d of %s of files seen before were made unseen, %s asked again for what was folded", w.Unseen, plural.Count(w.Edits, "edit"), plural.Count(w.Again, "call"))
		if w.Short > 0 {
			p.Printf("; at one moment %d fewer than promised", w.Short)
		}
		p.Printf("\n")
	}
}

// WriteFrameSum adds the reports on several sessions up and writes the sum.
func WriteFrameSum(w io.Writer, reports []FrameReport) error {
	var sum []FrameWay
	for _, r := range reports {
		for i, w := range r.Ways {
			if len(sum) == i {
				w.Bills = slices.Clone(w.Bills)
				sum = append(sum, w)
				continue
			}
			sum[i] = plus(sum[i], w)
		}
	}
	for i := range sum {
		sum[i].Share = ratio(float64(sum[i].Sent), float64(sum[0].Sent))
		for j := range sum[i].Bills {
			sum[i].Bills[j].Share = ratio(sum[i].Bills[j].Cost, sum[0].Bills[j].Cost)
		}
	}
	p := termsafe.NewPrinter(w)
	p.Printf("all %s\n", plural.Count(len(reports), "file"))
	writeWays(p, sum)
	return p.Err()
}

func plus(s, w FrameWay) FrameWay {
	s.Frames, s.Popped, s.Folds, s.Sent = s.Frames+w.Frames, s.Popped+w.Popped, s.Folds+w.Folds, s.Sent+w.Sent
	s.Edits, s.Unseen, s.Again = s.Edits+w.Edits, s.Unseen+w.Unseen, s.Again+w.Again
	s.Largest, s.Last, s.Promised, s.Kept, s.Short = max(s.Largest, w.Largest), max(s.Last, w.Last), s.Promised+w.Promised, s.Kept+w.Kept, max(s.Short, w.Short)
	for j := range s.Bills {
		s.Bills[j].Cost += w.Bills[j].Cost
	}
	return s
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
