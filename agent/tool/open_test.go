package tool

import (
	"os"
	"path/filepath"
	"testing"
)

// A path may change between the look and the opening, so the opening itself must
// not lead outside either.
func TestOpeningGuardsTheFolderByItself(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(parent, "secret"), []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"file": "../secret", "up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("this system makes no symbolic links: %v", err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, rel := range []string{"file", "up/secret", "../secret", "."} {
		if file, _, err := f.open(rel); err == nil {
			file.Close()
			t.Errorf("open %s was not refused", rel)
		}
	}
	if names, err := f.names("up"); err == nil {
		t.Errorf("names outside the folder: %v", names)
	}
}
