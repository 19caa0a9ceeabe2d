package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestAnAnswerThatCannotBeWrittenIsAFailure(t *testing.T) {
	for _, line := range []string{"-q --model demo -p hello", "version", "mode list", "version --json"} {
		var said strings.Builder
		dir := t.TempDir()
		a := &app{in: strings.NewReader(""), out: fullDisk{}, err: &said, clock: time.Now, environ: []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir}}
		if code := run(context.Background(), a, strings.Fields(line)); code != failed || !strings.Contains(said.String(), "the disk is full") {
			t.Errorf("trimtab %s: exit code %d, stderr %q", line, code, said.String())
		}
	}
}

// hearer calls a function when it hears a word.
type hearer struct {
	word string
	call func()
	said strings.Builder
}

func (h *hearer) Write(p []byte) (int, error) {
	if strings.Contains(string(p), h.word) {
		h.call()
	}
	return h.said.Write(p)
}

func TestARunThatDidNotEndIsAFailureForProgramsToo(t *testing.T) {
	for _, line := range []string{"--model demo -p tidy", "--model demo -p tidy --json"} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var answer strings.Builder
		stderr := &hearer{word: "todo_write", call: cancel}
		a := &app{in: strings.NewReader(""), out: &answer, err: stderr, clock: time.Now, environ: []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir}}
		if code := run(ctx, a, strings.Fields(line)); code != failed || !strings.Contains(stderr.said.String(), "was cut short: cancelled") {
			t.Errorf("trimtab %s: exit code %d, stderr %q", line, code, stderr.said.String())
		}
		if strings.Contains(line, "json") && !strings.Contains(answer.String(), `"stopped": "cancelled"`) {
			t.Errorf("trimtab %s says %q", line, answer.String())
		}
	}
}

func TestAModeWithoutAGoalIsWrongUse(t *testing.T) {
	for _, name := range []string{"planning", "nonsense"} {
		dir := t.TempDir()
		a := &app{in: strings.NewReader(""), out: new(strings.Builder), err: new(strings.Builder), clock: time.Now, environ: []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir}}
		if code := run(context.Background(), a, []string{"deliberate", "--mode", name, "a brief"}); code != misuse {
			t.Errorf("deliberate --mode %s: exit code %d, stderr %q", name, code, a.err)
		}
	}
}

func TestThePlainChatSaysWhereTheCommandsAre(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	a := &app{in: strings.NewReader("/xyz\n/statsu\n"), out: &out, err: new(strings.Builder), clock: time.Now, environ: []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir}}
	a.terminal.in = true
	if code := run(context.Background(), a, []string{"--plain", "--model", "demo"}); code != done {
		t.Fatalf("exit code %d, stderr %q", code, a.err)
	}
	for _, want := range []string{"no command /xyz; /help lists them\n", "no command /statsu; did you mean /status?\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
}

func TestAFailureIsNeverSilent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.md")
	put(t, file, "no session\n")
	for _, line := range []string{"replay", "replay --frames", "replay --detectors all", "session import"} {
		dir := t.TempDir()
		var said strings.Builder
		a := &app{in: strings.NewReader(""), out: new(strings.Builder), err: &said, clock: time.Now, environ: []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir}}
		code := run(context.Background(), a, append(strings.Fields("--quiet "+line), file))
		if code != failed || !strings.Contains(said.String(), "notes.md") {
			t.Errorf("trimtab --quiet %s: exit code %d, stderr %q", line, code, said.String())
		}
	}
}
