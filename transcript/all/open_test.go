package all_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func TestAnExportOfOpencodeIsOneSession(t *testing.T) {
	for _, from := range []string{"", "opencode"} {
		f, err := all.Open(t.Context(), "../opencode/testdata/export.json", from)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for info, err := range f.Sessions(t.Context()) {
			if err != nil || info.ID != "ses_e22fb4e5affet6pyBHc6VzPZg3" || info.Host != "opencode" || info.Project != "/home/user/project" || info.Created.IsZero() {
				t.Errorf("%+v, %v", info, err)
			}
			n++
			for range 2 { // it can be read again
				if items, damaged := transcripttest.All(t, f.Read(t.Context(), info.ID, transcript.Options{})); len(items) != 4 || len(damaged) > 0 {
					t.Errorf("%q, %v", transcripttest.Gist(items), damaged)
				}
			}
		}
		if err := f.Close(); n != 1 || err != nil {
			t.Errorf("%d sessions, %v", n, err)
		}
	}
	if _, err := all.Open(t.Context(), "../opencode/testdata/export.json", "codex"); err != nil {
		t.Errorf("a host that is named is believed: %v", err)
	}
}

func TestAnyFileIsOpenedByLookingAtIt(t *testing.T) {
	dir := t.TempDir()
	for _, host := range []string{"opencode", "goose"} {
		transcripttest.Database(t, filepath.Join(dir, host), transcripttest.Load(t, filepath.Join("..", host, "testdata", "plain.json")))
	}
	for host, c := range map[string]struct {
		file           string
		sessions, most int
	}{
		"claude":   {"../claude/testdata/plain.jsonl", 1, 20},
		"codex":    {"../codex/testdata/plain.jsonl", 1, 20},
		"gemini":   {"../gemini/testdata/plain.jsonl", 1, 20},
		"qwen":     {"../qwen/testdata/plain.jsonl", 1, 20},
		"pi":       {"../pi/testdata/plain.jsonl", 1, 20},
		"opencode": {filepath.Join(dir, "opencode"), 2, 20},
		"goose":    {filepath.Join(dir, "goose"), 3, 20},
	} {
		for _, from := range []string{"", host} {
			f, err := all.Open(t.Context(), c.file, from)
			if err != nil {
				t.Errorf("%s: %v", host, err)
				continue
			}
			n := 0
			for info, err := range f.Sessions(t.Context()) {
				if err != nil || info.ID == "" || info.Host != host || info.Created.IsZero() {
					t.Errorf("%s: %+v, %v", host, info, err)
				}
				n++
				items, _ := transcripttest.All(t, f.Read(t.Context(), info.ID, transcript.Options{}))
				if len(items) < 3 || len(items) > c.most || items[0].Session != info.ID {
					t.Errorf("%s: %q", host, transcripttest.Gist(items))
				}
			}
			if n != c.sessions || f.Host != host {
				t.Errorf("%s: %d sessions of %s", host, n, f.Host)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestWhatNobodyWroteIsRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := filepath.Join(dir, "other.db")
	transcripttest.Database(t, other, transcripttest.Tables{"things": {{"id": 1}}})
	for _, c := range []struct{ path, host, says string }{
		{write("empty", ""), "", "those of claude"},
		{write("text", "hello\n"), "", "those of claude"},
		{write("line", `{"type":"session","id":"i","cwd":"/p"}`), "goose", "keeps its sessions in one"},
		{write("torn", "SQLite format 3\x00"), "", "those of claude"},
		{write("named", "x"), "oracle", `"oracle"`},
		{other, "", "those of claude"},
		{other, "opencode", "not a database of opencode"},
		{other, "claude", "cannot be read"},
		{filepath.Join(dir, "none"), "", "no such file"},
		{dir, "", ""},
	} {
		f, err := all.Open(t.Context(), c.path, c.host)
		if err == nil {
			f.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.says) && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s as %q: %v", filepath.Base(c.path), c.host, err)
		}
	}
}

func TestASubAgentsFileHasAParent(t *testing.T) {
	f, err := all.Open(t.Context(), "../claude/testdata/subagent.jsonl", "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []trimtab.Info
	for info, err := range f.Sessions(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, info)
	}
	if len(got) != 1 || got[0].Parent == "" || got[0].ID == got[0].Parent {
		t.Errorf("got %s", cmp.Diff(nil, got))
	}
}
