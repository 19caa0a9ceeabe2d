package storetest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Schema numbers the migrations of a store: the last, and those that brought the queue and
// the files of its items.
type Schema struct{ Latest, Queue, Files int64 }

// Updated is a store of an older program that this one has opened.
type Updated struct {
	Watched
	Said   []string     // in the session "ship"
	Schema func() int64 // the migration it is at
}

// Upgrades runs the suite for stores that older programs left, one for each schema. old makes
// one as a program left it whose last migration was n: with the session "ship", where queue is
// true with Item(1), and where files is true with a file "log" of that item that says "kept".
func Upgrades(t *testing.T, schema Schema, old func(t *testing.T, n int64, queue, files bool) Updated) {
	for n := int64(1); n < schema.Latest; n++ {
		t.Run(fmt.Sprint("schema ", n), func(t *testing.T) {
			queue, files := n >= schema.Queue, n >= schema.Files
			store := old(t, n, queue, files)
			if got := store.Schema(); got != schema.Latest {
				t.Errorf("schema %d, want %d", got, schema.Latest)
			}
			var said []string
			for _, m := range all(t, store.Messages(t.Context(), "ship", 0)) {
				said = append(said, m.Text())
			}
			if !slices.Equal(said, store.Said) {
				t.Errorf("said %q, want %q", said, store.Said)
			}
			id, changes := Item(1).ID, 1
			if queue {
				changes++
				if it, err := store.Queue.Item(t.Context(), id); err != nil || it.Request.Title != Item(1).Request.Title {
					t.Errorf("%+v, %v", it, err)
				}
			}
			if files {
				if kept, err := store.Queue.Files(t.Context(), id); err != nil || len(kept) != 1 || string(kept[0].Body) != "kept" {
					t.Errorf("%v, %v", kept, err)
				}
			}
			if told, err := store.Changes(t.Context(), "", 10); err != nil || len(told) != changes {
				t.Errorf("%d changes are told, %v, want %d", len(told), err, changes)
			}
			MustSay(t, store, "ship", "and goes on")
			if err := store.Queue.Add(t.Context(), Item(2)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Downgrades has each older program open a store of this one. It is to be told with newer and
// these words, and to leave everything as it is; dump is all that the store holds.
func Downgrades(t *testing.T, latest int64, newer error, words []string, open func(n int64) []error, dump func() []string) {
	t.Helper()
	held := dump()
	for n := int64(1); n < latest; n++ {
		for _, err := range open(n) {
			if !errors.Is(err, newer) {
				t.Fatalf("error %v, want %v", err, newer)
			}
			for _, word := range append([]string{fmt.Sprint("schema ", latest), fmt.Sprint("up to ", n), "update trimtab"}, words...) {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not say %q", err, word)
				}
			}
		}
	}
	if diff := cmp.Diff(held, dump()); diff != "" {
		t.Error(diff)
	}
}

// UpTo are the migrations that a program had when n was the last of them.
func UpTo(t *testing.T, migrations fs.FS, n int64) fs.FS {
	t.Helper()
	out := fstest.MapFS{}
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name < fmt.Sprintf("%05d~", n) {
			b, err := fs.ReadFile(migrations, name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = &fstest.MapFile{Data: b}
		}
	}
	return out
}
