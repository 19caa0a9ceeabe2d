package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/replay/detectors"
	"github.com/trimtab/trimtab/replay/record"
)

// replayDetectors shows when each detector of loops would have fired, and against
// a person's labels how often it was right.
func (a *app) replayDetectors(ctx context.Context, names string, files []string, labels string) error {
	fresh, err := detectors.Named(names)
	if err != nil {
		return misused("--detectors: %w", err)
	}
	known, err := detectors.ReadLabels(labels)
	if err != nil {
		return fmt.Errorf("--labels: %w", err)
	}
	var results []loop.Result
	used := map[string]bool{}
	failed := a.eachRecorded(ctx, files, func(_ string, session record.Session, err error) error {
		var r []loop.Result
		if err == nil {
			r, err = detectors.Score(session.Info.ID, session.All(), fresh, known)
		}
		if err == nil {
			used[session.Info.ID] = true
			results = detectors.Add(results, r)
		}
		return err
	})
	if failed != nil && !errors.Is(failed, errShown) {
		return failed
	}
	for id := range known {
		if !used[id] {
			a.progress("%s: the label of session %s has no recorded session\n", labels, id)
		}
	}
	if results == nil {
		for _, d := range fresh() {
			results = append(results, loop.Result{Detector: d.Name(), Fires: []loop.Fire{}})
		}
	}
	if a.flag.json {
		if err := a.printJSON(results); err != nil {
			return err
		}
	} else if err := detectors.Write(a.out, results); err != nil {
		return err
	}
	return failed
}
