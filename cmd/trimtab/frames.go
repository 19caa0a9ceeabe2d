package main

import (
	"cmp"
	"context"
	"errors"

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
	results, reports := []framesJSON{}, []replay.FrameReport{}
	err = a.eachRecorded(ctx, files, func(file string, session record.Session, err error) error {
		r := framesJSON{File: file, Damaged: session.Damaged}
		var report replay.FrameReport
		if err == nil {
			report, err = replay.Frames(session.Info, session.All(), opt)
		}
		if err != nil {
			r.Error = err.Error()
		} else {
			r.Report = &report
			reports = append(reports, report)
			if !a.flag.json {
				a.answered(replay.WriteFrames(a.out, file, r.Damaged, report))
			}
		}
		results = append(results, r)
		return err
	})
	switch {
	case err != nil && !errors.Is(err, errShown):
	case a.flag.json:
		err = cmp.Or(a.printJSON(results), err)
	case len(reports) > 1:
		a.answered(replay.WriteFrameSum(a.out, reports))
	}
	return err
}
