package main

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/replay/judge"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/surface/tui/walk"
)

func judgeCommand(a *app) *cobra.Command {
	j, newest := judge.Command{Options: judge.Options{Read: record.Sessions, Tolerance: 2}}, 0
	c := &cobra.Command{
		Use: "judge [FILE|FOLDER]…", Short: "Say what you think of each note that would be given, and count how often it was right", Long: judge.About,
		Example: "  trimtab judge\n  trimtab judge ~/.claude/projects/*/*.jsonl --to mine.json\n  trimtab judge --labels mine.json ~/sessions\n  trimtab judge --labels team/ ~/sessions --set todoReminder.timing=fixed --json\n  trimtab judge session.json | less",
		RunE:    func(c *cobra.Command, args []string) error { return a.judge(c.Context(), j, args, newest) },
	}
	c.Flags().StringVar(&j.Labels, "labels", "", "count against this `file` of labels, or a folder of them, and ask nothing")
	c.Flags().StringVar(&j.To, "to", "", "the `file` that your labels go to (default: labels.json in the data folder)")
	c.Flags().BoolVar(&j.List, "list", false, "with --labels: every note with its verdict, and every moment that was missed")
	c.Flags().IntVarP(&newest, "newest", "n", 20, "with nothing named: how many files, and how many sessions of our own")
	return c
}

func (a *app) judge(ctx context.Context, j judge.Command, paths []string, newest int) (err error) {
	dir, err1 := a.dataDir()
	engine, err2 := a.engine()
	if j.Corpora, err = judge.Find(paths...); err != nil || err1 != nil || err2 != nil {
		return cmp.Or(err, err1, err2)
	}
	if len(paths) == 0 {
		own := judge.Corpus{Name: "newest", Files: record.Newest(a.getenv, newest)}
		if _, ok := (ownStore{a}).Where(); ok {
			store, err := a.store(ctx)
			if err != nil {
				return err
			}
			own.More = record.Stored(ctx, store, newest)
		}
		j.Corpora = []judge.Corpus{own}
	}
	if j.To == "" {
		j.To = filepath.Join(dir, "labels.json")
	}
	j.Kinds, _ = judge.ReadKinds("")
	j.Engine, j.JSON, j.Out, j.Tell = engine, a.flag.json, a.out, a.progress
	if a.terminal.in && a.terminal.out {
		j.Screen = walk.Run
	}
	return j.Run(ctx)
}
