package importer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/chat"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/export/importer"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/sqlite"
)

// open is an importer into an empty store.
func open(t *testing.T) (importer.Importer, trimtab.Archive, *session.Service) {
	t.Helper()
	return into(t, memory.New())
}

func into(t *testing.T, st trimtab.Archive) (importer.Importer, trimtab.Archive, *session.Service) {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	service := session.New(engine, st, session.Options{Clock: clock})
	return importer.Importer{Service: service, Store: st}, st, service
}

func write(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// codex is a session of Codex, with so many more prompts.
func codex(t *testing.T, id string, more ...string) string {
	return write(t, id+".jsonl", append([]string{
		`{"timestamp":"2026-11-15T02:21:04.933Z","type":"session_meta","payload":{"id":"` + id + `","cwd":"/p","source":"exec"}}`,
		`{"timestamp":"2026-11-15T02:21:05.019Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix the parser"}]}}`,
		`{"timestamp":"2026-11-15T02:21:05.304Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}`,
	}, more...)...)
}

func texts(t *testing.T, st trimtab.Archive, id string) []string {
	t.Helper()
	var out []string
	for m, err := range st.Messages(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m.Text())
	}
	return out
}

func one(t *testing.T, all []importer.Result) importer.Result {
	t.Helper()
	if len(all) != 1 {
		t.Fatalf("%d results: %+v", len(all), all)
	}
	return all[0]
}

func TestAnotherAgentsFileIsTold(t *testing.T) {
	im, st, _ := open(t)
	got := one(t, im.File(t.Context(), codex(t, "c1", "{damaged"), importer.Options{}))
	want := importer.Result{Host: "codex", Session: "codex:c1", Title: "fix the parser", Messages: 2, Damaged: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if said := texts(t, st, "codex:c1"); !slices.Equal(said, []string{"fix the parser", "Done."}) {
		t.Errorf("%q", said)
	}
	again := one(t, im.File(t.Context(), codex(t, "c1"), importer.Options{}))
	if !again.Known || !errors.Is(again.Err, trimtab.ErrExists) {
		t.Errorf("%+v", again)
	}
	if as := one(t, im.File(t.Context(), codex(t, "c1"), importer.Options{ID: "other", Host: "codex"})); as.Err != nil || as.Session != "other" {
		t.Errorf("%+v", as)
	}
}

func TestWhatIsNobodysIsRefused(t *testing.T) {
	im, _, _ := open(t)
	r := one(t, im.File(t.Context(), write(t, "notes.txt", "nothing of the kind"), importer.Options{}))
	if opening := (*importer.OpenError)(nil); !errors.As(r.Err, &opening) || !errors.Is(r.Err, trimtab.ErrDamaged) {
		t.Errorf("%v", r.Err)
	}
	if r := one(t, im.File(t.Context(), filepath.Join(t.TempDir(), "missing"), importer.Options{})); !errors.Is(r.Err, os.ErrNotExist) {
		t.Errorf("%v", r.Err)
	}
	if r := one(t, im.File(t.Context(), codex(t, "c1"), importer.Options{Only: "another"})); !errors.Is(r.Err, trimtab.ErrDamaged) {
		t.Errorf("%v", r.Err)
	}
	if r := one(t, im.File(t.Context(), codex(t, "c1"), importer.Options{ID: "no id/"})); !errors.Is(r.Err, trimtab.ErrBadID) {
		t.Errorf("%v", r.Err)
	}
}

// TestAnExportComesBackAsItWas: what import and export do together, without a program.
func TestAnExportComesBackAsItWas(t *testing.T) {
	im, st, service := open(t)
	one(t, im.File(t.Context(), codex(t, "c1"), importer.Options{}))
	s, _, err := service.Handle(t.Context(), "codex:c1", trimtab.Asked{Command: "mode", Args: []string{"planning"}})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := export.FromArchive(t.Context(), st, s)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := doc.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	file := write(t, "session.json", out.String())

	to, there, _ := open(t)
	r := one(t, to.File(t.Context(), file, importer.Options{}))
	if r.Err != nil || r.Session != "codex:c1" || r.Messages != 2 {
		t.Fatalf("%+v", r)
	}
	if got, want := texts(t, there, "codex:c1"), texts(t, st, "codex:c1"); !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
	loaded, err := there.Load(t.Context(), "codex:c1")
	if err != nil {
		t.Fatal(err)
	}
	mine, _ := s.Memory("mode")
	if theirs, err := loaded.Memory("mode"); err != nil || string(theirs) != string(mine) {
		t.Errorf("%s, %v; want %s", theirs, err, mine)
	}
}

// TestAForeignDocumentIsTold, and what the engine says of it is heard.
func TestAForeignDocumentIsTold(t *testing.T) {
	im, st, _ := open(t)
	var heard []string
	im.Outcome = func(out trimtab.Outcome) {
		for _, taken := range out.Actions {
			if r, ok := taken.Action.(trimtab.Reply); ok && r.Failed {
				heard = append(heard, r.Text)
			}
		}
	}
	doc := export.Document{Info: trimtab.Info{ID: "d1"}, Messages: []trimtab.Message{trimtab.Prompt("hello")}, ModeState: export.ModeState{Mode: "unheard-of"}}
	if _, err := im.Document(t.Context(), doc); err != nil || len(heard) != 1 || !strings.Contains(heard[0], "unheard-of") {
		t.Errorf("%v, %q", err, heard)
	}
	if said := texts(t, st, "d1"); !slices.Equal(said, []string{"hello"}) {
		t.Errorf("%q", said)
	}
}

// TestASessionThatFailsLeavesNothing.
func TestASessionThatFailsLeavesNothing(t *testing.T) {
	im, st, service := open(t)
	im.Service = failing{service}
	if _, err := im.Tell(t.Context(), trimtab.Info{ID: "d1"}, []trimtab.Event{trimtab.Resumed{}}); !errors.Is(err, errTold) {
		t.Errorf("%v", err)
	}
	if _, err := st.Load(t.Context(), "d1"); !errors.Is(err, trimtab.ErrNotFound) {
		t.Errorf("half a session stayed: %v", err)
	}
}

var errTold = errors.New("not told")

type failing struct{ *session.Service }

func (failing) Handle(context.Context, string, ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	return trimtab.Session{}, trimtab.Outcome{}, errTold
}

func TestAnotherStoreComesInWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trimtab.db")
	from, err := sqlite.Open(t.Context(), path, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	im, _, _ := into(t, from)
	for _, id := range []string{"c1", "c2"} {
		if r := one(t, im.File(t.Context(), codex(t, id), importer.Options{})); r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	if err := from.Close(); err != nil {
		t.Fatal(err)
	}

	to, st, _ := open(t)
	if r := one(t, to.File(t.Context(), path, importer.Options{ID: "x"})); !errors.Is(r.Err, importer.ErrOneID) || r.Err.Error() != "an id names one session, and 2 were found" {
		t.Errorf("%v", r.Err)
	}
	if r := one(t, to.File(t.Context(), path, importer.Options{Only: "codex:c2"})); r.Err != nil || r.Session != "codex:c2" || r.Title != "fix the parser" {
		t.Errorf("%+v", r)
	}
	if r := one(t, to.File(t.Context(), path, importer.Options{Only: "codex:c2"})); !r.Known || !errors.Is(r.Err, trimtab.ErrExists) {
		t.Errorf("one that was named and is known: %+v", r)
	}
	known := 0
	all := to.File(t.Context(), path, importer.Options{})
	for _, r := range all {
		if r.Err != nil {
			t.Errorf("%+v", r)
		}
		if r.Known {
			known++
		}
	}
	if len(all) != 2 || known != 1 || !slices.Equal(texts(t, st, "codex:c1"), []string{"fix the parser", "Done."}) {
		t.Errorf("%+v", all)
	}
}

// seedFile is a session of exactly the keys that the seed of modes gives a session
// file.
func seedFile(t *testing.T, modeState string) string {
	return write(t, "session.json", `{
  "project": "/p", "sessionId": "seed-1", "modelId": "demo", "title": "Authentication",
  "createdAt": "2026-11-15T09:00:00Z", "updatedAt": "2026-11-15T09:05:00Z",
  "messages": [
    {"role": "user", "content": [{"type": "text", "text": "I need to implement user authentication"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Here is a plan."}]}
  ],
  "modeState": `+modeState+`
}`)
}

// TestSeed001_61_AFileOfTheSeedsKeysIsResumed: it becomes a session of our own chat,
// in its mode, and the next prompt gets the reminder.
func TestSeed001_61_AFileOfTheSeedsKeysIsResumed(t *testing.T) {
	for state, mode := range map[string]string{`{"mode": "planning"}`: "planning", `{"mode": "codeReview", "isFirst": true}`: "code-review", `null`: "normal"} {
		im, st, service := open(t)
		r := one(t, im.File(t.Context(), seedFile(t, state), importer.Options{}))
		if r.Err != nil || r.Session != "seed-1" || r.Title != "Authentication" || r.Messages != 2 {
			t.Fatalf("%s: %+v", state, r)
		}
		s, err := st.Load(t.Context(), "seed-1")
		if err != nil {
			t.Fatal(err)
		}
		if err := chat.CheckOwn(s); err != nil {
			t.Errorf("%s: %v", state, err)
		}
		s, _, err = service.Handle(t.Context(), "seed-1", trimtab.Said{Message: trimtab.Prompt("What JWT library should I use?")}, trimtab.Calling{})
		if err != nil {
			t.Fatal(err)
		}
		memory, _ := s.Memory("mode")
		if !strings.Contains(string(memory), `"mode":"`+mode+`"`) {
			t.Errorf("%s: %s", state, memory)
		}
		slots := []string{}
		for _, n := range s.Notes {
			slots = append(slots, n.By+"/"+n.Slot)
		}
		if reminded := slices.Equal(slots, []string{"mode/reminder"}); reminded != (mode != "normal") {
			t.Errorf("%s: notes %v", state, slots)
		}
	}
}

// TestSeed001_71_ADamagedModeStateCostsNoSession: it begins in normal mode, with a word.
func TestSeed001_71_ADamagedModeStateCostsNoSession(t *testing.T) {
	for _, state := range []string{`"planning"`, `{"mode": 5}`, `[]`, `true`} {
		im, st, _ := open(t)
		var words []string
		im.Outcome = func(out trimtab.Outcome) {
			for _, taken := range out.Actions {
				if n, ok := taken.Action.(trimtab.Notify); ok && n.Warning {
					words = append(words, n.Text)
				}
			}
		}
		if r := one(t, im.File(t.Context(), seedFile(t, state), importer.Options{})); r.Err != nil {
			t.Fatalf("%s: %v", state, r.Err)
		}
		if said := texts(t, st, "seed-1"); len(said) != 2 {
			t.Errorf("%s: %q", state, said)
		}
		if len(words) != 1 || !strings.Contains(words[0], "normal mode") {
			t.Errorf("%s: %q", state, words)
		}
	}
}
