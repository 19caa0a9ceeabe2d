package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab"
)

func loads(t *testing.T, store trimtab.Archive) {
	s := commit(t, store, session("ship"), nil)
	same(t, load(t, store, "ship"), s)

	s.Title, s.Todos = "Fix the mast", nil
	s = commit(t, store, s, []trimtab.Message{say("hello")}, entry("x"))
	got := load(t, store, "ship")
	same(t, got, s)
	if got.Version != 2 {
		t.Errorf("the stored session says version %d, want 2", got.Version)
	}
	memory, err := got.Memory("todo")
	if err != nil || string(memory) != `{"seen":3}` {
		t.Errorf("memory %s, %v", memory, err)
	}
}

func copies(t *testing.T, store trimtab.Archive) {
	s := session("ship")
	m := say("before")
	commit(t, store, s, []trimtab.Message{m}, entry("x"))
	s.Todos[0].Text, m.Parts[0] = "changed", trimtab.Text{Text: "changed"}
	got := load(t, store, "ship")
	got.Notes[0].Text = "changed"
	again := load(t, store, "ship")
	if again.Todos[0].Text != "caulk" || again.Notes[0].Text != "<remember>" {
		t.Errorf("stored session changed from outside: %v %v", again.Todos, again.Notes)
	}
	if got := texts(all(t, store.Messages(t.Context(), "ship", 0))); got[0] != "before" {
		t.Errorf("stored message changed from outside: %q", got)
	}
}

func conflicts(t *testing.T, store trimtab.Archive) {
	s := commit(t, store, session("ship"), nil)
	mine, theirs := s, s
	theirs = commit(t, store, theirs, []trimtab.Message{say("theirs")})
	mine.Seq++
	_, err := store.Commit(t.Context(), trimtab.Commit{Session: mine, Messages: []trimtab.Message{say("mine")}})
	is(t, err, trimtab.ErrConflict)

	ahead := theirs
	ahead.Version += 5
	_, err = store.Commit(t.Context(), trimtab.Commit{Session: ahead})
	is(t, err, trimtab.ErrConflict)

	mine = commit(t, store, load(t, store, "ship"), []trimtab.Message{say("mine")})
	if mine.Version != 3 {
		t.Errorf("version %d, want 3", mine.Version)
	}
	if diff := cmp.Diff([]string{"theirs", "mine"}, texts(all(t, store.Messages(t.Context(), "ship", 0)))); diff != "" {
		t.Error(diff)
	}
}

func exists(t *testing.T, store trimtab.Archive) {
	s := commit(t, store, session("ship"), []trimtab.Message{say("first")})
	other := session("ship")
	other.Title = "impostor"
	_, err := store.Commit(t.Context(), trimtab.Commit{Session: other})
	is(t, err, trimtab.ErrExists)
	if !strings.Contains(err.Error(), "ship") {
		t.Errorf("error %q does not name the session", err)
	}
	same(t, load(t, store, "ship"), s)
}

func reborn(t *testing.T, store trimtab.Archive) {
	old := commit(t, store, session("ship"), nil)
	if err := store.Remove(t.Context(), "ship"); err != nil {
		t.Fatal(err)
	}
	next := session("ship")
	next.Created = start.Add(time.Hour)
	next = commit(t, store, next, nil)
	if old.Version != next.Version {
		t.Fatalf("the test needs equal versions: %d, %d", old.Version, next.Version)
	}
	_, err := store.Commit(t.Context(), trimtab.Commit{Session: old})
	is(t, err, trimtab.ErrConflict)
	same(t, load(t, store, "ship"), next)
}

// unwritable has no JSON form.
type unwritable struct{ trimtab.Event }

func atomic(t *testing.T, store trimtab.Archive) {
	s := commit(t, store, session("ship"), []trimtab.Message{say("one")}, entry("one"))
	next := s
	next.Seq++
	next.Title = "half done"
	bad := trimtab.Commit{Session: next, Messages: []trimtab.Message{say("two")}, Entries: []trimtab.Entry{entry("two"), {At: start, Event: unwritable{}}}}
	if _, err := store.Commit(t.Context(), bad); err == nil {
		t.Fatal("an entry without a JSON form was stored")
	}
	stale := next
	stale.Version--
	bad = trimtab.Commit{Session: stale, Messages: []trimtab.Message{say("two")}, Entries: []trimtab.Entry{entry("two")}}
	if _, err := store.Commit(t.Context(), bad); err == nil {
		t.Fatal("a stale commit was stored")
	}
	same(t, load(t, store, "ship"), s)
	if got := texts(all(t, store.Messages(t.Context(), "ship", 0))); len(got) != 1 {
		t.Errorf("messages %q, want only the first", got)
	}
	if got := all(t, store.Journal(t.Context(), "ship", 0)); len(got) != 1 {
		t.Errorf("%d entries, want 1", len(got))
	}
	commit(t, store, s, []trimtab.Message{say("two")}, entry("two"))
}

func numbers(t *testing.T, store trimtab.Archive) {
	s := commit(t, store, session("ship"), []trimtab.Message{say("one"), say("two")})
	for _, seq := range []int{0, 1, 2} {
		again := s
		again.Seq = seq
		_, err := store.Commit(t.Context(), trimtab.Commit{Session: again, Messages: []trimtab.Message{say("again")}})
		if err == nil {
			t.Fatalf("message %d was stored twice", seq)
		}
		if errors.Is(err, trimtab.ErrConflict) {
			t.Fatalf("trying again would not help, so this is no conflict: %v", err)
		}
	}
	same(t, load(t, store, "ship"), s)
	s.Seq = 9 // an import may leave messages out
	commit(t, store, s, []trimtab.Message{say("ten")})
	if diff := cmp.Diff([]string{"ten"}, texts(all(t, store.Messages(t.Context(), "ship", 9)))); diff != "" {
		t.Error(diff)
	}
}

func removed(t *testing.T, store trimtab.Archive) {
	s := commit(t, store, session("ship"), []trimtab.Message{say("one")}, entry("one"))
	commit(t, store, session("boat"), []trimtab.Message{say("other")}, entry("other"))
	if err := store.Remove(t.Context(), "ship"); err != nil {
		t.Fatal(err)
	}
	_, err := store.Load(t.Context(), "ship")
	is(t, err, trimtab.ErrNotFound)
	_, err = store.Commit(t.Context(), trimtab.Commit{Session: s})
	is(t, err, trimtab.ErrNotFound)
	is(t, store.Remove(t.Context(), "ship"), trimtab.ErrNotFound)
	if diff := cmp.Diff([]string{"boat"}, ids(all(t, store.List(t.Context(), trimtab.Query{})))); diff != "" {
		t.Error(diff)
	}
	commit(t, store, session("ship"), nil)
	if got := all(t, store.Messages(t.Context(), "ship", 0)); len(got) != 0 {
		t.Errorf("messages of the removed session: %v", got)
	}
	if got := all(t, store.Journal(t.Context(), "ship", 0)); len(got) != 0 {
		t.Errorf("journal of the removed session: %v", got)
	}
	if got := texts(all(t, store.Messages(t.Context(), "boat", 0))); len(got) != 1 {
		t.Errorf("the other session has %q", got)
	}
}

func notFound(t *testing.T, store trimtab.Archive) {
	_, err := store.Load(t.Context(), "ghost")
	is(t, err, trimtab.ErrNotFound)
	if !strings.Contains(err.Error(), "ghost") {
		t.Errorf("error %q does not name the session", err)
	}
	is(t, store.Remove(t.Context(), "ghost"), trimtab.ErrNotFound)
	is(t, first(store.Messages(t.Context(), "ghost", 0)), trimtab.ErrNotFound)
	is(t, first(store.Journal(t.Context(), "ghost", 0)), trimtab.ErrNotFound)
	ghost := session("ghost")
	ghost.Version = 3
	_, err = store.Commit(t.Context(), trimtab.Commit{Session: ghost})
	is(t, err, trimtab.ErrNotFound)
}

func badIDs(t *testing.T, store trimtab.Archive) {
	for _, id := range []string{"", "../../etc/passwd", "a/../b", "a..b", "a/b", `a\b`, ".hidden", "a b", "a\x00b", "a'; DROP TABLE sessions; --", "ü", strings.Repeat("a", 129)} {
		_, err := store.Load(t.Context(), id)
		is(t, err, trimtab.ErrBadID)
		_, err = store.Commit(t.Context(), trimtab.Commit{Session: trimtab.NewSession(id, start)})
		is(t, err, trimtab.ErrBadID)
		is(t, store.Remove(t.Context(), id), trimtab.ErrBadID)
		is(t, first(store.Messages(t.Context(), id, 0)), trimtab.ErrBadID)
		is(t, first(store.Journal(t.Context(), id, 0)), trimtab.ErrBadID)
	}
	if got := all(t, store.List(t.Context(), trimtab.Query{})); len(got) != 0 {
		t.Errorf("refused sessions are listed: %v", got)
	}
	commit(t, store, trimtab.NewSession(strings.Repeat("a", 128), start), nil)
	commit(t, store, trimtab.NewSession("0:a@b.c_d-e", start), nil)
}

// writers adds one to a shared count, eight at a time, as session.Service does: load,
// change, commit, and again on a conflict.
func writers(t *testing.T, store trimtab.Archive) {
	const each = 25
	commit(t, store, session("ship"), nil)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for n := range each {
				if err := add(t, store, fmt.Sprintf("%d-%d", w, n)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	got := load(t, store, "ship")
	if want := 8 * each; got.Seq != want || got.Step != 7+want || got.Version != 1+want {
		t.Errorf("seq %d, step %d, version %d after %d changes", got.Seq, got.Step, got.Version, want)
	}
	seen := map[string]int{}
	for _, text := range texts(all(t, store.Messages(t.Context(), "ship", 0))) {
		seen[text]++
	}
	for w := range 8 {
		for n := range each {
			if text := fmt.Sprintf("%d-%d", w, n); seen[text] != 1 {
				t.Errorf("%s is there %d times", text, seen[text])
			}
		}
	}
	for i, e := range all(t, store.Journal(t.Context(), "ship", 0)) {
		if e.Seq != i+1 {
			t.Fatalf("entry %d has number %d", i+1, e.Seq)
		}
	}
}

func add(t *testing.T, store trimtab.Archive, text string) error {
	for {
		s, err := store.Load(t.Context(), "ship")
		if err != nil {
			return err
		}
		s.Seq++
		s.Step++
		_, err = store.Commit(t.Context(), trimtab.Commit{Session: s, Messages: []trimtab.Message{say(text)}, Entries: []trimtab.Entry{entry(text)}})
		if !errors.Is(err, trimtab.ErrConflict) {
			return err
		}
	}
}
