package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/sqlite"
)

func lineup(t *testing.T) *trimtab.Engine {
	t.Helper()
	e, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var noon = session.Options{Clock: func() time.Time { return time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC) }}

// said tells one prompt.
func said(text string) func(trimtab.Session) []trimtab.Event {
	return func(trimtab.Session) []trimtab.Event {
		return []trimtab.Event{trimtab.Said{Message: trimtab.Prompt(text)}, trimtab.Calling{}}
	}
}

func begin(t *testing.T, h *session.Service, id string) {
	t.Helper()
	if _, err := h.Begin(context.Background(), trimtab.Info{ID: id}); err != nil {
		t.Fatal(err)
	}
}

func flush(t *testing.T, h *session.Service) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := h.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, st trimtab.Archive, id string) (messages, entries int) {
	t.Helper()
	for _, err := range st.Messages(context.Background(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		messages++
	}
	for _, err := range st.Journal(context.Background(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		entries++
	}
	return messages, entries
}

// TestSteerStoresWhatHandleStores compares the two ways, byte for byte.
func TestSteerStoresWhatHandleStores(t *testing.T) {
	now, soon := memory.New(), memory.New()
	a, b := session.New(lineup(t), now, noon), session.New(lineup(t), soon, noon)
	begin(t, a, "s")
	begin(t, b, "s")
	for i := range 50 {
		if _, _, err := a.Handle(context.Background(), "s", said(fmt.Sprint("automata ", i))(trimtab.Session{})...); err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Steer(context.Background(), "s", said(fmt.Sprint("automata ", i))); err != nil {
			t.Fatal(err)
		}
	}
	flush(t, b)
	var states []string
	for _, st := range []trimtab.Archive{now, soon} {
		s, err := st.Load(context.Background(), "s")
		if err != nil {
			t.Fatal(err)
		}
		s.Version = 0
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		m, e := count(t, st, "s")
		states = append(states, fmt.Sprint(string(raw), m, e))
	}
	if states[0] != states[1] {
		t.Errorf("Handle left\n%s\nSteer left\n%s", states[0], states[1])
	}
}

// TestHandleAndSessionSeeWhatSteerDid: nobody has to wait to see it.
func TestHandleAndSessionSeeWhatSteerDid(t *testing.T) {
	slow := &gatedStore{Archive: memory.New(), open: make(chan struct{})}
	h := session.New(lineup(t), slow, noon)
	begin(t, h, "s")
	slow.closed.Store(true)
	if _, _, err := h.Steer(context.Background(), "s", said("one")); err != nil {
		t.Fatal(err)
	}
	if s, err := h.Session(context.Background(), "s"); err != nil || s.Seq != 1 {
		t.Fatalf("Session sees %d messages, %v", s.Seq, err)
	}
	if s, _, err := h.Steer(context.Background(), "s", said("two")); err != nil || s.Seq != 2 {
		t.Fatalf("Steer sees %d messages, %v", s.Seq, err)
	}
	slow.closed.Store(false)
	close(slow.open)
	if s, _, err := h.Handle(context.Background(), "s", trimtab.Said{Message: trimtab.Prompt("three")}); err != nil || s.Seq != 3 {
		t.Fatalf("Handle sees %d messages, %v", s.Seq, err)
	}
}

// gatedStore holds commits back, or fails them.
type gatedStore struct {
	trimtab.Archive
	open   chan struct{}
	closed atomic.Bool
	broken atomic.Bool
	failed atomic.Int32
}

func (g *gatedStore) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	if g.closed.Load() {
		<-g.open
	}
	if g.broken.Load() {
		g.failed.Add(1)
		return 0, errors.New("the disk is full")
	}
	return g.Archive.Commit(ctx, c)
}

// TestP6_AFailingStoreLosesNothing: what could not be stored is stored when the
// store is well again.
func TestP6_AFailingStoreLosesNothing(t *testing.T) {
	st := &gatedStore{Archive: memory.New()}
	h := session.New(lineup(t), st, noon)
	begin(t, h, "s")
	st.broken.Store(true)
	for i := range 5 {
		if _, _, err := h.Steer(context.Background(), "s", said(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	if err := h.Flush(ctx); err == nil {
		t.Error("Flush says that all is stored, and nothing is")
	}
	cancel()
	st.broken.Store(false)
	flush(t, h)
	if m, e := count(t, st, "s"); m != 5 || e != 10 {
		t.Errorf("%d messages and %d entries were stored, want 5 and 10", m, e)
	}
}

// TestTwoHelmsLoseNothing: one steers, one handles, on one file.
func TestTwoHelmsLoseNothing(t *testing.T) {
	st, err := sqlite.Open(context.Background(), t.TempDir()+"/x.db", sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	a, b := session.New(lineup(t), st, noon), session.New(lineup(t), st, noon)
	begin(t, a, "s")
	const n = 40
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range n {
			if _, _, err := a.Steer(context.Background(), "s", said(fmt.Sprint("a", i))); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		for i := range n {
			if _, _, err := b.Handle(context.Background(), "s", trimtab.Said{Message: trimtab.Prompt(fmt.Sprint("b", i))}); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	flush(t, a)
	seen := map[string]int{}
	for m, err := range st.Messages(context.Background(), "s", 0) {
		if err != nil {
			t.Fatal(err)
		}
		seen[m.Text()]++
	}
	if len(seen) != 2*n {
		t.Errorf("%d different messages are stored, want %d", len(seen), 2*n)
	}
	for text, times := range seen {
		if times != 1 {
			t.Errorf("%s is stored %d times", text, times)
		}
	}
}

// TestSteerSeesAnotherProcess: a mode set elsewhere counts for the very next
// request.
func TestSteerSeesAnotherProcess(t *testing.T) {
	st, err := sqlite.Open(context.Background(), t.TempDir()+"/x.db", sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	gate, person := session.New(lineup(t), st, noon), session.New(lineup(t), st, noon)
	begin(t, gate, "s")
	if _, _, err := gate.Steer(context.Background(), "s", said("one")); err != nil {
		t.Fatal(err)
	}
	flush(t, gate)
	if _, _, err := person.Handle(context.Background(), "s", trimtab.Asked{Command: "mode", Args: []string{"planning"}, Away: true}); err != nil {
		t.Fatal(err)
	}
	_, out, err := gate.Steer(context.Background(), "s", said("two"))
	if err != nil || len(out.Changes) != 1 || out.Changes[0].By != "mode" {
		t.Errorf("the mode did not reach the request: %+v, %v", out.Changes, err)
	}
	flush(t, gate)
}

func TestSteerOfASessionThatIsNotThere(t *testing.T) {
	h := session.New(lineup(t), memory.New(), noon)
	if _, _, err := h.Steer(context.Background(), "nosuch", said("x")); !errors.Is(err, trimtab.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if _, _, err := h.Steer(context.Background(), "../x", said("x")); !errors.Is(err, trimtab.ErrBadID) {
		t.Errorf("got %v", err)
	}
}

// TestOpenDoesNotWaitForTheDisk: a session begins, is steered and is seen while the
// store takes nothing, and is stored whole afterwards.
func TestOpenDoesNotWaitForTheDisk(t *testing.T) {
	slow := &gatedStore{Archive: memory.New(), open: make(chan struct{})}
	slow.closed.Store(true)
	h := session.New(lineup(t), slow, noon)
	if _, fresh, err := h.Open(context.Background(), trimtab.Info{ID: "s", Host: "claude"}); err != nil || !fresh {
		t.Fatalf("fresh %v, %v", fresh, err)
	}
	if _, fresh, err := h.Open(context.Background(), trimtab.Info{ID: "s"}); err != nil || fresh {
		t.Fatalf("the second time: fresh %v, %v", fresh, err)
	}
	if s, _, err := h.Steer(context.Background(), "s", said("one")); err != nil || s.Seq != 1 {
		t.Fatalf("%d messages, %v", s.Seq, err)
	}
	slow.closed.Store(false)
	close(slow.open)
	flush(t, h)
	s, err := slow.Load(context.Background(), "s")
	if n, _ := count(t, slow, "s"); err != nil || n != 1 || s.Seq != 1 || s.Host != "claude" || s.Version == 0 {
		t.Errorf("%d messages, %+v, %v", n, s.Info, err)
	}
}

// TestTwoMayOpenTheSameSession: two processes begin it at once, and both are heard.
func TestTwoMayOpenTheSameSession(t *testing.T) {
	st := &gatedStore{Archive: memory.New(), open: make(chan struct{})}
	st.closed.Store(true) // what one began is not stored when the other begins it
	a, b := session.New(lineup(t), st, noon), session.New(lineup(t), st, noon)
	for i, h := range []*session.Service{a, b} {
		if _, fresh, err := h.Open(context.Background(), trimtab.Info{ID: "s"}); err != nil || !fresh {
			t.Fatalf("fresh %v, %v", fresh, err)
		}
		if _, _, err := h.Steer(context.Background(), "s", said(fmt.Sprint("from ", i))); err != nil {
			t.Fatal(err)
		}
	}
	st.closed.Store(false)
	close(st.open)
	flush(t, a)
	flush(t, b)
	s, err := st.Load(context.Background(), "s")
	if n, _ := count(t, st, "s"); err != nil || n != 2 || s.Seq != 2 {
		t.Errorf("%d messages, the session counts %d, %v", n, s.Seq, err)
	}
}

// TestTryKeepsNothing: it answers as Steer would, in a session that exists or not.
func TestTryKeepsNothing(t *testing.T) {
	st := memory.New()
	h := session.New(lineup(t), st, noon)
	s, _, err := h.Try(t.Context(), "s", said("hello"))
	if err != nil || s.Seq != 1 {
		t.Errorf("%d messages, %v", s.Seq, err)
	}
	if _, err := h.Session(t.Context(), "s"); !errors.Is(err, trimtab.ErrNotFound) {
		t.Errorf("it made a session: %v", err)
	}
	begin(t, h, "s")
	if _, _, err := h.Steer(t.Context(), "s", said("hello")); err != nil {
		t.Fatal(err)
	}
	if s, _, err = h.Try(t.Context(), "s", said("again")); err != nil || s.Seq != 2 {
		t.Errorf("%d messages, %v", s.Seq, err)
	}
	flush(t, h)
	if messages, _ := count(t, st, "s"); messages != 1 {
		t.Errorf("%d messages are stored", messages)
	}
}
