package claude_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/claude"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

// R28: what /export writes is read. Claude Code 2.1.325 wrote the first file; the second has the
// forms of 2025, in which each command is shown.
func TestR28_WhatTheScreenShowedIsRead(t *testing.T) {
	for _, name := range []string{"export", "export-older"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if got := transcript.Detect(raw); got != transcript.ClaudeExport {
			t.Errorf("%s is a file of %q", name, got)
		}
		transcripttest.Golden(t, filepath.Join("testdata", name+".golden"), claude.ReadExport(bytes.NewReader(raw), transcript.Options{}), *update)
	}
}

func TestR28_TheTimeOfAnExportIsThatOfItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "2026-11-17-a.txt")
	if err := os.WriteFile(path, []byte("❯ hello\n\n● hi\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 17, 4, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for it, err := range claude.ReadExport(f, transcript.Options{}) {
		if err != nil || !it.Message.At.Equal(at) || trimtab.CheckID(it.Session) != nil {
			t.Errorf("%+v, %v", it, err)
		}
	}
}

// A block of any length is kept to a megabyte, and what comes behind it is read.
func TestR28_ALongBlockOfAnExportIsCut(t *testing.T) {
	text := "❯ hello\n\n● " + strings.Repeat("words of the model\n  ", 200_000) + "\n\n❯ bye\n"
	var all []transcript.Item
	for it, err := range claude.ReadExport(strings.NewReader(text), transcript.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, it)
	}
	if len(all) != 3 || all[1].Message.Size() > 1<<20 || all[1].Message.Size() < 1<<19 || all[2].Message.Typed() != "bye" {
		t.Errorf("%d items", len(all))
	}
}

// FuzzReadExport reads anything: it ends, lines never fall, every item can be kept as JSON, and
// what a tool or the model wrote is never a person's.
func FuzzReadExport(f *testing.F) {
	files, err := filepath.Glob("testdata/export*.txt")
	if err != nil || len(files) < 2 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("❯\n●\n  ⎿\n● (\n  ⎿ \xff\n> x\n✻ Thinking\n● Bash()\n  ⎿ Interrupted"))
	f.Fuzz(func(t *testing.T, data []byte) {
		last := 0
		for it, err := range claude.ReadExport(bytes.NewReader(data), transcript.Options{MaxLine: 4096}) {
			if err != nil && !errors.Is(err, trimtab.ErrDamaged) {
				t.Fatal(err)
			}
			if it.Line < last {
				t.Fatalf("line %d after %d", it.Line, last)
			}
			last = it.Line
			if err != nil {
				continue
			}
			if len(it.Message.Parts) == 0 || it.Message.Role == trimtab.RoleAssistant && it.Message.Typed() != "" {
				t.Fatalf("got %+v", it)
			}
			if _, err := json.Marshal(it.Message); err != nil {
				t.Fatal(err)
			}
		}
	})
}
