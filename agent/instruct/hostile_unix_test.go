//go:build unix

package instruct_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/trimtab/trimtab/agent/instruct"
)

func TestP16_APipeIsLeftOutWithoutWaitingForIt(t *testing.T) {
	dir := files(t, ".git/HEAD", "x", "sub/AGENTS.md", "near")
	if err := syscall.Mkfifo(filepath.Join(dir, "AGENTS.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	found := read(t, filepath.Join(dir, "sub"), true)
	if len(found.Files) != 1 || len(found.Left) != 1 || found.Left[0].String() != "AGENTS.md: left out: it is not a regular file" {
		t.Errorf("got %+v", found)
	}
}

// While the file is read, someone puts links and pipes in its place. Reading never
// hangs, never leads outside, and what speaks is what was judged.
func TestP16_AFileSwappedWhileReadingLeadsNowhere(t *testing.T) {
	dir := files(t, "secret", "canary", "repo/.git/HEAD", "x", "repo/AGENTS.md", "good", "repo/inside", "other")
	repo := filepath.Join(dir, "repo")
	name, next := filepath.Join(repo, "AGENTS.md"), filepath.Join(repo, "next")
	makes := []func() error{
		func() error { return os.Symlink("../secret", next) },
		func() error { return os.WriteFile(next, []byte("good"), 0o644) },
		func() error { return syscall.Mkfifo(next, 0o644) },
		func() error { return os.Symlink("inside", next) },
		func() error { return os.WriteFile(next, []byte("evil"), 0o644) },
		func() error { return os.Symlink("/dev/zero", next) },
	}
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			err := makes[i%len(makes)]()
			if err == nil {
				err = os.Rename(next, name)
			}
			if err != nil {
				done <- err
				return
			}
		}
	}()
	for range 500 {
		judged := ""
		found, err := instruct.Read(repo, func(f instruct.File) string {
			judged = string(f.Text)
			if judged == "evil" {
				return "evil"
			}
			return ""
		})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.Contains(found.Text, "canary") || strings.Contains(found.Text, "evil"):
			t.Fatalf("it says %q", found.Text)
		case found.Text != "" && !strings.HasSuffix(found.Text, "\n\n"+judged+"\n"):
			t.Fatalf("judged was %q, and it says %q", judged, found.Text)
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
