package instruct_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/agent/instruct"
)

// files writes a tree, given as path and content by turns, and returns where.
func files(t *testing.T, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(pairs[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, dir string, trusted bool) instruct.Found {
	t.Helper()
	found, err := instruct.Read(dir, trusted)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTheNearestInstructionsComeLast(t *testing.T) {
	dir := files(t, "AGENTS.md", "above", "repo/.git/HEAD", "x", "repo/AGENTS.md", "\uFEFFBe brief.\r\n", "repo/a/b/AGENTS.md", "Use tabs.\n", "repo/a/c/AGENTS.md", "not this")
	want := instruct.Found{
		Text:  "\n# From the project's AGENTS.md\n\nBe brief.\n\n# From the project's a/b/AGENTS.md\n\nUse tabs.\n",
		Files: []string{"AGENTS.md", "a/b/AGENTS.md"},
	}
	if diff := cmp.Diff(want, read(t, filepath.Join(dir, "repo", "a", "b"), true)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// P16: a cloned repository says nothing before trust.
func TestP16_AProjectThatIsNotTrustedSaysNothing(t *testing.T) {
	dir := files(t, ".git/HEAD", "x", "AGENTS.md", "canary", "sub/AGENTS.md", "canary")
	found := read(t, filepath.Join(dir, "sub"), false)
	if found.Text != "" || len(found.Files) > 0 || len(found.Left) != 2 {
		t.Errorf("got %+v", found)
	}
	if len(found.Left) > 0 && found.Left[0].String() != "AGENTS.md: left out: the project is not trusted; look at it, then: trimtab trust" {
		t.Errorf("left %v", found.Left)
	}
	if found := read(t, t.TempDir(), false); found.Text != "" || found.Left != nil {
		t.Errorf("of nothing: %+v", found)
	}
}

func TestWithoutARepositoryOnlyTheFolderSpeaks(t *testing.T) {
	dir := files(t, "AGENTS.md", "above", "sub/AGENTS.md", "here")
	if found := read(t, filepath.Join(dir, "sub"), true); strings.Contains(found.Text, "above") || !strings.Contains(found.Text, "here") {
		t.Errorf("got %q", found.Text)
	}
}

func TestNothingIsReadFromOutsideTheRepository(t *testing.T) {
	dir := files(t, "secret", "canary", "repo/.git/HEAD", "x", "repo/sub/x", "y", "repo/real.md", "inside")
	for link, to := range map[string]string{"repo/AGENTS.md": "../secret", "repo/sub/AGENTS.md": "../real.md"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skipf("this system makes no symbolic links: %v", err)
		}
	}
	found := read(t, filepath.Join(dir, "repo", "sub"), true)
	if strings.Contains(found.Text, "canary") || !strings.Contains(found.Text, "inside") || len(found.Left) != 1 {
		t.Errorf("got %+v", found)
	}
	if strings.Contains(found.Left[0].Why, dir) {
		t.Errorf("%v tells where the folder lies", found.Left[0])
	}
}

func TestTheSizeIsLimited(t *testing.T) {
	dir := files(t, ".git/HEAD", "x", "AGENTS.md", strings.Repeat("c", 30<<10), "a/AGENTS.md", strings.Repeat("b", 30<<10), "a/b/AGENTS.md", strings.Repeat("漢", 20<<10), "a/b/c/AGENTS.md", "the last word")
	found := read(t, filepath.Join(dir, "a", "b", "c"), true)
	if len(found.Text) > 65<<10 || !utf8.ValidString(found.Text) || !strings.Contains(found.Text, "the last word") {
		t.Errorf("%d bytes", len(found.Text))
	}
	want := []string{"AGENTS.md: left out: with the nearer ones it is over 64 KiB", "a/b/AGENTS.md: cut: only its first 32 KiB are read"}
	var got []string
	for _, l := range found.Left {
		got = append(got, l.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatTheEyeDoesNotSeeIsWrittenOut(t *testing.T) {
	dir := files(t, "AGENTS.md", "Be\u200b nice\U000E0041\x1b[2J.")
	if found := read(t, dir, true); !strings.Contains(found.Text, "Be<U+200B> nice<U+E0041>␛[2J.") {
		t.Errorf("got %q", found.Text)
	}
	dir = files(t, "AGENTS.md", "\xff\xfe")
	if found := read(t, dir, true); found.Text != "" || len(found.Left) != 1 {
		t.Errorf("got %+v", found)
	}
	if err := os.Remove(filepath.Join(dir, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "AGENTS.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if found := read(t, dir, true); found.Text != "" || len(found.Left) != 1 {
		t.Errorf("of a folder: %+v", found)
	}
	if _, err := instruct.Read(filepath.Join(dir, "none"), true); err == nil {
		t.Error("a folder that does not exist was read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("Be brief."))
	f.Add([]byte("\uFEFF\x00\xff"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if found := read(t, dir, true); !utf8.ValidString(found.Text) || strings.ContainsAny(found.Text, "\x00\x1b") {
			t.Errorf("%q", found.Text)
		}
	})
}
