// Command judgement measures when steering speaks, as "trimtab judge --labels" does, and
// under any settings: it plays recorded sessions through
// the lineup and holds what is said against what people said of the same sessions. It
// calls no model and opens no connection.
//
//	go run ./bench/judgement -corpus DIR -labels bench/judgement/labels
//	go run ./bench/judgement -corpus DIR -set todoReminder.initialTurns=20 -json
//
// DIR holds one folder for each corpus, with session files of any host or our own
// exports in it. A file NAME.meta.json beside a folder NAME says how runs ended:
// {"ID": {"resolved": true, "submitted": true}}. The form of
// labels is described in docs/reference/formats.md; those of a session hold wherever it lies.
//
// For sessions with labels it prints, kind by kind, how often something was said, what
// a person thinks of it, and how many of the moments were met at which somebody should
// have spoken; for runs with an outcome, how many of the failed and of the solved ones
// had an alarm. Each figure stands beside a plain rule on length: long sessions
// fail more often, and a rule that finds no more than that has found nothing.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/replay/judge"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/steer"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "judgement:", err)
		os.Exit(1)
	}
}

// options are what a run was asked for.
type options struct {
	corpus    string
	labels    string
	kinds     judge.Kinds
	tolerance int
	json      bool
	list      bool
	steering  steer.Config
}

// list collects a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(v string) error { *l = append(*l, v); return nil }

func parse(args []string, errs io.Writer) (o options, err error) {
	f := flag.NewFlagSet("judgement", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&o.corpus, "corpus", "", "a `folder` with one folder for each corpus")
	f.StringVar(&o.labels, "labels", "bench/judgement/labels", "a file of labels, or a `folder` of them")
	f.IntVar(&o.tolerance, "tolerance", 2, "how many `steps` a note may stand off a label")
	f.BoolVar(&o.json, "json", false, "answer in JSON")
	f.BoolVar(&o.list, "list", false, "list every note, what a person thinks of it, and every moment that was missed")
	kinds := f.String("kinds", "", "a `file` with further rows of the table of kinds: [{\"by\": \"guard\", \"slot\": \"report\", \"kind\": \"same report\"}]")
	settings := f.String("config", "", "settings `file`")
	var sets list
	f.Var(&sets, "set", "a setting, as in todoReminder.initialTurns=4 (repeatable)")
	if err := f.Parse(args); err != nil {
		return o, flag.ErrHelp
	}
	if o.corpus == "" || f.NArg() > 0 {
		f.Usage()
		return o, flag.ErrHelp
	}
	if o.kinds, err = judge.ReadKinds(*kinds); err != nil {
		return o, err
	}
	o.steering, err = readSettings(*settings, sets)
	return o, err
}

// readSettings reads the settings of the lineup. Whatever is wrong with them is an
// error: a figure must not stand for settings that were ignored.
func readSettings(file string, sets []string) (steer.Config, error) {
	from := config.Sources{Sets: sets}
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return steer.Config{}, err
		}
		from.Layers = []config.Layer{{Name: "settings", File: file, Data: data}}
	}
	cfg, report := config.Load[steer.Config](from)
	var problems []error
	for _, p := range report.Problems {
		problems = append(problems, p)
	}
	return cfg, errors.Join(problems...)
}

func command(ctx context.Context, args []string, out, errs io.Writer) error {
	o, err := parse(args, errs)
	if err != nil {
		return err
	}
	engine, err := steer.New(o.steering)
	if err != nil {
		return err
	}
	known, err := judge.ReadLabels(o.labels)
	if err != nil {
		return err
	}
	corpora, err := judge.Find(o.corpus)
	if err != nil {
		return err
	}
	result, err := judge.Measure(ctx, corpora, judge.Options{Read: record.Sessions, Engine: engine, Kinds: o.kinds, Known: known, Tolerance: o.tolerance})
	if err != nil {
		return err
	}
	for _, w := range result.Warnings {
		fmt.Fprintln(errs, "judgement:", w)
	}
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(result)
	}
	return judge.Write(out, result, o.list)
}
