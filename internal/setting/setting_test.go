package setting

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/internal/trust"
)

// settings are some of which a project may set one.
type settings struct {
	Store struct {
		URL string `json:"url" guard:"user" doc:"a database server"`
	} `json:"store" doc:"the database"`
	Limits Limits `json:"limits" doc:"sizes"`
}

const goodMode = `{"id":"%s","name":"N","entryPrompt":"Look first."}`

// put writes a file and the folders above it.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func named(id string) string { return strings.Replace(goodMode, "%s", id, 1) }

// P16: what a project brings has no effect until it is trusted, and then only as
// it was.
func TestP16_AProjectCountsAsItIsTrusted(t *testing.T) {
	data, project := t.TempDir(), t.TempDir()
	t.Chdir(project)
	at := home.Home{Data: data, Config: filepath.Join(data, "trimtab.json"), Getenv: func(string) string { return "" }}
	put(t, at.Config, `{"limits":{"maxMessage":2048}}`)
	put(t, filepath.Join(data, "modes", "mine.json"), named("mine"))
	put(t, filepath.Join(data, "modes", "bad.json"), `{"id":`)
	put(t, filepath.Join(project, ".trimtab", "trimtab.json"), `{"limits":{"maxMessage":4096},"store":{"url":"postgres://elsewhere/x"}}`)
	put(t, filepath.Join(project, ".trimtab", "modes", "theirs.json"), named("theirs"))

	look := func(when string, size, modes int) Found {
		t.Helper()
		found, err := Find(From{Home: at})
		if err != nil {
			t.Fatal(err)
		}
		cfg, _ := config.Load[settings](found.Sources)
		if cfg.Limits.MaxMessage != size || cfg.Store.URL != "" {
			t.Errorf("%s: %+v", when, cfg)
		}
		own, err := found.Modes()
		if err != nil || len(own.Definitions()) != modes || len(own.Problems) != 1 {
			t.Errorf("%s: modes %+v, %v", when, own, err)
		}
		return found
	}
	if found := look("before", 2048, 1); !found.Project.Idle() || found.Project.Files != nil {
		t.Errorf("%+v", found.Project)
	}
	book, err := Book(at)
	if err != nil {
		t.Fatal(err)
	}
	_, digest, err := trust.Read(project)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := book.Trust(project, digest, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if found := look("trusted", 4096, 2); found.Project.Idle() {
		t.Errorf("%+v", found.Project)
	}
	put(t, filepath.Join(project, ".trimtab", "modes", "more.json"), named("more"))
	look("changed", 2048, 1)
}

func TestAFileThatWasNamedMustBeThere(t *testing.T) {
	at := home.Home{Data: t.TempDir(), Getenv: func(name string) string { return map[string]string{"HOME": "/nowhere"}[name] }}
	if _, err := Find(From{Home: at}); err != nil {
		t.Errorf("no file: %v", err)
	}
	at.Config = filepath.Join(at.Data, "gone.json")
	if _, err := Find(From{Home: at}); err == nil {
		t.Error("a named file that is gone was passed over")
	}
	put(t, at.Config, strings.Repeat(" ", maxFile+1))
	if _, err := Find(From{Home: at}); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("a file over the limit: %v", err)
	}
}

func TestTwoModesOfOneIDAreToldApart(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "modes", "a.json"), named("same"))
	put(t, filepath.Join(dir, "modes", "b.json"), named("same"))
	own, err := Found{User: filepath.Join(dir, "trimtab.json")}.Modes()
	if err != nil || len(own.List) != 1 || len(own.Problems) != 1 || !strings.Contains(own.Problems[0].Text, "already") {
		t.Errorf("%+v, %v", own, err)
	}
}

func TestAllModes_AreBuiltInOrFromFiles(t *testing.T) {
	dir := t.TempDir()
	own := &Modes{}
	file := filepath.Join(dir, "naming.json")
	put(t, file, named("naming"))
	own.Read(file)
	if len(own.Problems) > 0 {
		t.Fatal(own.Problems)
	}
	if m, err := own.Find("NAMING"); err != nil || m.Source != file {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := own.Find("planning"); err != nil || m.Source != builtIn {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := own.Find("planing"); err == nil || !strings.Contains(err.Error(), "did you mean planning?") {
		t.Error(err)
	}
	if all := own.All(); all[len(all)-1].ID != "naming" {
		t.Errorf("%+v", all[len(all)-1])
	}
}

// X6: the managed file of a machine is the lowest layer of files and may lock; one that
// cannot be read is not the same as none.
func TestX6_TheManagedFileOfAMachine(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	at := home.Home{Data: dir, Config: filepath.Join(dir, "trimtab.json"), System: filepath.Join(dir, "etc", "trimtab.json"), Getenv: func(string) string { return "" }}
	put(t, at.Config, `{"limits":{"maxMessage":2048}}`)
	size := func() int {
		t.Helper()
		found, err := Find(From{Home: at})
		if err != nil {
			t.Fatal(err)
		}
		cfg, _ := config.Load[settings](found.Sources)
		return cfg.Limits.MaxMessage
	}
	if got := size(); got != 2048 {
		t.Errorf("without a managed file: %d", got)
	}
	put(t, at.System, `{"limits":{"maxMessage":4096}}`)
	if got := size(); got != 2048 {
		t.Errorf("below the person's: %d", got)
	}
	put(t, at.System, `{"limits":{"maxMessage":4096}, "locked": ["limits"]}`)
	if got := size(); got != 4096 {
		t.Errorf("locked: %d", got)
	}
	if err := os.Remove(at.System); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at.System, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(From{Home: at}); err == nil || !strings.Contains(err.Error(), "managed settings") {
		t.Errorf("a folder in its place: %v", err)
	}
}
