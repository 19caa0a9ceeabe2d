package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// unrun are command lines of the pages that are not run here, by how they begin.
var unrun = map[string]string{
	"trimtab config edit":                "opens an editor",
	"trimtab improve run --forge local":  "TestScripts/improve runs it",
	"trimtab improve":                    "needs an approved request; TestScripts/improve has one",
	"trimtab serve":                      "stays; serve_test.go runs it",
	"trimtab run":                        "needs an agent; make e2e has them",
	"trimtab open":                       "stays; open_test.go runs it",
	"trimtab judge --labels mine.json":   "needs a file that a person made",
	"trimtab replay --against new.json ": "needs a file of the reader's",
}

// TestTheCommandsOfThePagesRun runs the command lines of the pages for beginners and of some
// others, to the word and in their order: on a home with recorded sessions and no key,
// each ends well.
func TestTheCommandsOfThePagesRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the lines are for a POSIX shell")
	}
	for _, name := range []string{"start/install.md", "start/first-session.md", "start/pull-request.md", "howto/mode.md", "howto/tune.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("../../docs", filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			home := beginner(t)
			do := func(line string) {
				c := exec.CommandContext(t.Context(), "sh", "-c", line)
				c.Dir, c.Env = filepath.Join(home, "work"), append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TRIMTAB") }), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "TRIMTAB_MODELS_DEFAULT=demo", "NO_COLOR=1", "TERM=dumb")
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
			}
			do("trimtab -p 'look at this folder'") // a session that commands can go to
			ran := 0
			for _, b := range fences(string(text)) {
				for line := range strings.Lines(b.text) {
					if line = strings.TrimSpace(line); b.kind != "sh" || !strings.HasPrefix(line, "trimtab") || line == "trimtab" || strings.Contains(line, "…") || skipped(line) { // the chat needs a terminal; tests of it have one
						continue
					}
					ran++
					do(line)
				}
			}
			if ran == 0 {
				t.Error("it has no command line")
			}
		})
	}
}

func skipped(line string) bool {
	for begin := range unrun {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// beginner is the home of somebody with two sessions of Claude Code in a project.
func beginner(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("testdata/script/init.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, sessions, ok := strings.Cut(string(script), "-- sessions.sh --\n")
	if !ok {
		t.Fatal("init.txtar makes no sessions")
	}
	home := t.TempDir()
	for _, dir := range []string{"work", ".claude/projects/mill"} {
		if err := os.MkdirAll(filepath.Join(home, filepath.FromSlash(dir)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", sessions)
	c.Env = append(os.Environ(), "HOME="+home)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return home
}
