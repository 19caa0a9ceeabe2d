package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestDeliberateScripts drives the verb on the command line.
func TestDeliberateScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script/deliberate",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("TRIMTAB_MODELS_DEFAULT", "demo") // whatever keys and models this machine has
			env.Setenv("TRIMTAB_DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("TRIMTAB_CONFIG", filepath.Join(env.WorkDir, "config", "trimtab.json"))
			if err := os.MkdirAll(filepath.Join(env.WorkDir, "config"), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "config", "trimtab.json"), []byte("{}\n"), 0o600)
		},
	})
}

// TestDeliberateHasHelpAndExamples, and its default.
func TestDeliberateHasHelpAndExamples(t *testing.T) {
	if c := deliberateCommand(newApp()); c.Short == "" || c.Example == "" || c.Flags().Lookup("mode").DefValue != "copywrite" {
		t.Errorf("%s lacks help", c.Name())
	}
}
