package trust

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzBook: whatever a book holds, reading it does not panic, and what is read
// holds together and is the same after it is written again.
func FuzzBook(f *testing.F) {
	root, err := filepath.Abs(string(filepath.Separator))
	if err != nil {
		f.Fatal(err)
	}
	name := filepath.Join(f.TempDir(), "trust.json")
	for _, records := range [][]Record{nil, {{Dir: root, Digest: Files{"a": []byte("b")}.Digest(), At: time.Unix(0, 0).UTC()}}} {
		if err := save(name, records); err != nil {
			f.Fatal(err)
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
		f.Add(bytes.ReplaceAll(raw, []byte("1"), []byte("2")))
	}
	f.Add([]byte(`{"version":1,"projects":[{"dir":"/","digest":{"sum":"","files":null}}]}`))
	f.Add([]byte("[[[[[["))
	f.Fuzz(func(t *testing.T, raw []byte) {
		records, err := decode(raw)
		if err != nil {
			if records != nil || !errors.Is(err, errDamaged) && !errors.Is(err, errNewer) {
				t.Fatalf("%d records, %v", len(records), err)
			}
			return
		}
		for _, r := range records {
			if err := r.Digest.check(); err != nil || !filepath.IsAbs(r.Dir) {
				t.Fatalf("%q: %v", r.Dir, err)
			}
		}
		again := filepath.Join(t.TempDir(), "trust.json")
		if err := save(again, records); err != nil {
			t.Fatal(err)
		}
		got, err := load(again)
		if err != nil || len(got) != len(records) || len(got) > 0 && !cmp.Equal(records[0].Digest.Sum, got[0].Digest.Sum) {
			t.Fatalf("%d records came back as %d, %v", len(records), len(got), err)
		}
	})
}
