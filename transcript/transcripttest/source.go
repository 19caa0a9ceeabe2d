package transcripttest

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
)

// Stored is a reader of databases and how its host writes.
type Stored struct {
	Open  func(ctx context.Context, path string) (transcript.Source, error)
	Write func(turns []Turn) Tables // one session, "s1"
	Spoil func(Tables)              // makes a row of the model's first reply unreadable
}

// RunStored runs the suite on databases.
func RunStored(t *testing.T, s Stored) {
	Run(t, Format{
		Write: func(t testing.TB, turns []Turn) []byte {
			path := filepath.Join(t.TempDir(), "host.db")
			Database(t, path, s.Write(turns))
			return []byte(path) // a database is named, not streamed
		},
		Read: func(t testing.TB, path []byte, opt transcript.Options) iter.Seq2[transcript.Item, error] {
			return s.open(t, string(path)).Read(t.Context(), "s1", opt)
		},
	})
	t.Run("ADatabaseIsReadAndNeverChanged", s.untouched)
	t.Run("ADamagedRowIsNamedAndTheRestIsRead", s.damaged)
	t.Run("WhatIsNotThereIsNotFound", s.missing)
}

func (s Stored) open(t testing.TB, path string) transcript.Source {
	t.Helper()
	src, err := s.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	return src
}

// untouched reads a database whose owner is at work, was killed, and has ended
// well.
func (s Stored) untouched(t *testing.T) {
	turns := talk()
	live := filepath.Join(t.TempDir(), "live.db")
	Database(t, live, s.Write(turns))
	ended := filepath.Join(t.TempDir(), "ended.db")
	t.Run("ended", func(t *testing.T) { Database(t, ended, s.Write(turns)) }) // closed when that ends
	for name, path := range map[string]string{"at work": live, "killed": Killed(t, live), "ended": ended} {
		before := Files(t, filepath.Dir(path))
		src, err := s.Open(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sessions := 0
		for info, err := range src.Sessions(t.Context()) {
			if err != nil || info.ID != "s1" || info.Project != "/p" || info.Host == "" || info.Created.IsZero() {
				t.Errorf("%s: %+v, %v", name, info, err)
			}
			sessions++
		}
		items, _ := All(t, src.Read(t.Context(), "s1", transcript.Options{}))
		if diff := cmp.Diff(want(turns), hideHost(Gist(items))); diff != "" || sessions != 1 {
			t.Errorf("%s: %d sessions (-want +got):\n%s", name, sessions, diff)
		}
		if diff := cmp.Diff(before, Files(t, filepath.Dir(path))); diff != "" {
			t.Errorf("%s: while it was read (-before +after):\n%.1000s", name, diff)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, Files(t, filepath.Dir(path))); diff != "" {
			t.Errorf("%s: after it was read (-before +after):\n%.1000s", name, diff)
		}
	}
}

func (s Stored) damaged(t *testing.T) {
	turns := []Turn{{Kind: Prompt, Text: "go"}, {Kind: Says, Text: "one"}, {Kind: Prompt, Text: "on"}, {Kind: Says, Text: "two"}}
	tables := s.Write(turns)
	s.Spoil(tables)
	path := filepath.Join(t.TempDir(), "host.db")
	Database(t, path, tables)
	items, damaged := All(t, s.open(t, path).Read(t.Context(), "s1", transcript.Options{}))
	if diff := cmp.Diff([]string{"person go", "person on", "model two"}, Gist(items)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(damaged) != 1 || damaged[0].Row == "" || damaged[0].Line != 2 {
		t.Errorf("damaged %+v", damaged)
	}
}

func (s Stored) missing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "host.db")
	Database(t, path, s.Write(talk()))
	for _, err := range s.open(t, path).Read(t.Context(), "nobody", transcript.Options{}) {
		if !errors.Is(err, trimtab.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	}
	other := filepath.Join(dir, "other.db")
	Database(t, other, Tables{"things": {{"id": 1}}})
	for _, bad := range []string{other, filepath.Join(dir, "none.db"), dir} {
		if src, err := s.Open(t.Context(), bad); err == nil {
			t.Errorf("%s was opened, and closed with %v", bad, src.Close())
		}
	}
}
