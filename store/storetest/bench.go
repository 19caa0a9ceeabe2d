package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
)

// BenchCommit commits one message and its journal entry.
func BenchCommit(b *testing.B, store trimtab.Store) {
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

// BenchLoad loads a session.
func BenchLoad(b *testing.B, store trimtab.Store) {
	if _, err := store.Commit(b.Context(), trimtab.Commit{Session: trimtab.NewSession("bench", time.Unix(1, 0))}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := store.Load(b.Context(), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchMessages reads a session that Grow made, of n messages.
func BenchMessages(b *testing.B, store trimtab.Archive, id string, n int) {
	for b.Loop() {
		read := 0
		for _, err := range store.Messages(b.Context(), id, 0) {
			if err != nil {
				b.Fatal(err)
			}
			read++
		}
		if read != n {
			b.Fatal(read)
		}
	}
}
