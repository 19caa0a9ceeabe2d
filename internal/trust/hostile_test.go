package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/trust"
)

// refused checks that a folder is refused for the reason, and that no person can
// trust it by the digest of something else.
func refused(t *testing.T, dir, why string) {
	t.Helper()
	b, _ := book(t)
	v := stands(t, b, dir, trust.Refused)
	if !strings.Contains(v.Why, why) || !strings.Contains(v.String(), why) {
		t.Errorf("refused because %q, want %q", v.Why, why)
	}
	var r *trust.Refusal
	if _, err := digestOf(dir); !errors.As(err, &r) {
		t.Errorf("Hash says %v", err)
	}
	if _, err := b.Trust(dir, trust.Files{"trimtab.json": []byte("{}")}.Digest(), noon); err != nil {
		t.Fatal(err)
	}
	stands(t, b, dir, trust.Refused)
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

func TestP16_ALinkInTheFolderIsRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"absolute":  outside,
		"relative":  "../../../etc/passwd",
		"inside":    "trimtab.json",
		"to itself": "link",
		"dangling":  "nowhere",
		"to dir":    ".",
		"device":    os.DevNull,
	} {
		t.Run(name, func(t *testing.T) {
			dir := project(t, map[string]string{"trimtab.json": "{}"})
			link(t, to, filepath.Join(dir, trust.Folder, "link"))
			refused(t, dir, "a symbolic link")
		})
	}
}

func TestP16_AFolderThatIsALinkIsRefused(t *testing.T) {
	other := project(t, map[string]string{"trimtab.json": "{}"})
	dir := t.TempDir()
	link(t, filepath.Join(other, trust.Folder), filepath.Join(dir, trust.Folder))
	refused(t, dir, "a symbolic link")

	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, "inside", filepath.Join(dir, trust.Folder))
	refused(t, dir, "a symbolic link")
}

func TestP16_AFolderThatIsAFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, trust.Folder), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, "a file, not a folder")
}

func TestP16_ALinkedFileEndsTrust(t *testing.T) {
	b, _ := book(t)
	dir := project(t, map[string]string{"trimtab.json": "{}"})
	accept(t, b, dir)
	name := filepath.Join(dir, trust.Folder, "trimtab.json")
	same := filepath.Join(dir, "same")
	if err := os.Rename(name, same); err != nil {
		t.Fatal(err)
	}
	link(t, same, name) // the same contents, through a link
	stands(t, b, dir, trust.Refused)
}

func TestP16_HugeFoldersAreRefused(t *testing.T) {
	t.Run("one file", func(t *testing.T) {
		dir := project(t, map[string]string{"huge": ""})
		huge := filepath.Join(dir, trust.Folder, "huge")
		if os.Truncate(huge, 1<<40) != nil { // no sparse files here
			if err := os.Truncate(huge, trust.MaxBytes+1); err != nil {
				t.Fatal(err)
			}
		}
		refused(t, dir, "more than 8388608 bytes")
	})
	t.Run("together", func(t *testing.T) {
		part := strings.Repeat("x", trust.MaxBytes/4)
		dir := project(t, map[string]string{"a": part, "b": part, "c": part, "d": part})
		hash(t, dir) // just not too much
		write(t, dir, "e/f", "x")
		refused(t, dir, "more than 8388608 bytes")
	})
	t.Run("many files", func(t *testing.T) {
		dir := project(t, nil)
		for i := range trust.MaxFiles {
			write(t, dir, strconv.Itoa(i), "")
		}
		hash(t, dir)
		write(t, dir, "one more", "")
		refused(t, dir, "more than 1000 files")
	})
	t.Run("many folders", func(t *testing.T) {
		dir := project(t, nil)
		for i := range trust.MaxFiles/2 + 1 {
			if err := os.MkdirAll(filepath.Join(dir, trust.Folder, strconv.Itoa(i), "x"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		refused(t, dir, "more than 1000 files")
	})
	t.Run("deep", func(t *testing.T) {
		dir := project(t, map[string]string{strings.Repeat("d/", trust.MaxDepth-1) + "f": ""})
		hash(t, dir)
		write(t, dir, strings.Repeat("d/", trust.MaxDepth)+"f", "")
		refused(t, dir, "deeper than 16")
	})
}
