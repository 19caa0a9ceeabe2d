package session

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/sqlite"
)

// Interventions small enough to see through.

// tally counts what is said, injects a note now and then, and answers /tally.
type tally struct{}

type tallied struct {
	Said  int            `json:"said"`
	Words map[string]int `json:"words,omitempty"`
	Last  string         `json:"last,omitempty"`
}

func (tally) Name() string                { return "tally" }
func (tally) Commands() []trimtab.Command { return []trimtab.Command{{Name: "tally"}} }
func (tally) Steer(t trimtab.Turn, m tallied) (tallied, []trimtab.Action) {
	switch ev := t.Event.(type) {
	case trimtab.Said:
		m.Said++
		m.Last = ev.Message.Text()
		words := map[string]int{}
		for k, n := range m.Words {
			words[k] = n
		}
		words[string(ev.Message.Role)] += ev.Message.Size()
		m.Words = words
		if m.Said%3 == 0 {
			return m, []trimtab.Action{trimtab.Inject{Slot: "count", Text: strings.Repeat("<n>", m.Said%7), Life: trimtab.Standing, Why: "every third", Asks: m.Said%2 == 0}}
		}
	case trimtab.Using:
		m.Last = string(ev.Call.Input)
		return m, []trimtab.Action{trimtab.Deny{Why: "not now"}}
	case trimtab.Asked:
		return m, []trimtab.Action{trimtab.Reply{Text: m.Last}}
	}
	return m, nil
}

// mine panics when it is told to.
type mine struct{}

func (mine) Name() string { return "mine" }
func (mine) Steer(t trimtab.Turn, steps int) (int, []trimtab.Action) {
	if said, ok := t.Event.(trimtab.Said); ok && said.Message.Text() == "boom" {
		panic("stepped on")
	}
	return steps + 1, nil
}

// vandal answers with what cannot be stored.
type vandal struct{}

func (vandal) Name() string { return "vandal" }
func (vandal) Steer(t trimtab.Turn, m int) (int, []trimtab.Action) {
	if said, ok := t.Event.(trimtab.Said); ok && said.Message.Text() == "break it" {
		return m, []trimtab.Action{trimtab.Enqueue{Kind: "x", Data: []byte("{no json")}, trimtab.Notify{Text: "fine"}}
	}
	return m, nil
}

func engine(t testing.TB) *trimtab.Engine {
	t.Helper()
	e, err := trimtab.New(trimtab.Config{}, trimtab.Use(tally{}), trimtab.Use(mine{}), trimtab.Use(vandal{}))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func start() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 123456789, time.UTC) }

// still is a clock that stands still.
func still() time.Time { return start() }

// on runs a test on each store.
func on(t *testing.T, test func(t *testing.T, store trimtab.Archive)) {
	t.Run("memory", func(t *testing.T) { test(t, memory.New()) })
	t.Run("sqlite", func(t *testing.T) { test(t, file(t, filepath.Join(t.TempDir(), "trimtab.db"))) })
}

func file(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// shaky is a store whose calls can be made to fail, and are counted.
type shaky struct {
	trimtab.Archive
	loads, commits atomic.Int32

	mu   sync.Mutex
	fail func(op string) error
}

func (s *shaky) Load(ctx context.Context, id string) (trimtab.Session, error) {
	s.loads.Add(1)
	if err := s.trip("load"); err != nil {
		return trimtab.Session{}, err
	}
	return s.Archive.Load(ctx, id)
}

func (s *shaky) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	s.commits.Add(1)
	if err := s.trip("commit"); err != nil {
		return 0, err
	}
	return s.Archive.Commit(ctx, c)
}

func (s *shaky) trip(op string) error {
	s.mu.Lock()
	fail := s.fail
	s.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(op)
}

func (s *shaky) failing(fail func(op string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

func begin(t testing.TB, h *Service, id string) trimtab.Session {
	t.Helper()
	s, err := h.Begin(t.Context(), trimtab.Info{ID: id, Host: "claude", Project: "/home/ada/ship"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func handle(t testing.TB, h *Service, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome) {
	t.Helper()
	s, out, err := h.Handle(t.Context(), id, events...)
	if err != nil {
		t.Fatal(err)
	}
	return s, out
}

func said(text string) trimtab.Event { return trimtab.Said{Message: trimtab.Prompt(text)} }

func messages(t testing.TB, store trimtab.Archive, id string) (out []trimtab.Message) {
	t.Helper()
	for m, err := range store.Messages(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func journal(t testing.TB, store trimtab.Archive, id string) (out []trimtab.Entry) {
	t.Helper()
	for e, err := range store.Journal(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func is(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}
