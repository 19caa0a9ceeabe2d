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

// anyone lets every file speak, and nobody none.
func anyone(instruct.File) string { return "" }
func nobody(instruct.File) string { return "not trusted" }

func read(t *testing.T, dir string, trusted bool) instruct.Found {
	t.Helper()
	who := nobody
	if trusted {
		who = anyone
	}
	found, err := instruct.Read(dir, who)
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
	if len(found.Left) > 0 && found.Left[0].String() != "AGENTS.md: left out: not trusted" {
		t.Errorf("left %v", found.Left)
	}
	if found := read(t, t.TempDir(), false); found.Text != "" || found.Left != nil {
		t.Errorf("of nothing: %+v", found)
	}
}

// P16: each file is decided on alone, by its own bytes and its own path.
func TestP16_WhatWasJudgedIsWhatIsUsed(t *testing.T) {
	dir := files(t, ".git/HEAD", "x", "AGENTS.md", "\uFEFFroot\r\n", "sub/AGENTS.md", "canary", "sub/deep/AGENTS.md", "near\n")
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	var asked []instruct.File
	found, err := instruct.Read(filepath.Join(dir, "sub", "deep"), func(f instruct.File) string {
		asked = append(asked, f)
		if err := os.WriteFile(f.Path, []byte("swapped"), 0o600); err != nil { // after it was read, before it is used
			t.Error(err)
		}
		if f.Name == "sub/AGENTS.md" {
			return "not this one"
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []instruct.File{
		{Path: filepath.Join(real, "sub", "deep", "AGENTS.md"), Name: "sub/deep/AGENTS.md", Text: []byte("near\n")},
		{Path: filepath.Join(real, "sub", "AGENTS.md"), Name: "sub/AGENTS.md", Text: []byte("canary")},
		{Path: filepath.Join(real, "AGENTS.md"), Name: "AGENTS.md", Text: []byte("\uFEFFroot\r\n")},
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	says := instruct.Found{
		Text:  "\n# From the project's AGENTS.md\n\nroot\n\n# From the project's sub/deep/AGENTS.md\n\nnear\n",
		Files: []string{"AGENTS.md", "sub/deep/AGENTS.md"},
		Left:  []instruct.Left{{File: "sub/AGENTS.md", Why: "left out: not this one"}},
	}
	if diff := cmp.Diff(says, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// P16: of a huge file only the part that is shown, hashed and used is read.
func TestP16_AHugeFileIsCutBeforeItIsJudged(t *testing.T) {
	dir := files(t, "AGENTS.md", "a"+strings.Repeat("漢", 11<<10)) // the cut goes through a character
	huge := filepath.Join(dir, "AGENTS.md")
	found, left, err := instruct.Find(dir)
	if err != nil || len(found) != 1 || len(left) > 0 {
		t.Fatal(found, left, err)
	}
	if n := len(found[0].Text); !found[0].Cut || n > 32<<10 || n < 32<<10-3 || !utf8.Valid(found[0].Text) {
		t.Errorf("%d bytes, cut %v", n, found[0].Cut)
	}
	before := string(found[0].Text)
	if err := os.Truncate(huge, 1<<40); err != nil {
		t.Skipf("this system makes no huge files: %v", err)
	}
	found, _, err = instruct.Find(dir)
	if err != nil || string(found[0].Text) != before {
		t.Errorf("%v: what lies beyond the limit changes what counts", err)
	}
}

func TestAnEmptyFileSaysNothingAndIsNotAskedFor(t *testing.T) {
	dir := files(t, "AGENTS.md", " \n\t")
	if found := read(t, dir, false); found.Text != "" || found.Left != nil {
		t.Errorf("got %+v", found)
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
	if _, err := instruct.Read(filepath.Join(dir, "none"), anyone); err == nil {
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
