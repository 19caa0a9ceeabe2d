package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"trimtab-answer": main})
}

// TestScripts drives the real program on a real database. The trimtab that it hands
// on to is a shell script: what is tested is that it is called, and how.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("TRIMTAB_DATA", filepath.Join(env.WorkDir, "data"))
			return nil
		},
	})
}
