package main

import (
	"context"
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
	known, err := a.labels(labels)
	if err != nil {
		return err
	}
	var results []loop.Result
	bad, used := 0, map[string]bool{}
	for _, file := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for session, err := range record.Sessions(ctx, file, "") {
			var r []loop.Result
			if err == nil {
				r, err = detectors.Score(session.Info.ID, session.All(), fresh, known)
			}
			if err != nil {
				bad++
				a.wrong("%s: %s\n", file, err)
				continue
			}
			used[session.Info.ID] = true
			results = detectors.Add(results, r)
		}
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
	if bad > 0 {
		a.wrong("%d of %d files could not be read\n", bad, len(files))
		return errShown
	}
	return nil
}

func (a *app) labels(file string) (map[string]*loop.Label, error) {
	if file == "" {
		return nil, nil
	}
	known, err := detectors.ReadLabels(file)
	if err != nil {
		return nil, fmt.Errorf("--labels: %w", err)
	}
	return known, nil
}
