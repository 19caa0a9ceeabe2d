package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

func TestForProject_CountsOnlyAsFarAsItIsTrusted(t *testing.T) {
	project := t.TempDir()
	own := improve.Config{Approval: "always"}
	asked := 0
	config := func(ok bool, err error) (improve.Config, string) {
		t.Helper()
		of, got := ForProject(own, project, func(string, []byte) (bool, string, error) { asked++; return ok, "it is new", err })
		if !errors.Is(got, err) {
			t.Errorf("got %v, want %v", got, err)
		}
		if ok = ok && err == nil && asked > 0; of.HasFile != ok {
			t.Errorf("the file counts: %v, want %v", of.HasFile, ok)
		}
		return of.Config, strings.Join(append(of.Notes, of.Problems...), "\n")
	}
	if cfg, notes := config(true, nil); cfg.Approval != "always" || notes != "" || asked != 0 {
		t.Errorf("without a file: %+v, %q, asked %d times", cfg, notes, asked)
	}
	file := filepath.Join(project, filepath.FromSlash(improve.ProjectFile))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(`{"automation_enabled": true, "odd": 1}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	if cfg, notes := config(false, nil); cfg.Enabled || !strings.Contains(notes, "has no effect: it is new") {
		t.Errorf("not trusted: %+v, %q", cfg, notes)
	}
	if cfg, notes := config(true, errors.New("no book")); cfg.Enabled || notes != "" {
		t.Errorf("nobody can say: %+v, %q", cfg, notes)
	}
	if cfg, notes := config(true, nil); !cfg.Enabled || cfg.Approval != "always" || !strings.Contains(notes, "odd") {
		t.Errorf("trusted: %+v, %q", cfg, notes)
	}
}
