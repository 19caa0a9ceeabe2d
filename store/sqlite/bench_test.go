package sqlite

import (
	"testing"

	"github.com/trimtab/trimtab/store/storetest"
)

// BenchmarkCommit is one message and its journal entry, on the disk.
func BenchmarkCommit(b *testing.B) { storetest.BenchCommit(b, opened(b, fresh(b))) }

func BenchmarkLoad(b *testing.B) { storetest.BenchLoad(b, opened(b, fresh(b))) }

// BenchmarkLoad2000 reads a session of 2,000 messages, prose and tool calls in
// turn, that grew beside another one.
func BenchmarkLoad2000(b *testing.B) {
	store := opened(b, fresh(b))
	storetest.Grow(b, store, 2000, "bench", "other")
	b.Run("decoded", func(b *testing.B) { storetest.BenchMessages(b, store, "bench", 2000) })
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
