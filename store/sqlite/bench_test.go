package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

// BenchmarkCommit is one message and its journal entry, on the disk.
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

// BenchmarkLoad2000 reads a session of 2,000 messages, prose and tool calls in
// turn, that grew beside another one.
func BenchmarkLoad2000(b *testing.B) {
	store := opened(b, fresh(b))
	storetest.Grow(b, store, 2000, "bench", "other")
	b.Run("decoded", func(b *testing.B) {
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
	})
	b.Run("bytes", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for l := range store.lines(b.Context(), messages, "bench", 0) {
				if l.err != nil {
					b.Fatal(l.err)
				}
				n++
			}
			if n != 2000 {
				b.Fatal(n)
			}
		}
	})
}

// BenchmarkOpen opens a file that is up to date.
func BenchmarkOpen(b *testing.B) {
	path := fresh(b)
	keep := opened(b, path)
	_ = keep
	for b.Loop() {
		s, err := Open(b.Context(), path, Config{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
