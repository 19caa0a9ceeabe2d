package plainfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/plainfile"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if got, err := plainfile.Read(filepath.Join(dir, "none"), 4); got != nil || err != nil {
		t.Errorf("a missing file: %q, %v; want nil, nil", got, err)
	}
	if got, err := plainfile.Read(write("empty", ""), 4); got == nil || err != nil {
		t.Errorf("an empty file: %v, %v; want empty and not nil", got, err)
	}
	if got, err := plainfile.Read(write("full", "four"), 4); string(got) != "four" || err != nil {
		t.Errorf("a file at the limit: %q, %v", got, err)
	}
	if _, err := plainfile.Read(write("over", "fives"), 4); err == nil || !strings.Contains(err.Error(), "more than 4 bytes") {
		t.Errorf("a file over the limit: %v", err)
	}
	if _, err := plainfile.Read(dir, 4); err == nil || !strings.Contains(err.Error(), "no plain file") {
		t.Errorf("a folder: %v", err)
	}
}
