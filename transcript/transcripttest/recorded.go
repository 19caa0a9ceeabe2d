package transcripttest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab/transcript"
)

// Recorded reads the sessions testdata/NAME.jsonl and compares each with its golden file.
func Recorded(t *testing.T, read transcript.Reader, update bool, names ...string) {
	t.Helper()
	for _, name := range names {
		f, err := os.Open("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		Golden(t, "testdata/"+name+".golden", read(f, transcript.Options{}), update)
		_ = f.Close() // it was only read
	}
}

// FuzzRecorded is Fuzz that begins with recorded sessions.
func FuzzRecorded(f *testing.F, read transcript.Reader, names ...string) {
	for _, name := range names {
		data, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		Seed(f, data)
	}
	Fuzz(f, read)
}

// OpenTables opens a database of these tables, until the test ends.
func OpenTables(t testing.TB, open func(context.Context, string) (transcript.Source, error), tables Tables) transcript.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "host.db")
	Database(t, path, tables)
	src, err := open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// RecordedStored compares the sessions of the database testdata/plain.json with their golden
// files.
func RecordedStored(t *testing.T, open func(context.Context, string) (transcript.Source, error), sessions int, update bool) {
	t.Helper()
	src, n := OpenTables(t, open, Load(t, "testdata/plain.json")), 0
	for info, err := range src.Sessions(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		Golden(t, fmt.Sprintf("testdata/plain-%d.golden", n), src.Read(t.Context(), info.ID, transcript.Options{}), update)
	}
	if n != sessions {
		t.Errorf("%d sessions, want %d", n, sessions)
	}
}

// Keepable reads the session "s1" of tables that hold anything: it ends, and every message can
// be kept as JSON.
func Keepable(t *testing.T, open func(context.Context, string) (transcript.Source, error), tables Tables) {
	t.Helper()
	items, _ := All(t, OpenTables(t, open, tables).Read(t.Context(), "s1", transcript.Options{MaxLine: 512}))
	for _, it := range items {
		if _, err := json.Marshal(it.Message); err != nil {
			t.Fatal(err)
		}
	}
}
