//go:build unix

package instruct

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Between the look at a file and its opening, a pipe took its place.
func TestP16_APipeInTheFilesPlaceIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, Name), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var f File
	if why := f.take(root, Name); why != "it was replaced while it was read" || f.Text != nil {
		t.Errorf("read %q, %q", f.Text, why)
	}
}
