package inside_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/surface/inside"
)

func noon() time.Time { return time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC) }

func begin(t *testing.T, data, id, host string, started time.Time) *inside.Run {
	t.Helper()
	r, err := inside.Begin(data, inside.Facts{ID: id, Host: host, Project: "/p", Started: started})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.End() })
	return r
}

// asked is a service that notes what it is asked.
type asked struct {
	engine *trimtab.Engine
	events []trimtab.Event
}

func (a *asked) Engine() *trimtab.Engine { return a.engine }

func (a *asked) Handle(_ context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	a.events = append(a.events, events...)
	s, out := a.engine.Step(trimtab.NewSession(id, noon()), events[0], noon())
	return s, out, nil
}

// folder is a store with one session, or with none.
type folder []trimtab.Info

func (f folder) List(context.Context, trimtab.Query) iter.Seq2[trimtab.Info, error] {
	return func(yield func(trimtab.Info, error) bool) {
		for _, info := range f {
			if !yield(info, nil) {
				return
			}
		}
	}
}

func every(trimtab.Info) bool { return true }

// TestH10_InsideARunOnlyThePersonsCommandsWait: what the model may ask is done at once,
// what only a person may change waits to be vouched for, and where nothing could vouch it
// is refused with a reason.
func TestH10_InsideARunOnlyThePersonsCommandsWait(t *testing.T) {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	begin(t, data, "known", "claude", noon())
	begin(t, data, "deaf", "goose", noon())
	for name, c := range map[string]struct {
		run, words string
		now, waits bool
		text       string
	}{
		"a mode":                    {"known", "mode research", false, true, "if you typed it"},
		"looking":                   {"known", "mode", true, false, "planning"},
		"automata":                  {"known", "automata on", false, true, "if you typed it"},
		"a mode that is not":        {"known", "mode nonsense", false, false, "nonsense"},
		"where nothing vouches":     {"deaf", "mode research", false, false, "in another terminal, in this folder: trimtab mode research"},
		"looking, there":            {"deaf", "mode", true, false, "planning"},
		"a run that cannot be seen": {"gone", "mode research", false, false, "in another terminal"},
	} {
		t.Run(name, func(t *testing.T) {
			place := inside.Locate(data, c.run, "/p")
			if !place.Inside {
				t.Fatal("it is outside")
			}
			words := strings.Fields(c.words)
			service := &asked{engine: engine}
			a, err := place.Ask(t.Context(), service, trimtab.NewSession("s", noon()), words[0], words[1:], noon())
			if err != nil {
				t.Fatal(err)
			}
			if (len(service.events) > 0) != c.now || a.Failed == (c.now || c.waits) || !strings.Contains(a.Text, c.text) {
				t.Errorf("%+v %+v", a, service.events)
			}
			if c.now && service.events[0].(trimtab.Asked).By != trimtab.Model {
				t.Errorf("it counts as the person's: %+v", service.events)
			}
			if !c.waits {
				return
			}
			all := place.Run.Waiting()
			if len(all) != 1 || all[0].Sure || !slices.Equal(inside.Tokens(a.Text), []string{all[0].Token}) {
				t.Fatalf("%+v: %+v", a, all)
			}
			if err := place.Run.Vouch(all[0].Token); err != nil || !place.Run.Waiting()[0].Sure {
				t.Errorf("nobody vouched: %v", err)
			}
			place.Run.Drop(all[0].Token)
			if len(place.Run.Waiting()) > 0 {
				t.Error("it waits for ever")
			}
		})
	}
}

// TestH10_TheSessionOfARunIsFound: by the run inside of it, and beside it by the folder;
// a run that has sent nothing yet takes the command for its first request.
func TestH10_TheSessionOfARunIsFound(t *testing.T) {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	old := folder{{ID: "old", Updated: noon().Add(-time.Hour)}}
	find := func(variable, project, named string) (string, error) {
		return inside.Locate(data, variable, project).Session(t.Context(), old, project, named, every)
	}
	run := begin(t, data, "run1", "pi", noon())
	for _, variable := range []string{"run1", ""} {
		if _, err := find(variable, "/p", "run1"); !errors.Is(err, inside.ErrEarly) {
			t.Errorf("%q: the run has no session, and there is %v", variable, err)
		}
	}
	service := &asked{engine: engine}
	a, err := inside.Locate(data, "", "/p").Ask(t.Context(), service, trimtab.Session{}, "mode", []string{"planning"}, noon())
	if err != nil || a.Failed || !strings.Contains(a.Text, "pi begins with it") || len(service.events) > 0 {
		t.Errorf("%+v %v", a, err)
	}
	if all := run.Waiting(); len(all) != 1 || !all[0].Sure {
		t.Errorf("%+v", all)
	}
	if _, err := find("", "/p", ""); err == nil || !strings.Contains(err.Error(), "it begins with mode planning") {
		t.Errorf("%v", err)
	}
	run.SetSession("claude:1")
	run.SetSession("claude:2") // after a fresh start inside the agent
	for _, c := range []struct{ variable, project, named, want string }{
		{"run1", "/p", "run1", "claude:2"}, // what the environment names is that of the run's beginning
		{"", "/p", "", "old"},              // the newest by its last change
		{"gone", "/p", "named", "named"},
	} {
		if id, err := find(c.variable, c.project, c.named); id != c.want || err != nil {
			t.Errorf("%+v: %q %v", c, id, err)
		}
	}
	if p := inside.Locate(data, "", "/q"); p.Run != nil {
		t.Error("a run of another folder")
	}
	old = nil
	if _, err := find("", "/q", ""); !errors.Is(err, trimtab.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// TestH10_ARunThatCrashedTakesNothing: its folder is there, its process is not.
func TestH10_ARunThatCrashedTakesNothing(t *testing.T) {
	data := t.TempDir()
	dir := filepath.Join(data, "runs", "dead")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(`{"id":"dead","host":"pi","project":"/p","started":"2026-11-15T12:00:00Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := inside.Newest(data, "/p"); r != nil {
		t.Errorf("%+v", r.Facts)
	}
	long := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(dir, long, long); err != nil {
		t.Fatal(err)
	}
	begin(t, data, "next", "pi", noon())
	if _, err := os.Stat(dir); err == nil {
		t.Error("it stays for ever")
	}
	for _, id := range []string{"..", "../x", "a/b", ""} {
		if _, err := inside.Find(data, id); err == nil {
			t.Errorf("%q is a run", id)
		}
	}
}

func TestTokensAreFoundWhereTheyArePrinted(t *testing.T) {
	one := inside.Printed("abc234")
	for text, want := range map[string]int{"": 0, one: 1, "x " + one + ". y\n" + one + "\n": 2, "trimtab-ask-": 0, "trimtab-ask": 0} {
		if got := inside.Tokens(text); len(got) != want || want > 0 && got[0] != "abc234" {
			t.Errorf("%q: %q", text, got)
		}
	}
}
