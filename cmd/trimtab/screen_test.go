package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/steer/mode"
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

func TestTheBranchIsReadWithoutGit(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		dir   string
		want  string
	}{
		"none":            {nil, ".", ""},
		"a branch":        {map[string]string{".git/HEAD": "ref: refs/heads/feat/x\n"}, ".", "feat/x"},
		"from below":      {map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a/b/c": ""}, "a/b", "main"},
		"a commit":        {map[string]string{".git/HEAD": "0123456789abcdef0123456789abcdef01234567\n"}, ".", "01234567"},
		"a work tree":     {map[string]string{".git": "gitdir: elsewhere/x\n", "elsewhere/x/HEAD": "ref: refs/heads/side\n"}, ".", "side"},
		"nonsense":        {map[string]string{".git": "what?\n"}, ".", ""},
		"much too large":  {map[string]string{".git/HEAD": strings.Repeat("x", 5000)}, ".", ""},
		"an empty folder": {map[string]string{".git/config": ""}, ".", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				put(t, filepath.Join(dir, file), text)
			}
			if got := branchOf(filepath.Join(dir, tt.dir)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFilesForCompletionHonourIgnoreFiles(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"README.md", "src/a.go", "src/deep/b.go", "build/out", "src/with blank.txt"} {
		put(t, filepath.Join(dir, f), "x")
	}
	put(t, filepath.Join(dir, ".gitignore"), "build\n")
	folder, err := tool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	tk := &talk{app: newApp(), folder: folder}
	for part, want := range map[string][]string{
		"":       {".gitignore", "README.md", "src/", "src/a.go", "src/deep/", "src/deep/b.go", "src/with blank.txt"},
		"RE":     {".gitignore", "README.md", "src/", "src/a.go", "src/deep/", "src/deep/b.go", "src/with blank.txt"},
		"src/de": {"src/a.go", "src/deep/", "src/deep/b.go", "src/with blank.txt"},
		"none/x": nil,
		"../":    nil,
		`a"b/`:   nil,
	} {
		got, err := tk.files(t.Context(), part)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", part, err, diff)
		}
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

func TestModesThatOnlyLookOfferOnlyToolsThatLook(t *testing.T) {
	a := newApp()
	a.own = &setting.Modes{List: []setting.Mode{{Definition: mode.Definition{ID: "survey", Name: "SURVEY", Tools: []string{"search"}}, Source: "a file"}, {Definition: mode.Definition{ID: "audit", Name: "AUDIT", ReadOnly: true}, Source: "a file"}}}
	chat := &talk{app: a}
	look, write := llm.Tool{Name: "read", ReadOnly: true}, llm.Tool{Name: "write"}
	for id, want := range map[string][2]bool{
		"": {true, true}, "normal": {true, true}, "debugging": {true, true}, "planning": {true, false}, "research": {true, false},
		"code-review": {true, false}, "unheard-of": {true, true}, "survey": {false, false}, "audit": {true, false},
	} {
		var s trimtab.Session
		if id != "" {
			s = s.WithMemory("mode", []byte(`{"mode":"`+id+`"}`))
		}
		if got := [2]bool{chat.offered(s, look), chat.offered(s, write)}; got != want {
			t.Errorf("%s: read and write %v, want %v", id, got, want)
		}
		if !chat.offered(s, llm.Tool{Name: "todo_write", ReadOnly: true}) || !chat.offered(s, llm.Tool{Name: "flame_pop", ReadOnly: true}) {
			t.Errorf("%s takes the session's own tools away", id)
		}
	}
	a.flag.permit = "look"
	if got := [2]bool{chat.offered(trimtab.Session{}, look), chat.offered(trimtab.Session{}, write)}; got != [2]bool{true, false} {
		t.Errorf("--permit look offers read and write %v", got)
	}
}
