package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/memory"
)

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBegin(t *testing.T) {
	on(t, func(t *testing.T, store trimtab.Archive) {
		h := New(engine(t), store, Options{Clock: still})
		s, err := h.Begin(t.Context(), trimtab.Info{ID: "ship", Host: "claude", Project: "/\xff", Created: start().Add(-time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		if s.Version != 1 || !s.Created.Equal(start()) || !s.Updated.Equal(start()) || s.Project != "/\ufffd" {
			t.Errorf("began %+v", s.Info)
		}
		stored, err := h.Session(t.Context(), "ship")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(asJSON(t, s), asJSON(t, stored)); diff != "" {
			t.Error(diff)
		}
		_, err = h.Begin(t.Context(), trimtab.Info{ID: "ship"})
		is(t, err, trimtab.ErrExists)
	})
}

func TestIdsThatAreNotPlainNamesAreRefused(t *testing.T) {
	on(t, func(t *testing.T, store trimtab.Archive) {
		h := New(engine(t), store, Options{Clock: still})
		for _, id := range []string{"", "../../etc/passwd", "a..b", "a/b", `a\b`, "a\x00"} {
			_, err := h.Begin(t.Context(), trimtab.Info{ID: id})
			is(t, err, trimtab.ErrBadID)
			_, _, err = h.Handle(t.Context(), id, said("x"))
			is(t, err, trimtab.ErrBadID)
			_, err = h.Session(t.Context(), id)
			is(t, err, trimtab.ErrBadID)
		}
		_, _, err := h.Handle(t.Context(), "ghost", said("x"))
		is(t, err, trimtab.ErrNotFound)
	})
}

func TestHandle_AllEventsInOneTransactionWithTheirSum(t *testing.T) {
	on(t, func(t *testing.T, archive trimtab.Archive) {
		store := &shaky{Archive: archive}
		asked := 0
		h := New(engine(t), store, Options{Clock: func() time.Time { asked++; return start() }})
		begin(t, h, "ship")
		asked = 0
		before := store.commits.Load()
		s, out := handle(t, h, "ship", said("one"), said("two"), said("three"), trimtab.Calling{}, trimtab.Asked{Command: "tally"},
			trimtab.Using{Call: trimtab.ToolCall{Name: "bash"}})
		if n := store.commits.Load() - before; n != 1 {
			t.Errorf("%d commits, want 1", n)
		}
		if asked != 1 {
			t.Errorf("asked the clock %d times, want once", asked)
		}
		if reply, err := out.Reply(); err != nil || reply.Text != "three" {
			t.Errorf("reply %q, %v", reply.Text, err)
		}
		if len(out.Actions) != 2 || len(out.Changes) != 1 || len(out.Faults) != 0 {
			t.Errorf("outcome %+v", out)
		}
		entries := journal(t, store, "ship")
		if len(entries) != 6 || len(entries[3].Changes) != 1 || len(entries[4].Actions) != 1 {
			t.Errorf("journal %+v", entries)
		}
		for i, e := range entries {
			if e.Seq != i+1 || !e.At.Equal(start()) {
				t.Errorf("entry %d: number %d at %v", i+1, e.Seq, e.At)
			}
		}
		if len(messages(t, store, "ship")) != 3 || s.Seq != 3 || s.Version != 2 {
			t.Errorf("seq %d, version %d", s.Seq, s.Version)
		}
		stored, err := h.Session(t.Context(), "ship")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(asJSON(t, s), asJSON(t, stored)); diff != "" {
			t.Errorf("returned -, stored +\n%s", diff)
		}
	})
}

func TestHandle_NamesMessagesAndGivesThemATime(t *testing.T) {
	on(t, func(t *testing.T, store trimtab.Archive) {
		h := New(engine(t), store, Options{Clock: still})
		begin(t, h, "ship")
		theirs := trimtab.Prompt("named")
		theirs.ID, theirs.At = "msg_7", start().Add(-time.Hour).In(time.FixedZone("", 3600))
		mine := trimtab.Prompt("unnamed")
		handle(t, h, "ship", trimtab.Said{Message: mine}, trimtab.Said{Message: theirs}, trimtab.Said{Message: mine})
		var got []string
		for _, m := range messages(t, store, "ship") {
			got = append(got, m.ID+" "+m.At.UTC().Format(time.TimeOnly))
		}
		if diff := cmp.Diff([]string{"m1 09:00:00", "msg_7 08:00:00", "m3 09:00:00"}, got); diff != "" {
			t.Error(diff)
		}
		if mine.ID != "" {
			t.Error("the caller's message was changed")
		}
		for i, e := range journal(t, store, "ship") {
			if id := e.Event.(trimtab.Said).Message.ID; id != []string{"m1", "msg_7", "m3"}[i] {
				t.Errorf("entry %d names %s", i+1, id)
			}
		}
	})
}

func TestHandle_AStepNeedsNoLoad(t *testing.T) {
	store := &shaky{Archive: memory.New()}
	h := New(engine(t), store, Options{Clock: still})
	begin(t, h, "ship")
	for range 10 {
		handle(t, h, "ship", said("x"))
	}
	if n := store.loads.Load(); n != 0 {
		t.Errorf("loaded %d times", n)
	}
	other := New(engine(t), store, Options{Clock: still})
	for range 10 {
		handle(t, other, "ship", said("x"))
	}
	if n := store.loads.Load(); n != 1 {
		t.Errorf("another service loaded %d times, want once", n)
	}
}

func TestHandle_NoEventsGiveTheSessionAsItIsStored(t *testing.T) {
	store := memory.New()
	a, b := New(engine(t), store, Options{Clock: still}), New(engine(t), store, Options{Clock: still})
	begin(t, a, "ship")
	handle(t, b, "ship", said("from b"))
	s, out := handle(t, a, "ship")
	if s.Seq != 1 || len(out.Actions) != 0 || len(journal(t, store, "ship")) != 1 {
		t.Errorf("session %+v", s)
	}
	if _, _, err := a.Handle(t.Context(), "ship", said("x"), nil); err == nil {
		t.Error("took an event that is none")
	}
}

func TestHandle_MemoryStaysFlat(t *testing.T) {
	h := New(engine(t), memory.New(), Options{Clock: still})
	for i := range 2000 {
		id := fmt.Sprintf("s%d", i)
		begin(t, h, id)
		handle(t, h, id, said("x"))
	}
	if n := len(h.locks.held); n != 0 {
		t.Errorf("%d locks left", n)
	}
	if n, m := h.cache.order.Len(), len(h.cache.at); n != cached || m != cached {
		t.Errorf("%d sessions in the cache, %d names; want %d", n, m, cached)
	}
	handle(t, h, "s0", said("long out of the cache"))
}

func TestHandle_WaitsItsTurnOrGivesUp(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	store := &shaky{Archive: memory.New()}
	h := New(engine(t), store, Options{Clock: still})
	begin(t, h, "ship")
	begin(t, h, "boat")
	var first atomic.Bool
	store.failing(func(string) error {
		if first.CompareAndSwap(false, true) {
			close(inside)
			<-release
		}
		return nil
	})
	done := make(chan error)
	go func() {
		_, _, err := h.Handle(t.Context(), "ship", said("slow"))
		done <- err
	}()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := h.Handle(ctx, "ship", said("impatient"))
	is(t, err, context.Canceled)
	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, _, err = h.Handle(ctx, "ship", said("impatient"))
	is(t, err, context.DeadlineExceeded)
	handle(t, h, "boat", said("nobody waits for another session"))
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := len(messages(t, store, "ship")); got != 1 {
		t.Errorf("%d messages, want 1", got)
	}
	if n := len(h.locks.held); n != 0 {
		t.Errorf("%d locks left", n)
	}
}

// TestTwoHelmsOnOneFileLoseNothing is two processes' worth: a store and a cache
// each, several at work in both.
func TestTwoHelmsOnOneFileLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trimtab.db")
	helms := []*Service{
		New(engine(t), file(t, path), Options{Clock: still}),
		New(engine(t), file(t, path), Options{Clock: still}),
	}
	begin(t, helms[0], "ship")
	const each = 40
	var wg sync.WaitGroup
	for i, h := range helms {
		for w := range 3 {
			wg.Go(func() {
				for n := range each {
					if _, _, err := h.Handle(t.Context(), "ship", said(fmt.Sprintf("%d-%d-%d", i, w, n)), trimtab.Calling{}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	store := file(t, path)
	seen := map[string]int{}
	for i, m := range messages(t, store, "ship") {
		seen[m.Text()]++
		if m.ID != trimtab.MessageID(i+1) {
			t.Fatalf("message %d is called %s", i+1, m.ID)
		}
	}
	for text, n := range seen {
		if n != 1 {
			t.Errorf("%s is there %d times", text, n)
		}
	}
	s, err := store.Load(t.Context(), "ship")
	if err != nil {
		t.Fatal(err)
	}
	memory, err := s.Memory("tally")
	if err != nil {
		t.Fatal(err)
	}
	var m tallied
	if err := json.Unmarshal(memory, &m); err != nil {
		t.Fatal(err)
	}
	if want := 2 * 3 * each; len(seen) != want || s.Seq != want || m.Said != want || s.Version != 1+want {
		t.Errorf("%d messages, seq %d, tally %d, version %d; want %d", len(seen), s.Seq, m.Said, s.Version, want)
	}
	same(t, engine(t), store, "ship")
}

func TestHandle_GivesUpWhereOthersAreAlwaysFaster(t *testing.T) {
	store := &shaky{Archive: memory.New()}
	h := New(engine(t), store, Options{Clock: still})
	begin(t, h, "ship")
	store.failing(func(op string) error {
		if op == "commit" {
			return trimtab.ErrConflict
		}
		return nil
	})
	_, _, err := h.Handle(t.Context(), "ship", said("x"))
	is(t, err, trimtab.ErrConflict)
	if !strings.Contains(err.Error(), "100 tries") {
		t.Errorf("error %q", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	store.failing(func(op string) error {
		if op == "load" {
			return nil
		}
		cancel()
		return trimtab.ErrConflict
	})
	_, _, err = h.Handle(ctx, "ship", said("x"))
	is(t, err, context.Canceled)
	store.failing(nil)
	if s, _ := handle(t, h, "ship", said("x")); s.Seq != 1 {
		t.Errorf("seq %d, want 1", s.Seq)
	}
}

// TestP6_AStoreThatFailsAndRecovers tries the same events until they are taken.
func TestP6_AStoreThatFailsAndRecovers(t *testing.T) {
	on(t, func(t *testing.T, archive trimtab.Archive) {
		store := &shaky{Archive: archive}
		h := New(engine(t), store, Options{Clock: still})
		begin(t, h, "ship")
		before, _ := handle(t, h, "ship", said("before"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		heard := h.Subscribe(ctx)

		broken := errors.New("disk on fire")
		store.failing(func(string) error { return broken })
		events := []trimtab.Event{said("one"), trimtab.Calling{}, said("two")}
		for range 5 {
			_, _, err := h.Handle(t.Context(), "ship", events...)
			is(t, err, broken)
		}
		if len(heard) != 0 {
			t.Error("published what was not stored")
		}
		store.failing(nil)
		if stored, err := h.Session(t.Context(), "ship"); err != nil || asJSON(t, stored) != asJSON(t, before) {
			t.Errorf("half done: %+v, %v", stored, err)
		}
		after, _ := handle(t, h, "ship", events...)
		if after.Seq != 3 || after.Version != before.Version+1 || len(messages(t, store, "ship")) != 3 {
			t.Errorf("seq %d, version %d", after.Seq, after.Version)
		}
		if n := len(heard); n != 3 {
			t.Errorf("published %d entries, want 3", n)
		}
		same(t, engine(t), store, "ship")

		if err := store.Remove(t.Context(), "ship"); err != nil {
			t.Fatal(err)
		}
		_, _, err := h.Handle(t.Context(), "ship", said("to nobody"))
		is(t, err, trimtab.ErrNotFound)
		if _, kept := h.cache.get("ship"); kept {
			t.Error("a session that is gone is still in the cache")
		}
		begin(t, h, "ship")
		if s, _ := handle(t, h, "ship", said("anew")); s.Seq != 1 {
			t.Errorf("seq %d, want 1", s.Seq)
		}
	})
}
