package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

// The same as in store/sqlite, to compare.

// BenchmarkCommit is one message and its journal entry, on the server's disk.
func BenchmarkCommit(b *testing.B) {
	store := opened(b, fresh(b))
	s := trimtab.NewSession("bench", time.Unix(1, 0))
	for b.Loop() {
		s.Seq++
		m := trimtab.Prompt(strings.Repeat("word ", 40))
		m.ID = trimtab.MessageID(s.Seq)
		version, err := store.Commit(b.Context(), trimtab.Commit{
			Session: s, Messages: []trimtab.Message{m},
			Entries: []trimtab.Entry{{At: s.Updated, Event: trimtab.Said{Message: m}}},
		})
		if err != nil {
			b.Fatal(err)
		}
		s.Version = version
	}
}

func BenchmarkLoad(b *testing.B) {
	store := opened(b, fresh(b))
	if _, err := store.Commit(b.Context(), trimtab.Commit{Session: trimtab.NewSession("bench", time.Unix(1, 0))}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := store.Load(b.Context(), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad2000 reads a session of 2,000 messages that grew beside another.
func BenchmarkLoad2000(b *testing.B) {
	store := opened(b, fresh(b))
	storetest.Grow(b, store, 2000, "bench", "other")
	for b.Loop() {
		n := 0
		for _, err := range store.Messages(b.Context(), "bench", 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 2000 {
			b.Fatal(n)
		}
	}
}

// BenchmarkOpen opens a database that is up to date.
func BenchmarkOpen(b *testing.B) {
	url := fresh(b)
	opened(b, url)
	for b.Loop() {
		s, err := Open(b.Context(), url, Config{})
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}
