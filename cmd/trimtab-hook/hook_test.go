package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/trimtab/trimtab/surface/hook/spool"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"trimtab-hook": main,
		"leave":        leave, // what an answer from the database leaves behind
	})
}

func leave() {
	c, err := spool.Read("claude", "Stop", []byte(`{"session_id":"c1"}`))
	if err == nil {
		err = spool.At(os.Getenv("TRIMTAB_DATA"), c).Leave(spool.State{Quiet: 2}, os.Getpid())
	}
	if err != nil {
		panic(err)
	}
}

// copyOfThis puts the program under test where a script wants it.
func copyOfThis(ts *testscript.TestScript, _ bool, args []string) {
	self, err := os.Executable()
	ts.Check(err)
	program, err := os.ReadFile(self)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), program, 0o700))
}

// TestScripts drives the real program. The trimtab that it hands on to is a shell
// script: what is tested is that it is called, and what is done with its answer.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"copy-of-this": copyOfThis},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("BARE", without(env.Getenv("PATH"), "trimtab"))
			env.Setenv("TRIMTAB_DATA", filepath.Join(env.WorkDir, "data"))
			return nil
		},
	})
}

// without is a search path on which a program is not found that may be installed here.
func without(path, program string) string {
	return strings.Join(slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, program))
		return err == nil
	}), string(filepath.ListSeparator))
}
