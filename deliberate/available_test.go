package deliberate_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/store/memory"
)

func persona(model string) []byte {
	return []byte("---\nname: X\nmodel: " + model + "\n---\nYou look after the money.\n")
}

func TestAllPersonas_FilesReplaceAndAdd(t *testing.T) {
	own := fstest.MapFS{"skeptic.md": {Data: persona("own/a")}, "treasurer.md": {Data: persona("own/b")}, "bad.md": {Data: nil}}
	project := map[string][]byte{"personas/zoe.md": persona("theirs/a"), "personas/adam.md": persona("theirs/b"), "personas/worse.md": nil, "modes/x.json": []byte("{}"), "personas/deep/x.md": persona("")}
	all, errs, err := deliberate.AllPersonas(own, project)
	if err != nil || len(errs) != 2 {
		t.Fatalf("%v, %v", errs, err)
	}
	models, ids := map[string]string{}, []string{}
	for _, p := range all {
		models[p.ID], ids = p.Model, append(ids, p.ID)
	}
	if diff := cmp.Diff([]string{"skeptic", "pragmatist", "analyst", "advocate", "contrarian", "treasurer", "adam", "zoe"}, ids); diff != "" {
		t.Error(diff)
	}
	if models["skeptic"] != "own/a" || models["treasurer"] != "own/b" || models["zoe"] != "" {
		t.Errorf("a project chooses no models, and a person does: %q", models)
	}
}

func TestCast_OfNobodyIsTheBuiltInFive(t *testing.T) {
	all, err := deliberate.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	cast, err := deliberate.Cast(append(all, deliberate.Persona{ID: "zoe"}), nil)
	if err != nil || len(cast) != 5 {
		t.Errorf("%d, %v", len(cast), err)
	}
}

func TestNewest_IsADebateAndNotWhatOneLookedUp(t *testing.T) {
	st := memory.New()
	at := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	if _, err := deliberate.Newest(t.Context(), st, "/p"); !errors.Is(err, trimtab.ErrNotFound) {
		t.Error(err)
	}
	for i, info := range []trimtab.Info{
		{ID: "one", Host: deliberate.Host, Project: "/p"},
		{ID: "two", Host: deliberate.Host, Project: "/p"},
		{ID: "two.r1", Host: deliberate.Host, Project: "/p", Parent: "two"},
		{ID: "chat", Host: trimtab.OwnHost, Project: "/p"},
		{ID: "far", Host: deliberate.Host, Project: "/q"},
	} {
		s := trimtab.NewSession(info.ID, at)
		s.Info = info
		s.Updated = at.Add(time.Duration(i) * time.Minute)
		if _, err := st.Commit(t.Context(), trimtab.Commit{Session: s}); err != nil {
			t.Fatal(err)
		}
	}
	if id, err := deliberate.Newest(t.Context(), st, "/p"); id != "two" || err != nil {
		t.Errorf("%q, %v", id, err)
	}
}

func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	if err := deliberate.CheckFolder(dir); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "result.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := deliberate.CheckFolder(dir); err == nil || !strings.Contains(err.Error(), dir+" holds the result of another debate") {
		t.Error(err)
	}
}

func TestWriteFiles_SaysWhatCouldNotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var d deliberate.Debate // the folder is refused before it is asked for anything
	if err := d.WriteFiles(file, nil, func(io.Writer) error { return nil }); err == nil || !strings.Contains(err.Error(), "the result:") {
		t.Error(err)
	}
}
