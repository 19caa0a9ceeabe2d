package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/store/sqlite"
	trials "github.com/trimtab/trimtab/trial/run"
	"github.com/trimtab/trimtab/trial/trialcmd"
)

func trialCommand(a *app) *cobra.Command {
	return trialcmd.Command(trialcmd.Program{
		Env: a.trialEnv, JSON: func() bool { return a.flag.json }, Print: a.printJSON, Text: func(text string) { a.printf("%s", text) }, Misused: misused,
	})
}

// trialEnv is what a trial runs with.
func (a *app) trialEnv(use trialcmd.Use) (trials.Env, error) {
	cfg, err1 := a.config()
	data, err2 := a.dataDir()
	self, err3 := os.Executable()
	picker, err4 := a.pickerOf()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return trials.Env{}, err
	}
	env := trials.Env{
		Self: self, Linux: use.Linux, Data: data, Trials: cmp.Or(use.To, filepath.Join(data, "trials")), Lookup: a.lookup, Pass: use.Pass, Redact: secret.Redactor(secret.Options{Known: secret.FromEnviron(a.environ)}),
		Sandbox: trials.Confined(cfg.Tools.Sandbox, use.Unconfined), Sets: a.flag.sets, Price: picker.Cost, Clock: a.clock, Tell: a.progress,
		Open: func(ctx context.Context, dir string) (trimtab.Archive, func() error, error) {
			st, err := sqlite.Open(ctx, filepath.Join(dir, "trimtab.db"), cfg.Store.Config)
			if err != nil {
				return nil, nil, err
			}
			return st, st.Close, nil
		},
	}
	if !use.Yes {
		env.Ask = func(question string) (bool, error) {
			if !a.terminal.in {
				return false, misused("not a terminal; pass --yes to begin")
			}
			return a.confirm(question), nil
		}
	}
	var err error
	if env.Settings, err = setting.Read(a.loaded.User); errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return env, err
}
