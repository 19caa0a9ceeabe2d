package frames_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/frames"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
)

// worked is a session with a frame in which something was said, and the frame f2 is
// its own.
func worked(t *testing.T) (frames.Reader, trimtab.Session) {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	clock := func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	service := session.New(engine, store, session.Options{Clock: clock})
	if _, err := service.Begin(t.Context(), trimtab.Info{ID: "s", Title: "Fix it"}); err != nil {
		t.Fatal(err)
	}
	say := func(role trimtab.Role, by trimtab.Author, text string) trimtab.Event {
		return trimtab.Said{Message: trimtab.Say(role, by, text)}
	}
	s, _, err := service.Handle(t.Context(), "s", say(trimtab.RoleUser, trimtab.Person, "fix the parser"),
		trimtab.Asked{Command: "frame", Args: []string{"push", "Read", "tabs"}}, say(trimtab.RoleAssistant, trimtab.Model, "I look."),
		say(trimtab.RoleUser, trimtab.Person, "go on"))
	if err != nil {
		t.Fatal(err)
	}
	return frames.Reader{Engine: engine, Archive: store, Now: clock}, s
}

func TestFramesAreReadAndTheSessionStaysAsItWas(t *testing.T) {
	r, s := worked(t)
	tree, err := r.Tree(s)
	if err != nil || len(tree.Frames) == 0 {
		t.Fatalf("%+v, %v", tree, err)
	}
	last := tree.Frames[len(tree.Frames)-1]
	log, err := r.Log(t.Context(), s, last.ID)
	if err != nil || log.Frame.ID != last.ID || !strings.Contains(log.Text, "Read tabs") {
		t.Fatalf("%+v, %v", log, err)
	}
	said := ""
	for _, l := range log.Lines {
		said += l.Message.Text() + "|"
	}
	if !strings.Contains(said, "I look.|go on|") {
		t.Errorf("%q", said)
	}
	if now, err := r.Archive.Load(t.Context(), s.ID); err != nil || now.Version != s.Version {
		t.Errorf("version %d, %v", now.Version, err)
	}
}

func TestAFrameThatIsNotThereIsRefused(t *testing.T) {
	r, s := worked(t)
	if _, err := r.Log(t.Context(), s, "f99"); !errors.Is(err, frames.ErrRefused) || !strings.Contains(err.Error(), "f99") {
		t.Error(err)
	}
}

func TestTheGraphHasTheLogWhereItIsWanted(t *testing.T) {
	r, s := worked(t)
	for _, with := range []bool{false, true} {
		graph, err := r.Graph(t.Context(), s, with)
		if err != nil || graph.Title != s.Title || len(graph.Frames) == 0 {
			t.Fatalf("%+v, %v", graph, err)
		}
		logged := 0
		for _, f := range graph.Frames {
			logged += len(f.Log)
		}
		if (logged > 0) != with {
			t.Errorf("with %v: %d lines", with, logged)
		}
	}
}
