package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/replay/record"
)

const maxLabels = 16 << 20

// replayDetectors shows when each detector of loops would have fired, and against
// a person's labels how often it was right.
func (a *app) replayDetectors(ctx context.Context, names string, files []string, labels string) error {
	fresh, err := detectors(names)
	if err != nil {
		return err
	}
	known, err := readLabels(labels)
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
				r, err = watched(session, fresh, known)
			}
			if err != nil {
				bad++
				a.wrong("%s: %s\n", file, err)
				continue
			}
			used[session.Info.ID] = true
			results = added(results, r)
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
	} else if err := a.printDetectors(results); err != nil {
		return err
	}
	if bad > 0 {
		a.wrong("%d of %d files could not be read\n", bad, len(files))
		return errShown
	}
	return nil
}

// detectors are those that are named: "all", or names with commas between.
func detectors(names string) (func() []loop.Detector, error) {
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

// readLabels reads what a person says of recorded sessions: a list of
// {"session": ID, "loops": [{"first": STEP, "last": STEP}]}.
func readLabels(file string) (map[string]*loop.Label, error) {
	if file == "" {
		return nil, nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("--labels: %w", err)
	}
	if info.Size() > maxLabels {
		return nil, fmt.Errorf("--labels: %s has %d bytes, over the limit of %d", file, info.Size(), maxLabels)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--labels: %w", err)
	}
	var list []loop.Label
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf(`--labels: %s: %w; give a list such as [{"session": "ID", "loops": [{"first": 12, "last": 30}]}]`, file, err)
	}
	known := map[string]*loop.Label{}
	for i := range list {
		if list[i].Session == "" {
			return nil, fmt.Errorf("--labels: %s: label %d names no session", file, i+1)
		}
		known[list[i].Session] = &list[i]
	}
	return known, nil
}

// watched watches one recorded session.
func watched(session record.Session, fresh func() []loop.Detector, known map[string]*loop.Label) ([]loop.Result, error) {
	one := loop.Recorded{ID: session.Info.ID, Messages: messagesOf(session.All()), Label: known[session.Info.ID]}
	return loop.Score(fresh, func(yield func(loop.Recorded) bool) { yield(one) })
}

// messagesOf are the messages among events.
func messagesOf(events iter.Seq2[trimtab.Event, error]) iter.Seq2[trimtab.Message, error] {
	return func(yield func(trimtab.Message, error) bool) {
		for ev, err := range events {
			if s, ok := ev.(trimtab.Said); (ok || err != nil) && !yield(s.Message, err) {
				return
			}
		}
	}
}

// added sums what detectors did in several sessions.
func added(sum, next []loop.Result) []loop.Result {
	if sum == nil {
		return next
	}
	for i, r := range next {
		s := &sum[i]
		s.Sessions += r.Sessions
		s.Labelled += r.Labelled
		s.Loops += r.Loops
		s.Found += r.Found
		s.False += r.False
		s.Spoiled += r.Spoiled
		s.Fires = append(s.Fires, r.Fires...)
	}
	return sum
}

func (a *app) printDetectors(results []loop.Result) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "detector\tsessions\talarms\tloops\tfound\tfalse\tprecision\trecall\tlate")
	for _, r := range results {
		precision, recall, late := "–", "–", "–"
		if v, ok := r.Precision(); ok && r.Labelled > 0 {
			precision = fmt.Sprintf("%.2f", v)
		}
		if v, ok := r.Recall(); ok {
			recall = fmt.Sprintf("%.2f", v)
		}
		if v, ok := r.Late(); ok {
			late = fmt.Sprintf("%.1f", v)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", r.Detector, r.Sessions, len(r.Fires), r.Loops, r.Found, r.False, precision, recall, late)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		for _, f := range r.Fires {
			mark := ""
			if r.Labelled > 0 {
				mark = map[bool]string{true: " (right)", false: " (false)"}[f.Hit]
			}
			a.printf("%s, step %d of %s%s: %s\n", r.Detector, f.Step, termsafe.Text(f.Session), mark, termsafe.Text(f.Why))
		}
	}
	return nil
}
