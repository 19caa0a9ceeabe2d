package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/replay/record"
)

// replayFrames reports, for each file, the boundaries that the heuristics would
// have drawn and what folding would have saved.
func (a *app) replayFrames(ctx context.Context, files []string) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	opt := replay.FrameOptions{Steering: cfg.Steering, Frames: cfg.Frames, Autonomy: cfg.Autonomy}
	results := replay.FrameResults{}
	err = a.eachRecorded(ctx, files, func(file string, session record.Session, err error) error {
		r := results.Add(file, session, err, opt)
		if r.Err == nil && !a.flag.json {
			a.answered(replay.WriteFrames(a.out, file, r.Damaged, *r.Report))
		}
		return r.Err
	})
	switch {
	case err != nil && !errors.Is(err, errShown):
	case a.flag.json:
		err = cmp.Or(a.printJSON(results), err)
	case len(results.Reports()) > 1:
		a.answered(replay.WriteFrameSum(a.out, results.Reports()))
	}
	return err
}
