// Package detectors holds detectors of loops against recorded sessions: when each
// would have fired, and, against a person's labels, how often it was right. It calls
// no model; the detectors themselves are in package loop.
//
//	known, err := detectors.ReadLabels("loops.json")
//	for session, err := range record.Sessions(ctx, path, "") {
//		…
//		next, err := detectors.Score(session.Info.ID, session.All(), loop.All, known)
//		results = detectors.Add(results, next)
//	}
//	err = detectors.Write(os.Stdout, results)
package detectors

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/loop"
)

// maxLabels is the largest file of labels, in bytes.
const maxLabels = 16 << 20

// ReadLabels reads what a person says of recorded sessions: a list of
// {"session": ID, "loops": [{"first": STEP, "last": STEP}]}.
func ReadLabels(file string) (map[string]*loop.Label, error) {
	if file == "" {
		return nil, nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxLabels {
		return nil, fmt.Errorf("%s has %d bytes, over the limit of %d", file, info.Size(), maxLabels)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []loop.Label
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf(`%s: %w; give a list such as [{"session": "ID", "loops": [{"first": 12, "last": 30}]}]`, file, err)
	}
	known := map[string]*loop.Label{}
	for i := range list {
		if list[i].Session == "" {
			return nil, fmt.Errorf("%s: label %d names no session", file, i+1)
		}
		known[list[i].Session] = &list[i]
	}
	return known, nil
}

// Named makes the detectors that are named afresh: "all", or names with commas between.
func Named(names string) (func() []loop.Detector, error) {
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
			return nil, fmt.Errorf("there is no %q%s (all, or some of %s)", name, near, strings.Join(loop.Names(), ", "))
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

// Score watches the events of one recorded session.
func Score(id string, events iter.Seq2[trimtab.Event, error], fresh func() []loop.Detector, known map[string]*loop.Label) ([]loop.Result, error) {
	one := loop.Recorded{ID: id, Messages: messagesOf(events), Label: known[id]}
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

// Add sums what detectors did in several sessions.
func Add(sum, next []loop.Result) []loop.Result {
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

// Write writes what came of it: a table, and then every alarm.
func Write(to io.Writer, results []loop.Result) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
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
	p := termsafe.NewPrinter(to)
	for _, r := range results {
		for _, f := range r.Fires {
			mark := ""
			if r.Labelled > 0 {
				mark = map[bool]string{true: " (right)", false: " (false)"}[f.Hit]
			}
			p.Printf("%s, step %d of %s%s: %s\n", r.Detector, f.Step, f.Session, mark, f.Why)
		}
	}
	return p.Err()
}
