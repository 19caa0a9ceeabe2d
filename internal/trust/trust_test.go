package trust_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/trust"
)

// digestOf is the digest of a folder's .trimtab.
func digestOf(dir string) (trust.Digest, error) {
	_, d, err := trust.Read(dir)
	return d, err
}

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// project writes files below the .trimtab of a new folder. Its name has no
// symbolic links, as the book knows it.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, trust.Folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func book(t *testing.T) (*trust.Book, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "trust.json")
	b, err := trust.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return b, path
}

func accept(t *testing.T, b *trust.Book, dir string) {
	t.Helper()
	d, err := digestOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := b.Trust(dir, d, noon); err != nil || kept != "" {
		t.Fatal(kept, err)
	}
}

// stands checks the state of a project, and that its files are handed out only
// when it is trusted.
func stands(t *testing.T, b *trust.Book, dir string, want trust.State) trust.Verdict {
	t.Helper()
	files, v, err := b.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	if v.State != want {
		t.Errorf("state %q, want %q: %v", v.State, want, v)
	}
	if (files != nil) != (want == trust.Trusted) {
		t.Errorf("state %q hands out %d files", v.State, len(files))
	}
	return v
}

func hash(t *testing.T, dir string) string {
	t.Helper()
	d, err := digestOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d.Sum
}

func TestP16_NothingOfAProjectIsHandedOutBeforeTrust(t *testing.T) {
	b, path := book(t)
	dir := project(t, map[string]string{"trimtab.json": "{}", "modes/x.json": "{1}"})
	stands(t, b, dir, trust.Unknown)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("asking wrote a book: %v", err)
	}
	accept(t, b, dir)
	files, v, err := b.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := trust.Files{"trimtab.json": []byte("{}"), "modes/x.json": []byte("{1}")}
	if diff := cmp.Diff(want, files); diff != "" || v.State != trust.Trusted {
		t.Errorf("%v (-want +got):\n%s", v, diff)
	}
	if err := b.Revoke(dir); err != nil {
		t.Fatal(err)
	}
	stands(t, b, dir, trust.Unknown)
}

func TestP16_AnyChangeEndsTrust(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   []trust.Change
	}{
		{
			"a changed file", func(t *testing.T, dir string) { write(t, dir, "trimtab.json", "{ }") },
			[]trust.Change{{"trimtab.json", "changed"}},
		},
		{
			"the same length", func(t *testing.T, dir string) { write(t, dir, "trimtab.json", "[]") },
			[]trust.Change{{"trimtab.json", "changed"}},
		},
		{
			"a new file", func(t *testing.T, dir string) { write(t, dir, "modes/b.json", "") },
			[]trust.Change{{"modes/b.json", "added"}},
		},
		{
			"a removed file", func(t *testing.T, dir string) { move(t, dir, "modes/a.json", "../a.json") },
			[]trust.Change{{"modes/a.json", "removed"}},
		},
		{
			"a renamed file", func(t *testing.T, dir string) { move(t, dir, "modes/a.json", "modes/c.json") },
			[]trust.Change{{"modes/a.json", "removed"}, {"modes/c.json", "added"}},
		},
		{
			"a moved file", func(t *testing.T, dir string) { move(t, dir, "modes/a.json", "a.json") },
			[]trust.Change{{"a.json", "added"}, {"modes/a.json", "removed"}},
		},
		{"another case", func(t *testing.T, dir string) {
			move(t, dir, "trimtab.json", "x")
			move(t, dir, "x", "Trimtab.json")
		}, []trust.Change{{"Trimtab.json", "added"}, {"trimtab.json", "removed"}}},
		{"contents swapped", func(t *testing.T, dir string) {
			write(t, dir, "trimtab.json", "a")
			write(t, dir, "modes/a.json", "{}")
		}, []trust.Change{{"modes/a.json", "changed"}, {"trimtab.json", "changed"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := book(t)
			dir := project(t, map[string]string{"trimtab.json": "{}", "modes/a.json": "a"})
			accept(t, b, dir)
			stands(t, b, dir, trust.Trusted)
			c.change(t, dir)
			v := stands(t, b, dir, trust.Changed)
			if diff := cmp.Diff(c.want, v.Changes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func move(t *testing.T, dir, from, to string) {
	t.Helper()
	base := filepath.Join(dir, trust.Folder)
	if err := os.Rename(filepath.Join(base, from), filepath.Join(base, to)); err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasTrustedIsTrustedAgainWhenItComesBack(t *testing.T) {
	b, _ := book(t)
	dir := project(t, map[string]string{"trimtab.json": "{}"})
	accept(t, b, dir)
	write(t, dir, "trimtab.json", "other")
	stands(t, b, dir, trust.Changed)
	write(t, dir, "trimtab.json", "{}")
	stands(t, b, dir, trust.Trusted)
}

func TestTheDigestIsOfPathsAndContentsOnly(t *testing.T) {
	one := project(t, map[string]string{"a": "1", "b/c": "2"})
	two := project(t, map[string]string{"b/c": "2", "a": "1"})
	if err := os.Chmod(filepath.Join(two, trust.Folder, "a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(two, trust.Folder, "a"), noon, noon); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(two, trust.Folder, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if hash(t, one) != hash(t, two) {
		t.Error("mode, time or an empty folder changes the digest")
	}
	sum := sha256.Sum256([]byte("1"))
	seen := map[string]string{}
	for _, files := range []map[string]string{
		{"a": "1", "b": "2"},
		{"a": "12", "b": ""},
		{"a1": "", "b": "2"},
		{"a": "1b2"},
		{"ab": "12"},
		{"a/b": "12"},
		{"a": ""},
		{"b": ""},
		{"a" + hex.EncodeToString(sum[:]) + "b": "2"}, // a name that spells what stands for another file
	} {
		got := hash(t, project(t, files))
		if other, taken := seen[got]; taken {
			t.Errorf("%v has the digest of %v", files, other)
		}
		seen[got] = fmt.Sprint(files)
	}
}

func TestReadHashesTheBytesItReturns(t *testing.T) {
	dir := project(t, map[string]string{"trimtab.json": "{}", "deep/er/x": strings.Repeat("x", 100_000), "empty": ""})
	files, d, err := trust.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, files.Digest()); diff != "" {
		t.Errorf("(-returned +computed):\n%s", diff)
	}
	if len(files) != 3 || len(files["deep/er/x"]) != 100_000 {
		t.Errorf("read %d files", len(files))
	}
}

// A person trusts what they were shown. If the folder changed after that, it is
// the old contents that are trusted.
func TestTrustIsOfTheDigestThatWasShown(t *testing.T) {
	b, _ := book(t)
	dir := project(t, map[string]string{"trimtab.json": "{}"})
	shown, err := digestOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "trimtab.json", "evil")
	if _, err := b.Trust(dir, shown, noon); err != nil {
		t.Fatal(err)
	}
	stands(t, b, dir, trust.Changed)
}

func TestTrustIsOfOneProject(t *testing.T) {
	b, _ := book(t)
	one, two := project(t, map[string]string{"a": "1"}), project(t, map[string]string{"a": "1"})
	accept(t, b, one)
	stands(t, b, one, trust.Trusted)
	stands(t, b, two, trust.Unknown)
}

func TestAProjectIsKnownByItsRealName(t *testing.T) {
	b, _ := book(t)
	dir := project(t, map[string]string{"a": "1"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	accept(t, b, link)
	stands(t, b, dir, trust.Trusted)
	t.Chdir(dir)
	v := stands(t, b, ".", trust.Trusted)
	if v.Dir != dir {
		t.Errorf("known as %q, want %q", v.Dir, dir)
	}
	if err := b.Revoke(link); err != nil {
		t.Fatal(err)
	}
	stands(t, b, dir, trust.Unknown)
}

func TestNoFolderIsAbsent(t *testing.T) {
	b, _ := book(t)
	dir := t.TempDir()
	stands(t, b, dir, trust.Absent)
	if _, err := digestOf(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Hash says %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, trust.Folder, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	stands(t, b, dir, trust.Absent)
	if _, _, err := b.Files(filepath.Join(dir, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a project that does not exist: %v", err)
	}
}

func TestVerdictsReadWell(t *testing.T) {
	b, _ := book(t)
	dir := project(t, map[string]string{"a": "1"})
	has := func(v trust.Verdict, want string) {
		t.Helper()
		if got := strings.ReplaceAll(v.String(), strings.Trim(fmt.Sprintf("%q", dir), `"`), "DIR"); filepath.ToSlash(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	has(trust.Verdict{Dir: dir, State: trust.Absent}, `"DIR" has no .trimtab`)
	has(stands(t, b, dir, trust.Unknown), `"DIR/.trimtab" is not trusted`)
	accept(t, b, dir)
	has(stands(t, b, dir, trust.Trusted), `"DIR/.trimtab" is trusted`)
	for i := range 7 {
		write(t, dir, fmt.Sprint("f", i), "")
	}
	has(stands(t, b, dir, trust.Changed), `"DIR/.trimtab" changed since it was trusted: added "f0", added "f1", added "f2", added "f3", added "f4", and 2 more`)
}
