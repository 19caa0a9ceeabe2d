package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge/git"
)

func TestBranch_IsReadWithoutGit(t *testing.T) {
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
				file = filepath.Join(dir, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if got := git.Branch(filepath.Join(dir, tt.dir)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
