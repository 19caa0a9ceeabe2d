// Package storetest says what every store must do. One suite runs on the twin in
// memory and on each real store, so that they cannot drift apart.
//
// It never looks inside a store: what depends on files, locks or servers is
// tested next to that store.
//
//	func TestArchive(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) trimtab.Archive {
//			store := … // empty
//			t.Cleanup(func() { store.Close() })
//			return store
//		})
//	}
package storetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab"
)

// Run runs the suite. Each test opens an empty store of its own.
func Run(t *testing.T, open func(t *testing.T) trimtab.Archive) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, trimtab.Archive)
	}{
		{"a committed session loads as it was", loads},
		{"callers share no memory with the store", copies},
		{"versions count up and a stale one conflicts", conflicts},
		{"a new session does not replace an old one", exists},
		{"a session begun again under its id is another one", reborn},
		{"a refused commit leaves nothing behind", atomic},
		{"a number is given once", numbers},
		{"messages come back in order, after a number", messages},
		{"the journal comes back in order, after a number", journal},
		{"reading can stop at any point", stops},
		{"lists come newest first", newest},
		{"lists are filtered", filtered},
		{"X2: lists are of users and repositories", ofPeople},
		{"a list can be changed while it is read", pruned},
		{"removed is gone", removed},
		{"what is not there is not found", notFound},
		{"ids that are not plain names are refused", badIDs},
		{"unicode survives", unicode},
		{"a message of a megabyte survives", large},
		{"eight writers on one session lose nothing", writers},
		{"readers see whole commits while others write", readers},
		{"loops may be nested", nested},
		{"a cancelled context stops everything", cancelled},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

var start = time.Date(2026, 11, 15, 9, 0, 0, 123456789, time.UTC)

// session returns a session with something in each kind of field.
func session(id string) trimtab.Session {
	s := trimtab.NewSession(id, start)
	s.Host, s.Project, s.Model, s.Title, s.Parent = "claude", "/home/ada/ship", "m-1", "Fix the rudder", "boss"
	s.User, s.Repo = "ädä@ship", "github.com/ada/ship//deck"
	s.Step, s.Split, s.Made = 7, true, 3
	s.Last = trimtab.Seat{Ref: trimtab.Ref{ID: "m4", Seq: 4}, After: true, Offset: 99}
	s.Open = []trimtab.ToolCall{{ID: "c1", Name: "bash"}}
	s.Todos = []trimtab.Todo{{ID: "1", Text: "caulk", Status: trimtab.Pending, Since: 2}}
	s.Notes = []trimtab.Note{{ID: 1, By: "todo", Slot: "list", Text: "<remember>", Life: trimtab.Standing, Seat: s.Last}}
	s.Heed = []trimtab.Heed{{By: "todo", Slot: "list", Missed: 2}}
	s.Meter = trimtab.Meter{Bytes: 1000, Rate: 3900, SentAt: start}
	return s.WithMemory("todo", json.RawMessage(`{"seen":3}`))
}

func say(text string) trimtab.Message {
	m := trimtab.Prompt(text)
	m.At = start
	return m
}

func entry(command string) trimtab.Entry {
	return trimtab.Entry{
		At: start, Event: trimtab.Asked{Command: command, Args: []string{"a", "b"}},
		Actions: []trimtab.Taken{{By: "todo", Action: trimtab.Notify{Text: "noted"}}},
		Changes: []trimtab.Change{{Kind: trimtab.Injected, By: "todo", Why: "due"}},
		Faults:  []trimtab.Fault{{By: "todo", Text: "no"}},
	}
}

// commit stores a change that must succeed and returns the session to go on with.
func commit(t *testing.T, store trimtab.Store, s trimtab.Session, said []trimtab.Message, entries ...trimtab.Entry) trimtab.Session {
	t.Helper()
	s.Seq += len(said)
	version, err := store.Commit(t.Context(), trimtab.Commit{Session: s, Messages: said, Entries: entries})
	if err != nil {
		t.Fatalf("commit %s: %v", s.ID, err)
	}
	if version != s.Version+1 {
		t.Fatalf("commit %s: version %d after %d", s.ID, version, s.Version)
	}
	s.Version = version
	return s
}

func load(t *testing.T, store trimtab.Store, id string) trimtab.Session {
	t.Helper()
	s, err := store.Load(t.Context(), id)
	if err != nil {
		t.Fatalf("load %s: %v", id, err)
	}
	return s
}

func all[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var out []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// first returns the error of the first turn of a loop.
func first[T any](seq iter.Seq2[T, error]) error {
	for _, err := range seq {
		return err
	}
	return nil
}

func texts(ms []trimtab.Message) (out []string) {
	for _, m := range ms {
		out = append(out, m.Text())
	}
	return out
}

func ids(infos []trimtab.Info) (out []string) {
	for _, i := range infos {
		out = append(out, i.ID)
	}
	return out
}

// same compares by JSON, which is what a store keeps.
func same(t *testing.T, got, want any) {
	t.Helper()
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(g, w) {
		return // thousands of messages are the same far more often than not
	}
	g, _ = json.MarshalIndent(got, "", " ") // it could be marshalled above
	w, _ = json.MarshalIndent(want, "", " ")
	if diff := cmp.Diff(string(w), string(g)); diff != "" {
		t.Fatalf("want -, got +\n%s", diff)
	}
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}
