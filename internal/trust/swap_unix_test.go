//go:build unix

package trust

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// P16, a seeded bug that nothing caught: the folder is looked at, then another takes its
// place, by a link or by itself, then it is opened. What is read must be what was
// looked at.
func TestP16_AFolderThatIsSwappedBeforeItIsOpenedIsRefused(t *testing.T) {
	for _, link := range []bool{true, false} {
		dir := t.TempDir()
		for _, name := range []string{Folder, "other"} {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name, "trimtab.json"), []byte("{}"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		files, err := readFolder(dir, func() {
			if err := os.Rename(filepath.Join(dir, Folder), filepath.Join(dir, "was")); err != nil {
				t.Fatal(err)
			}
			swap := func() error { return os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, Folder)) }
			if link {
				swap = func() error { return os.Symlink("other", filepath.Join(dir, Folder)) }
			}
			if err := swap(); err != nil {
				t.Fatal(err)
			}
		})
		var refused *refusalError
		if !errors.As(err, &refused) || !strings.Contains(refused.Why, "replaced") {
			t.Errorf("a link: %v: %d files were read, %v", link, len(files), err)
		}
	}
}
