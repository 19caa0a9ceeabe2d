package postgres

import (
	"testing"

	"github.com/trimtab/trimtab/store/storetest"
)

// The same as in store/sqlite, to compare.

// BenchmarkCommit is one message and its journal entry, on the server's disk.
func BenchmarkCommit(b *testing.B) { storetest.BenchCommit(b, opened(b, fresh(b))) }

func BenchmarkLoad(b *testing.B) { storetest.BenchLoad(b, opened(b, fresh(b))) }

// BenchmarkLoad2000 reads a session of 2,000 messages that grew beside another.
func BenchmarkLoad2000(b *testing.B) {
	store := opened(b, fresh(b))
	storetest.Grow(b, store, 2000, "bench", "other")
	storetest.BenchMessages(b, store, "bench", 2000)
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
