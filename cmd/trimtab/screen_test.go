package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAnExportThatCannotBeMadeSaysWhatToDoInTheChat(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there.md")
	put(t, there, "x")
	tk := &talk{app: newApp()}
	for file, want := range map[string]string{
		there:       "there.md exists already; name another file",
		"notes.txt": "notes.txt: name a file that ends in .md, .json or .html",
		"notes":     "notes: name a file that ends in .md, .json or .html",
	} {
		if _, err := tk.exportTo(t.Context(), "id", file); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestTheChatIsAProgramOnlyOnATerminalThatCan(t *testing.T) {
	for _, tt := range []struct {
		term    string
		in, out bool
		plain   bool
		want    bool
	}{
		{"xterm-256color", true, true, false, true},
		{"xterm-256color", true, true, true, false},
		{"xterm-256color", true, false, false, false},
		{"xterm-256color", false, true, false, false},
		{"dumb", true, true, false, false},
	} {
		a := newApp()
		a.environ = []string{"TERM=" + tt.term}
		a.terminal.in, a.terminal.out, a.flag.plain = tt.in, tt.out, tt.plain
		if got := a.fullScreen(); got != tt.want {
			t.Errorf("%+v gives %v", tt, got)
		}
	}
}

func TestResumeTakesAnIDOrNone(t *testing.T) {
	for line, want := range map[string]string{"--resume": pickOne, "--resume x1": "x1", "--resume=x1": "x1", "-r x1": "x1", "-r": pickOne, "chat --resume x1": "x1", "chat -r": pickOne} {
		a := newApp()
		a.environ = []string{"TERM=xterm"}
		a.terminal.in, a.terminal.out, a.err, a.out = true, true, io.Discard, io.Discard
		root := rootCommand(a)
		for _, c := range append(root.Commands(), root) {
			c.RunE = func(*cobra.Command, []string) error { return nil }
		}
		root.SetArgs(strings.Fields(line))
		root.SetOut(io.Discard)
		if err := root.ExecuteContext(context.Background()); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if a.flag.resume != want {
			t.Errorf("%s: %q, want %q", line, a.flag.resume, want)
		}
	}
}
