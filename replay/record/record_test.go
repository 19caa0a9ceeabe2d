package record_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

const readers = "../../transcript/"

func TestEveryHostsFileIsReadAsEvents(t *testing.T) {
	dir := t.TempDir()
	for _, host := range []string{"opencode", "goose"} {
		transcripttest.Database(t, filepath.Join(dir, host), transcripttest.Load(t, filepath.Join(readers, host, "testdata", "plain.json")))
	}
	for host, c := range map[string]struct {
		file     string
		sessions int
	}{
		"claude":   {readers + "claude/testdata/plain.jsonl", 1},
		"codex":    {readers + "codex/testdata/plain.jsonl", 1},
		"gemini":   {readers + "gemini/testdata/plain.jsonl", 1},
		"qwen":     {readers + "qwen/testdata/plain.jsonl", 1},
		"pi":       {readers + "pi/testdata/plain.jsonl", 1},
		"opencode": {filepath.Join(dir, "opencode"), 2},
		"goose":    {filepath.Join(dir, "goose"), 3},
	} {
		for _, from := range []string{"", host} {
			n := 0
			for s, err := range record.Sessions(t.Context(), c.file, from) {
				if err != nil || s.Info.Host != host || s.Info.ID == "" || s.Info.Created.IsZero() {
					t.Errorf("%s: %+v, %v", host, s.Info, err)
				}
				n++
				prompts, replies := counts(s)
				if prompts == 0 || replies == 0 {
					t.Errorf("%s: %d prompts and %d replies in session %s", host, prompts, replies, s.Info.ID)
				}
			}
			if n != c.sessions {
				t.Errorf("%s as %q: %d sessions, want %d", host, from, n, c.sessions)
			}
		}
	}
}

func counts(s record.Session) (prompts, replies int) {
	for ev := range s.All() {
		said, ok := ev.(trimtab.Said)
		switch {
		case ok && said.Message.IsPrompt():
			prompts++
		case ok && said.Message.Role == trimtab.RoleAssistant:
			replies++
		}
	}
	return prompts, replies
}

func TestACompactionIsARewrittenHistory(t *testing.T) {
	for s, err := range record.Sessions(t.Context(), readers+"claude/testdata/compact.jsonl", "") {
		if err != nil {
			t.Fatal(err)
		}
		for ev := range s.All() {
			if _, ok := ev.(trimtab.Rewritten); ok {
				return
			}
		}
	}
	t.Error("no history was rewritten")
}

func TestASubAgentsFileIsReadAsItsConversation(t *testing.T) {
	n := 0
	for s, err := range record.Sessions(t.Context(), readers+"claude/testdata/subagent.jsonl", "") {
		if err != nil || s.Info.Parent == "" {
			t.Fatalf("%+v, %v", s.Info, err)
		}
		n += len(s.Events)
	}
	if n == 0 {
		t.Error("nothing was read")
	}
}

func TestWhatIsNoRecordingIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(path, []byte(`{"todoReminder": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, host string
		is         error
	}{
		{path, "", trimtab.ErrDamaged},
		{path, "nobody", trimtab.ErrDamaged},
		{path, "claude", trimtab.ErrDamaged},
		{path, "goose", trimtab.ErrDamaged},
		{path + "x", "", os.ErrNotExist},
		{path + "x", "pi", os.ErrNotExist},
	} {
		n := 0
		for s, err := range record.Sessions(t.Context(), c.path, c.host) {
			if n++; !errors.Is(err, c.is) || len(s.Events) > 0 {
				t.Errorf("%s as %q: %v", filepath.Base(c.path), c.host, err)
			}
		}
		if n != 1 {
			t.Errorf("%s as %q: %d answers", filepath.Base(c.path), c.host, n)
		}
	}
}
