package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab/internal/trust"
)

// file checks how a file with these words stands.
func file(t *testing.T, b *trust.Book, name, words string, want trust.State) trust.Verdict {
	t.Helper()
	v, err := b.File(name, []byte(words))
	if err != nil || v.State != want {
		t.Errorf("%s is %q, want %q, %v", name, v.State, want, err)
	}
	return v
}

func acceptFile(t *testing.T, b *trust.Book, name, words string) {
	t.Helper()
	if kept, err := b.TrustFile(name, []byte(words), noon); err != nil || kept != "" {
		t.Fatal(kept, err)
	}
}

func TestP16_AFileIsTrustedByItsWords(t *testing.T) {
	b, path := book(t)
	name := filepath.Join(project(t, nil), "AGENTS.md")
	file(t, b, name, "be brief", trust.Unknown)
	if _, err := os.Stat(path); err == nil {
		t.Error("asking wrote a book")
	}
	acceptFile(t, b, name, "be brief")
	file(t, b, name, "be brief", trust.Trusted)
	for _, other := range []string{"be brieF", "be brief ", "", "evil"} {
		file(t, b, name, other, trust.Changed)
	}
	file(t, b, filepath.Join(filepath.Dir(name), "OTHER.md"), "be brief", trust.Unknown)
	file(t, b, filepath.Join(project(t, nil), "AGENTS.md"), "be brief", trust.Unknown)
	again, err := trust.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	file(t, again, name, "be brief", trust.Trusted)
	if err := b.Revoke(name); err != nil {
		t.Fatal(err)
	}
	file(t, b, name, "be brief", trust.Unknown)
}

// The folder and the files beside it are looked at and trusted each on its own:
// a change to one ends trust in that one.
func TestTrustInAFileIsNotTrustInTheFolderNorTheOtherWay(t *testing.T) {
	b, _ := book(t)
	dir := project(t, map[string]string{"trimtab.json": "{}", "AGENTS.md": "inside"})
	name := filepath.Join(dir, "AGENTS.md")
	accept(t, b, dir)
	file(t, b, name, "inside", trust.Unknown)
	acceptFile(t, b, name, "beside")
	write(t, dir, "trimtab.json", "{ }")
	stands(t, b, dir, trust.Changed)
	file(t, b, name, "beside", trust.Trusted)
	file(t, b, name, "other", trust.Changed)
	accept(t, b, dir)
	stands(t, b, dir, trust.Trusted)
	if err := b.Revoke(dir); err != nil {
		t.Fatal(err)
	}
	file(t, b, name, "beside", trust.Trusted)
}

// A folder of the file's name, with the file's words in it, is not what was
// trusted.
func TestP16_AFolderInTheFilesPlaceIsNotTrusted(t *testing.T) {
	b, _ := book(t)
	name := filepath.Join(project(t, nil), "AGENTS.md")
	acceptFile(t, b, name, "words")
	write(t, name, "AGENTS.md", "words")
	stands(t, b, name, trust.Changed)
}

func TestAFileIsKnownByItsFoldersRealNameAndItsOwn(t *testing.T) {
	b, _ := book(t)
	dir := project(t, nil)
	link(t, "elsewhere.md", filepath.Join(dir, "AGENTS.md"))
	through := filepath.Join(t.TempDir(), "link")
	link(t, dir, through)
	acceptFile(t, b, filepath.Join(through, "AGENTS.md"), "words")
	if v := file(t, b, filepath.Join(dir, "AGENTS.md"), "words", trust.Trusted); v.Dir != dir || v.File != "AGENTS.md" {
		t.Errorf("known as %q in %q", v.File, v.Dir)
	}
	file(t, b, filepath.Join(dir, "elsewhere.md"), "words", trust.Unknown)
	if err := b.Revoke(filepath.Join(through, "AGENTS.md")); err != nil {
		t.Errorf("revoking a file that is a link: %v", err)
	}
	if _, err := b.File(filepath.Join(dir, "nowhere", "AGENTS.md"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file in no folder: %v", err)
	}
}

func TestADamagedBookTrustsNoFile(t *testing.T) {
	b, path := book(t)
	name := filepath.Join(project(t, nil), "AGENTS.md")
	acceptFile(t, b, name, "words")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err := b.File(name, []byte("words")); !errors.Is(err, trust.ErrDamaged) || v.State != trust.Unknown {
		t.Errorf("%q, %v", v.State, err)
	}
	if kept, err := b.TrustFile(name, []byte("words"), noon); err != nil || kept == "" {
		t.Errorf("kept as %q, %v", kept, err)
	}
	file(t, b, name, "words", trust.Trusted)
}

func TestVerdictsOnFilesReadWell(t *testing.T) {
	for state, want := range map[trust.State]string{
		trust.Unknown: `"p/AGENTS.md" is not trusted`, trust.Changed: `"p/AGENTS.md" changed since it was trusted`, trust.Trusted: `"p/AGENTS.md" is trusted`,
	} {
		v := trust.Verdict{Dir: "p", File: "AGENTS.md", State: state}
		if filepath.Separator == '/' && v.String() != want {
			t.Errorf("got %s, want %s", v, want)
		}
	}
}
