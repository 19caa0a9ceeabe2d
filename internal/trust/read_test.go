package trust

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Between the look at a file and its opening, a link to another took its place.
func TestP16_AFileReplacedBetweenLookAndOpenIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"trimtab.json": "{}", "other": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	seen, err := root.Lstat("trimtab.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Rename("trimtab.json", "gone"); err != nil {
		t.Fatal(err)
	}
	if err := root.Symlink("other", "trimtab.json"); err != nil {
		t.Fatal(err)
	}
	r := &folder{root: root, files: Files{}, names: map[string]string{}}
	var refusal *refusalError
	if err := r.file("trimtab.json", seen); !errors.As(err, &refusal) || len(r.files) > 0 {
		t.Errorf("read %q, %v", r.files, err)
	}
}
