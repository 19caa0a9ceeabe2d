package scan_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/scan"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

// keep is a Redact that takes nothing out.
func keep(s string) string { return s }

// looked is what a scan of files and folders gives.
func looked(t *testing.T, host string, names ...string) improve.Reflection {
	t.Helper()
	r, err := scan.New(scan.Options{Redact: keep}).Reflect(t.Context(), improve.Query{Names: names, Host: host})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestR1_ADamagedLineHidesNoGoodOne(t *testing.T) {
	script, err := os.ReadFile("../../cmd/trimtab/testdata/script/reflect.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(script), "-- home/.claude/projects/mill/two.jsonl --\n")
	text, _, found := strings.Cut(text, "-- ")
	if !ok || !found {
		t.Fatal("the script has no session two")
	}
	lines := strings.SplitAfter(text, "\n")
	file := filepath.Join(t.TempDir(), "two.jsonl")
	write := func(text string) improve.Reflection {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return looked(t, "", file)
	}
	want := write(text)
	if len(want.Merged) == 0 || want.Damaged != 0 {
		t.Fatalf("got %+v", want)
	}
	for i := range lines {
		for _, bad := range []string{"{\"type\": \n", "\x00\xff\n", "{\"type\":\"user\",\"message\":[}\n"} {
			got := write(strings.Join(lines[:i], "") + bad + strings.Join(lines[i:], ""))
			if diff := cmp.Diff(want.Merged, got.Merged); diff != "" || got.Damaged != 1 || got.Lines[0].Line != i+1 {
				t.Errorf("%q before line %d: %d damaged, %+v (-want +got):\n%s", bad, i+1, got.Damaged, got.Lines, diff)
			}
		}
	}
}

func TestR1_EveryHostsFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	for _, host := range []string{"opencode", "goose"} {
		transcripttest.Database(t, filepath.Join(dir, host+".db"), transcripttest.Load(t, filepath.Join("..", "..", "transcript", host, "testdata", "plain.json")))
	}
	for _, host := range []string{"claude", "codex", "gemini", "qwen", "pi"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "transcript", host, "testdata", "plain.jsonl"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, host+".jsonl"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "other.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := looked(t, "", dir)
	want := map[string]int{"claude": 1, "codex": 1, "gemini": 1, "qwen": 1, "pi": 1, "opencode": 2, "goose": 3}
	if diff := cmp.Diff(want, r.Hosts); diff != "" || r.Foreign != 1 || r.Files != 7 || len(r.Unread) > 0 {
		t.Errorf("%d files, %d others, %q (-want +got):\n%s", r.Files, r.Foreign, r.Unread, diff)
	}
	if r := looked(t, "goose", dir); len(r.Results) != 3 || r.Files != 1 {
		t.Errorf("%d sessions of %d files of goose", len(r.Results), r.Files)
	}
}

// place puts a host's sample session where the host keeps it below a home folder.
func place(t *testing.T, host, file string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "transcript", host, "testdata", "plain.jsonl"))
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, data, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSessionsAreFoundWhereHostsKeepThem(t *testing.T) {
	home, moved := t.TempDir(), t.TempDir()
	for host, file := range map[string]string{
		"claude": ".claude/projects/p/a.jsonl", "codex": ".codex/sessions/2026/rollout-a.jsonl", "gemini": ".gemini/tmp/x/session-a.jsonl",
		"qwen": ".qwen/projects/p/a.jsonl", "pi": ".pi/agent/sessions/p/a.jsonl",
	} {
		place(t, host, filepath.Join(home, filepath.FromSlash(file)))
	}
	place(t, "codex", filepath.Join(home, ".codex", "sessions", "notes.jsonl")) // codex names its sessions rollout-…
	env := map[string]string{"HOME": home}
	run := func(q improve.Query) improve.Reflection {
		t.Helper()
		r, err := scan.New(scan.Options{Redact: keep, Getenv: func(name string) string { return env[name] }}).Reflect(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := run(improve.Query{})
	want := map[string]int{"claude": 1, "codex": 1, "gemini": 1, "qwen": 1, "pi": 1}
	if diff := cmp.Diff(want, r.Hosts); diff != "" || r.Files != 5 || len(r.Looked) != 8 {
		t.Errorf("%d files in %q (-want +got):\n%s", r.Files, r.Looked, diff)
	}
	if r := run(improve.Query{Host: "pi"}); len(r.Results) != 1 || len(r.Looked) != 1 {
		t.Errorf("%d sessions in %q", len(r.Results), r.Looked)
	}
	if r := run(improve.Query{Since: time.Now().Add(time.Hour)}); len(r.Results) != 0 || r.Files != 0 {
		t.Errorf("%d sessions of %d files in the future", len(r.Results), r.Files)
	}
	if r := run(improve.Query{Project: filepath.Join(moved, "nobody")}); len(r.Results) != 0 {
		t.Errorf("%d sessions of a folder that nobody worked in", len(r.Results))
	}
	env["CLAUDE_CONFIG_DIR"] = moved
	if r := run(improve.Query{Host: "claude"}); len(r.Results) != 0 || r.Looked[0] != filepath.Join(moved, "projects") {
		t.Errorf("%d sessions in %q", len(r.Results), r.Looked)
	}
}

// archive is a store that counts how often it was opened.
type archive struct {
	*memory.Store
	opened int
}

func (a *archive) Where() (string, bool) { return "memory", true }

func (a *archive) Open(context.Context) (trimtab.Archive, error) { a.opened++; return a.Store, nil }

func TestAStoreIsOpenedOnceAndOnlyWhenItIsAsked(t *testing.T) {
	store := archive{Store: memory.New()}
	opt := scan.Options{Redact: keep, Store: &store}
	file := filepath.Join(t.TempDir(), "a.jsonl")
	place(t, "claude", file)
	if _, err := scan.New(opt).Reflect(t.Context(), improve.Query{Names: []string{file}}); err != nil || store.opened != 0 {
		t.Errorf("opened %d times for a file, %v", store.opened, err)
	}
	_, err := scan.New(opt).Reflect(t.Context(), improve.Query{Names: []string{"one", "two", "three"}})
	if !errors.Is(err, trimtab.ErrNotFound) || !strings.Contains(err.Error(), `"one"`) || store.opened != 1 {
		t.Errorf("opened %d times for three ids: %v", store.opened, err)
	}
	if _, err := scan.New(opt).Reflect(t.Context(), improve.Query{Names: []string{"../x"}}); !errors.Is(err, trimtab.ErrNotFound) || store.opened != 1 {
		t.Errorf("opened %d times for what is no id: %v", store.opened, err)
	}
}

func TestWhatWasNamedAndCannotBeReadIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(file, []byte("nobody wrote this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := looked(t, "", file); !r.NamedUnread || len(r.Unread) != 1 || !strings.Contains(r.Unread[0], file) {
		t.Errorf("named: %v, %q", r.NamedUnread, r.Unread)
	}
	if r := looked(t, "", filepath.Dir(file)); r.NamedUnread || r.Foreign != 1 {
		t.Errorf("in a folder: %v, %d others", r.NamedUnread, r.Foreign)
	}
}

func TestReflectOne_ReadsTheHostsFileOrElseTheStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.jsonl")
	place(t, "claude", file)
	store := archive{Store: memory.New()}
	s := scan.New(scan.Options{Redact: keep, Store: &store})
	result, ok, err := s.ReflectOne(t.Context(), improve.StoppedSession{Session: "a", Host: "claude", Transcript: file})
	if err != nil || !ok || result.SessionID != "a" || result.Metrics.TotalMessages == 0 || store.opened != 0 {
		t.Errorf("%+v, %v, %v; the store was opened %d times", result, ok, err, store.opened)
	}
	for name, one := range map[string]improve.StoppedSession{
		"no file": {Session: "a", Host: "claude"}, "a file that is gone": {Session: "a", Host: "claude", Transcript: file + ".old"}, "a host that we cannot read": {Session: "a", Host: "odd", Transcript: file},
	} {
		store.opened = 0
		if _, ok, err := s.ReflectOne(t.Context(), one); ok || store.opened != 1 || err != nil && !errors.Is(err, trimtab.ErrNotFound) {
			t.Errorf("%s: %v, %v; the store was opened %d times", name, ok, err, store.opened)
		}
	}
}
