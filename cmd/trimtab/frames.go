package main

import (
	"context"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/replay/record"
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
				a.answered(replay.WriteFrames(a.out, file, r.Damaged, *r.Report))
			}
			results = append(results, r)
		}
	}
	if a.flag.json {
		if err := a.printJSON(results); err != nil {
			return err
		}
	} else if len(results)-bad > 1 {
		var reports []replay.FrameReport
		for _, r := range results {
			if r.Report != nil {
				reports = append(reports, *r.Report)
			}
		}
		a.answered(replay.WriteFrameSum(a.out, reports))
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
