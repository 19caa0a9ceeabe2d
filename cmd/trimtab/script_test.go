package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/trimtab/trimtab/internal/config"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"trimtab": patient, "mcp-fixture": serveTide, "second-user": secondUser})
}

// patient is main with hooks that have a minute: what scripts prove is not how long they take,
// and on a busy machine with the race detector a new database alone takes more than the second
// that a host waits. TestP17_ holds hooks to that.
func patient() {
	a := newApp()
	a.hookLimit = time.Minute
	start(a)
}

// TestScripts drives the real command line, a script a promise.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("GORACE", "atexit_sleep_ms=0")    // under -race each program would wait a second before it ends
			env.Setenv("TRIMTAB_MODELS_DEFAULT", "demo") // whatever keys and models this machine has
			env.Setenv("TRIMTAB_DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("TRIMTAB_CONFIG", filepath.Join(env.WorkDir, "trimtab.json"))
			script, err := filepath.Abs("../../improve/agents/sample/script.txtar") // of the demo agent
			if err != nil {
				return err
			}
			env.Setenv("SAMPLE_SCRIPT", script)
			return errors.Join(warm(env), os.WriteFile(filepath.Join(env.WorkDir, "trimtab.json"), []byte("{}\n"), 0o600))
		},
	})
}

// builds is the cache of whoever runs the tests.
var builds = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// warm has the go command, and what agents and projects build, use a cache that is
// filled: an empty one would be filled with the whole standard library first.
func warm(env *testscript.Env) error {
	if filepath.Base(builds()) != "go-build" {
		return nil // it takes its time
	}
	env.Setenv("GOCACHE", builds())
	return warmHome(filepath.Join(env.WorkDir, "home"))
}

func warmHome(home string) error {
	if filepath.Base(builds()) != "go-build" {
		return nil
	}
	own := filepath.Join(home, ".cache", "trimtab")
	if err := os.MkdirAll(own, 0o700); err != nil {
		return err
	}
	return os.Symlink(filepath.Dir(builds()), filepath.Join(own, "build"))
}

func TestSettingsAreWellDeclared(t *testing.T) {
	if err := config.Check[Settings](); err != nil {
		t.Fatal(err)
	}
}

func TestEveryCommandHasHelpAndAnExample(t *testing.T) {
	root := rootCommand(newApp())
	root.SetContext(context.Background())
	queue := root.Commands()
	for len(queue) > 0 {
		c := queue[0]
		queue = append(queue[1:], c.Commands()...)
		if c.Name() == "help" || c.Name() == "completion" || c.Parent().Name() == "completion" {
			continue
		}
		if c.Short == "" {
			t.Errorf("%s has no help", c.CommandPath())
		}
		if !c.HasSubCommands() && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Long) {
			if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > 100 {
				t.Errorf("%s: a line of %d letters in the help: %s", c.CommandPath(), n, line)
			}
		}
	}
}
