package trust_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/trust"
)

// untrusting checks that a project is not trusted and that the book says why.
func untrusting(t *testing.T, b *trust.Book, dir string, want error) {
	t.Helper()
	files, v, err := b.Files(dir)
	if !errors.Is(err, want) || v.State != trust.Unknown || files != nil {
		t.Errorf("got %d files, %q, %v; want %v", len(files), v.State, err, want)
	}
}

func TestTheBookIsThereAfterARestart(t *testing.T) {
	b, path := book(t)
	dir := project(t, map[string]string{"a": "1"})
	accept(t, b, dir)
	again, err := trust.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	stands(t, again, dir, trust.Trusted)
	d, err := digestOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.List()
	if diff := cmp.Diff([]trust.Record{{Dir: dir, Digest: d, At: noon}}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestADamagedBookTrustsNothingAndIsKept(t *testing.T) {
	b, path := book(t)
	dir, other := project(t, map[string]string{"a": "1"}), project(t, map[string]string{"b": "2"})
	accept(t, b, dir)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := map[string][]byte{
		"empty":          {},
		"cut off":        good[:len(good)-10],
		"more after it":  append(slices.Clone(good), "{}"...),
		"another sum":    bytes.Replace(good, []byte(`"a": "6b86`), []byte(`"a": "7b86`), 1),
		"another file":   bytes.Replace(good, []byte(`"a": "6b86`), []byte(`"b": "6b86`), 1),
		"no version":     bytes.Replace(good, []byte(`"version": 1`), []byte(`"version": 0`), 1),
		"unknown field":  bytes.Replace(good, []byte(`"version": 1`), []byte(`"version": 1, "all": true`), 1),
		"relative path":  bytes.Replace(good, []byte(`"dir": "`), []byte(`"dir": "x`), 1),
		"not an object":  []byte("[]"),
		"bytes":          {0, 1, 2, 0xff},
		"the wrong kind": []byte(`{"version": 1, "projects": {}}`),
	}
	n := 0
	for name, raw := range damage {
		t.Run(name, func(t *testing.T) {
			if bytes.Equal(raw, good) {
				t.Fatal("not damaged")
			}
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			b, err := trust.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			untrusting(t, b, dir, trust.ErrDamaged)
			if _, err := b.List(); !errors.Is(err, trust.ErrDamaged) {
				t.Errorf("List says %v", err)
			}
			if err := b.Revoke(dir); !errors.Is(err, trust.ErrDamaged) {
				t.Errorf("Revoke says %v", err)
			}
			if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, raw) {
				t.Errorf("it was changed before anyone trusted anew: %v", err)
			}
			d, err := digestOf(other)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := b.Trust(other, d, noon)
			if n++; err != nil || kept != fmt.Sprintf("%s.damaged-%d", path, n) {
				t.Errorf("kept as %q, %v", kept, err)
			}
			if left, err := os.ReadFile(kept); err != nil || !bytes.Equal(left, raw) {
				t.Errorf("what was kept is not what was there: %v", err)
			}
			stands(t, b, other, trust.Trusted)
			stands(t, b, dir, trust.Unknown)
		})
	}
}

func TestANewerBookIsLeftAlone(t *testing.T) {
	b, path := book(t)
	dir := project(t, map[string]string{"a": "1"})
	accept(t, b, dir)
	newer := []byte(`{"version": 2, "projects": "in another form"}`)
	if err := os.WriteFile(path, newer, 0o600); err != nil {
		t.Fatal(err)
	}
	untrusting(t, b, dir, trust.ErrNewer)
	d, err := digestOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Trust(dir, d, noon); !errors.Is(err, trust.ErrNewer) {
		t.Errorf("Trust says %v", err)
	}
	if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, newer) {
		t.Errorf("it was changed: %s, %v", left, err)
	}
}

func TestWhatCannotBeTrustedOrRevokedSaysSo(t *testing.T) {
	b, path := book(t)
	dir := project(t, map[string]string{"a": "1"})
	if err := b.Revoke(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("revoking without a book: %v", err)
	}
	d, err := digestOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Files["a"] = strings.Repeat("0", 64)
	if _, err := b.Trust(dir, d, noon); err == nil {
		t.Error("a digest that does not hold together was trusted")
	}
	if _, err := b.Trust(filepath.Join(dir, "nowhere"), d, noon); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("trusting what does not exist: %v", err)
	}
	accept(t, b, dir)
	if err := b.Revoke(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("revoking what was not trusted: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := b.Revoke(dir); err != nil {
		t.Errorf("revoking a project that is gone: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := trust.Open(path); err == nil {
		t.Error("a folder was opened as a book")
	}
}

func TestABookThatCannotBeWrittenIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := project(t, map[string]string{"a": "1"})
	d, err := digestOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := trust.Open(filepath.Join(file, "trust.json"))
	if err != nil {
		return // already said so
	}
	if _, err := b.Trust(dir, d, noon); err == nil {
		t.Error("trust was noted nowhere")
	}
}

// Nobody's trust is lost when several write at once: in one process, and in
// several.
func TestSeveralWritersLoseNothing(t *testing.T) {
	b, path := book(t)
	var dirs []string
	for range 24 {
		dirs = append(dirs, project(t, map[string]string{"a": "1"}))
	}
	accept(t, b, project(t, map[string]string{"a": "1"}))
	var wait sync.WaitGroup
	for i, dir := range dirs {
		wait.Go(func() {
			if i%4 == 0 {
				cmd := exec.Command(os.Args[0], "-test.run=^TestTrustInAnotherProcess$")
				cmd.Env = append(os.Environ(), "TRUST_TEST_BOOK="+path, "TRUST_TEST_DIR="+dir)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
				return
			}
			d, err := digestOf(dir)
			if err == nil {
				_, err = b.Trust(dir, d, noon)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, dir := range dirs {
		stands(t, b, dir, trust.Trusted)
	}
	if all, err := b.List(); err != nil || len(all) != len(dirs)+1 {
		t.Errorf("%d records, %v", len(all), err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".trimtab-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestTrustInAnotherProcess is the other process of TestSeveralWritersLoseNothing.
func TestTrustInAnotherProcess(t *testing.T) {
	path, dir := os.Getenv("TRUST_TEST_BOOK"), os.Getenv("TRUST_TEST_DIR")
	if path == "" {
		t.Skip("run by another test")
	}
	b, err := trust.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	accept(t, b, dir)
}
