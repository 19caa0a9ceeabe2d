package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/steer/frame"
)

type framesJSON struct {
	File    string              `json:"file"`
	Report  *replay.FrameReport `json:"report,omitempty"`
	Damaged int                 `json:"damagedLines,omitempty"`
	Error   string              `json:"error,omitempty"`
}

// replayFrames reports, for each file, the boundaries that the heuristics would
// have drawn and what folding would have saved.
func (a *app) replayFrames(ctx context.Context, files []string) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	opt := replay.FrameOptions{Steering: cfg.Steering, Frames: cfg.Frames, Autonomy: cfg.Autonomy}
	results, bad := []framesJSON{}, 0
	for _, file := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for session, err := range record.Sessions(ctx, file, "") {
			r := framesJSON{File: file, Damaged: session.Damaged}
			if err == nil {
				err = r.run(opt, session)
			}
			if err != nil {
				r.Error = err.Error()
				bad++
				a.wrong("%s: %s\n", file, err)
			} else if !a.flag.json {
				a.printFrames(r)
			}
			results = append(results, r)
		}
	}
	if a.flag.json {
		if err := a.printJSON(results); err != nil {
			return err
		}
	} else if len(results)-bad > 1 {
		a.printFrameSum(results)
	}
	if bad > 0 {
		a.wrong("%d of %s could not be replayed\n", bad, plural.Count(len(results), "session"))
		return errShown
	}
	return nil
}

func (r *framesJSON) run(opt replay.FrameOptions, session record.Session) error {
	report, err := replay.Frames(session.Info, session.All(), opt)
	if err != nil {
		return err
	}
	r.Report = &report
	return nil
}

func (a *app) printFrames(r framesJSON) {
	rep := r.Report
	a.printf("%s\n  %s  %s\n", r.File, rep.Session, rep.Title)
	a.printf("  %s, %s, %s, about %d tokens", plural.Count(rep.Messages, "message"), plural.Count(rep.Steps, "step"), plural.Count(rep.Requests, "request"), rep.Tokens)
	if r.Damaged > 0 {
		a.printf(", %s left out", plural.Count(r.Damaged, "damaged line"))
	}
	a.printf("\n")
	if rep.Messages == 0 {
		a.printf("  nothing was said in the main conversation of this file\n")
		return
	}
	for _, b := range rep.Boundaries {
		end := ""
		if b.Kind == frame.Pop {
			end = " as " + string(b.Status)
		}
		a.printf("  step %-5d %-4s %s%s: %s - %s (%d %%)\n", b.Step, b.Kind, b.Frame, end, firstLine(b.Goal, 60), b.Reason, b.Confidence)
	}
	a.printf("  boundaries drawn by the heuristics: %d; suggestions, had nobody followed any: %d\n", len(rep.Boundaries), rep.Suggested)
	for _, p := range rep.Highest {
		var scores []string
		for _, s := range p.Scores {
			if s.Enabled {
				scores = append(scores, fmt.Sprintf("%s %d", strings.ReplaceAll(s.Name, "_", " "), s.Score))
			}
		}
		a.printf("  highest %-4s %d %% at step %d, of %d %% (%s of %s)\n", p.Side, p.Confidence, p.Step, p.Threshold, p.How, strings.Join(scores, ", "))
	}
	a.printWays(rep.Ways)
	for _, f := range rep.Faults {
		a.printf("  fault: %s\n", f)
	}
}

// printWays compares what a session sends folded and unfolded.
func (a *app) printWays(ways []replay.FrameWay) {
	a.printf("  %-9s %6s %6s %12s %6s %9s %9s", "", "frames", "popped", "tokens sent", "share", "largest", "last")
	for _, b := range ways[0].Bills {
		a.printf("  %-19s", "cost by "+b.Cache)
	}
	a.printf("\n")
	for _, w := range ways {
		a.printf("  %-9s %6d %6d %12d %4.0f %% %9d %9d", w.Name, w.Frames, w.Popped, w.Sent, 100*w.Share, w.Largest, w.Last)
		for _, b := range w.Bills {
			a.printf("  %11.0f %4.0f %% ", b.Cost, 100*b.Share)
		}
		a.printf("\n")
	}
	for _, w := range ways {
		if w.Folds == 0 {
			continue
		}
		a.printf("  %s: %s kept %d tokens from the requests, %d were promised", w.Name, plural.Count(w.Folds, "fold"), w.Kept, w.Promised)
		if w.Short > 0 {
			a.printf("; at one moment %d fewer than promised", w.Short)
		}
		a.printf("\n")
	}
}

// printFrameSum adds all files up.
func (a *app) printFrameSum(results []framesJSON) {
	var sum []replay.FrameWay
	files := 0
	for _, r := range results {
		if r.Report == nil {
			continue
		}
		files++
		for i, w := range r.Report.Ways {
			if len(sum) == i {
				w.Bills = append([]replay.FrameBill{}, w.Bills...)
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
	a.printf("all %s\n", plural.Count(files, "file"))
	a.printWays(sum)
}

func plus(s, w replay.FrameWay) replay.FrameWay {
	s.Frames, s.Popped, s.Folds, s.Sent = s.Frames+w.Frames, s.Popped+w.Popped, s.Folds+w.Folds, s.Sent+w.Sent
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
