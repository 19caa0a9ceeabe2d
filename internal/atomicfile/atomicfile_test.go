package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// leftovers are the files of a folder but one.
func leftovers(t *testing.T, dir, but string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != but {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestANewFileHasThePermissionsAndAnOldOneKeepsItsOwn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for i, step := range []struct {
		give, want os.FileMode
	}{{0o640, 0o640}, {0o600, 0o640}} {
		if err := Write(path, []byte{byte('a' + i)}, step.give); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != step.want {
			t.Errorf("%v %v, want %v", info.Mode(), err, step.want)
		}
		if got := read(t, path); got != string(rune('a'+i)) {
			t.Errorf("%q", got)
		}
	}
	if left := leftovers(t, dir, "f"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWhatCannotBeWrittenLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "taken", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "taken"), []byte("a"), 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	if err := Write(filepath.Join(dir, "missing", "f"), []byte("a"), 0o600); err == nil {
		t.Error("a folder was made")
	}
	if left := leftovers(t, dir, "taken"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestALinkOutOfTheRootIsNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(outside, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here:", err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "way")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := WriteIn(root, "link", []byte("ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteIn(root, filepath.Join("way", "f"), []byte("ours"), 0o600); err == nil {
		t.Error("a link led out of the root")
	}
	if read(t, outside) != "theirs" || read(t, filepath.Join(dir, "link")) != "ours" {
		t.Error("the link was followed")
	}
}

// TestWritersAtOnce: a reader finds what one of them wrote, whole.
func TestWritersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := Write(path, []byte(strings.Repeat("0", 1<<16)), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			text := strings.Repeat(string(rune('a'+i)), 1<<16)
			for range 5 {
				if err := Write(path, []byte(text), 0o600); err != nil && runtime.GOOS != "windows" {
					t.Error(err)
				}
				got, err := os.ReadFile(path)
				if err != nil && runtime.GOOS != "windows" || err == nil && strings.Count(string(got), string(got[:1])) != 1<<16 {
					t.Errorf("half a file, or none: %d bytes, %v", len(got), err)
				}
			}
		})
	}
	all.Wait()
}
