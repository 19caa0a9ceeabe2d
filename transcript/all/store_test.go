package all_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/transcript/all"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func TestDetectOwn_TellsOurFilesFromThoseOfHosts(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "trimtab.db")
	st, err := sqlite.Open(t.Context(), store, sqlite.Config{})
	if err == nil {
		err = st.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(dir, "opencode.db")
	transcripttest.Database(t, theirs, transcripttest.Load(t, filepath.Join("..", "opencode", "testdata", "plain.json")))
	lines := filepath.Join("..", "claude", "testdata", "plain.jsonl")
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("nobody's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, host string
		want       all.OwnKind
	}{
		{store, "", all.OwnStore},
		{store, trimtab.OwnHost, all.OwnStore},
		{store, "opencode", all.NotOwn},
		{theirs, "", all.NotOwn},
		{lines, "", all.NotOwn},
		{text, "", all.NotOwn},
		{text, trimtab.OwnHost, all.OwnExport}, // the person says so; reading it tells what is wrong
	} {
		if got, err := all.DetectOwn(t.Context(), c.path, c.host); got != c.want || err != nil {
			t.Errorf("%s of %q: %v, %v", c.path, c.host, got, err)
		}
	}
	if _, err := all.DetectOwn(t.Context(), filepath.Join(dir, "gone"), ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
