//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/term"
)

// loopingSession is an export in which the same command fails eight times.
func loopingSession(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "script", "judge.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(raw), "-- loop.json --\n")
	if !ok {
		t.Fatal("no loop.json in judge.txtar")
	}
	text, _, _ = strings.Cut(text, "-- sessions/")
	file := filepath.Join(t.TempDir(), "loop.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestJ13_JudgeOnATerminal: single keys, nothing lost on ctrl-c, and the next time goes
// on where the person left.
func TestJ13_JudgeOnATerminal(t *testing.T) {
	d, file := newChatEnv(t, nil), loopingSession(t)
	labels := filepath.Join(d.home, "data", "labels.json")
	c := term.Start(t, d.command("judge", file), 100, 30)
	c.Wait("NOTE  loop", "no verdict yet", "u useful  h harmless  a annoying")
	c.Type("u")
	c.Wait("1 judged")
	c.Type("m")
	c.Wait("l loop  f unproved finish")
	c.Type("l")
	c.Wait("MISSING  a word on the loop")
	c.Type(ctrlC)
	c.Wait("saved in", "best length rule")
	if err := c.End(); err != nil {
		t.Errorf("ctrl-c is an error: %v", err)
	}
	raw, err := os.ReadFile(labels)
	if err != nil || !strings.Contains(string(raw), `"useful"`) || !strings.Contains(string(raw), `"kind": "loop"`) || strings.Contains(string(raw), "TestX") {
		t.Fatalf("%v: %s", err, raw)
	}
	c = term.Start(t, d.command("judge", file), 100, 30)
	c.Wait("1 judged")
	c.Type("q")
	c.Wait("saved in")
}
