package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/replay/detectors"
	"github.com/trimtab/trimtab/replay/record"
)

// replayDetectors shows when each detector of loops would have fired, and against
// a person's labels how often it was right.
func (a *app) replayDetectors(ctx context.Context, names string, files []string, labels string) error {
	fresh, err := detectorsNamed(names)
	if err != nil {
		return err
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

// detectorsNamed are those that are named: "all", or names with commas between.
func detectorsNamed(names string) (func() []loop.Detector, error) {
	if names == "all" {
		return loop.All, nil
	}
	var list []string
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		if _, err := loop.Named(name); err != nil {
			near := ""
			if n := config.Nearest(name, loop.Names()); n != "" {
				near = fmt.Sprintf("; did you mean %s?", n)
			}
			return nil, misused("--detectors: there is no %q%s (all, or some of %s)", name, near, strings.Join(loop.Names(), ", "))
		}
		list = append(list, name)
	}
	return func() []loop.Detector {
		all, err := loop.Named(list...)
		if err != nil {
			return nil // they were all found just now
		}
		return all
	}, nil
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
