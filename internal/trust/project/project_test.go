package project_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/agent/instruct"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust"
	"github.com/trimtab/trimtab/internal/trust/project"
)

var now = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func newBook(t *testing.T) *trust.Book {
	t.Helper()
	book, err := setting.Book(home.Home{Data: t.TempDir(), Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func find(t *testing.T, dir string) project.Found {
	t.Helper()
	found, err := project.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAllPartsAreTrustedAsTheyWereRead(t *testing.T) {
	dir, book := t.TempDir(), newBook(t)
	files := map[string]string{".trimtab/trimtab.json": "{}", "AGENTS.md": "be brief", improve.ProjectFile: "{}", improve.WorkflowFile: "## Step 1: Clarify"}
	for name, text := range files {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	found := find(t, dir)
	var shown []string
	for _, p := range found.Parts {
		for name := range p.Files {
			shown = append(shown, name)
		}
		if ok, err := p.Trusted(book); ok || err != nil {
			t.Errorf("%s is trusted before anybody said so: %v", p.Name, err)
		}
		if _, err := p.Trust(book, now); err != nil {
			t.Fatal(err)
		}
	}
	for name := range files {
		if !slices.Contains(shown, name) {
			t.Errorf("%s is not among %q", name, shown)
		}
	}
	for _, p := range find(t, dir).Parts {
		if ok, err := p.Trusted(book); !ok || err != nil {
			t.Errorf("%s: %v, %v", p.Name, ok, err)
		}
	}
	for name := range files { // what changes is asked for again
		put(t, filepath.Join(dir, filepath.FromSlash(name)), `{"changed": true}`)
	}
	for _, p := range find(t, dir).Parts {
		if ok, _ := p.Trusted(book); ok {
			t.Errorf("%s is trusted as it never was", p.Name)
		}
	}
	gone, err := project.Revoke(dir, book)
	if err != nil || len(gone) != 4 {
		t.Errorf("%q, %v", gone, err)
	}
	if _, err := project.Revoke(dir, book); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a second time: %v", err)
	}
}

func TestNothingIsAnErrorOfItsOwn(t *testing.T) {
	if _, err := project.Find(t.TempDir()); !errors.Is(err, project.ErrNothing) || !strings.Contains(err.Error(), "AGENTS.md") {
		t.Error(err)
	}
}

func TestWhatCannotBeTrustedIsLeftBesideTheRest(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, ".trimtab", "trimtab.json"), "{}")
	if err := os.Symlink("trimtab.json", filepath.Join(dir, ".trimtab", "link")); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
	if _, err := project.Find(dir); err == nil || errors.Is(err, project.ErrNothing) {
		t.Errorf("alone it is an error: %v", err)
	}
	put(t, filepath.Join(dir, "AGENTS.md"), "be brief")
	if found := find(t, dir); len(found.Parts) != 1 || len(found.Left) != 1 {
		t.Errorf("%+v", found)
	}
}

func TestP16_AFileSpeaksOnlyAsItWasTrusted(t *testing.T) {
	book := newBook(t)
	file := instruct.File{Path: filepath.Join(t.TempDir(), "AGENTS.md"), Text: []byte("be brief")}
	refuse := project.Refusal(book, nil)
	if why := refuse(file); !strings.HasPrefix(why, "not trusted") {
		t.Error(why)
	}
	if _, err := book.TrustFile(file.Path, file.Text, now); err != nil {
		t.Fatal(err)
	}
	if why := refuse(file); why != "" {
		t.Error(why)
	}
	file.Text = []byte("be long")
	if why := refuse(file); !strings.HasPrefix(why, "changed since") {
		t.Error(why)
	}
	if why := project.Refusal(nil, errors.New("damaged"))(file); why != "damaged" {
		t.Error(why)
	}
}
