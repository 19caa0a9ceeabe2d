package sqlite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
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
	grow(b, store, 2000, "bench", "other")
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

// grow says n messages in each of the sessions, taking turns.
func grow(t testing.TB, store *Store, n int, ids ...string) {
	t.Helper()
	open := map[string]trimtab.Session{}
	for _, id := range ids {
		open[id] = trimtab.NewSession(id, time.Unix(1, 0))
	}
	const step = 10
	for i := 0; i < n; i += step {
		for _, id := range ids {
			s := open[id]
			var said []trimtab.Message
			for j := range step {
				said = append(said, sample(i+j))
			}
			s.Seq += step
			version, err := store.Commit(t.Context(), trimtab.Commit{Session: s, Messages: said})
			if err != nil {
				t.Fatal(err)
			}
			s.Version = version
			open[id] = s
		}
	}
}

func sample(i int) trimtab.Message {
	m := trimtab.Message{ID: trimtab.MessageID(i + 1), At: time.Unix(int64(i), 0)}
	switch i % 3 {
	case 0:
		m.Role = trimtab.RoleUser
		m.Parts = []trimtab.Part{trimtab.Text{Text: strings.Repeat("please go on. ", 20), By: trimtab.Person}}
	case 1:
		m.Role, m.Model, m.Usage = trimtab.RoleAssistant, "m-1", &trimtab.Usage{Input: i, Output: 20}
		m.Parts = []trimtab.Part{
			trimtab.Text{Text: strings.Repeat("I will. ", 20), By: trimtab.Model},
			trimtab.ToolCall{ID: fmt.Sprint("c", i), Name: "bash", Input: []byte(`{"command":"go test ./...","timeout":60}`)},
		}
	default:
		m.Role = trimtab.RoleTool
		m.Parts = []trimtab.Part{trimtab.ToolResult{ID: fmt.Sprint("c", i-1), Text: strings.Repeat("ok  	package	0.1s\n", 60)}}
	}
	return m
}

// BenchmarkEncode is what a request of an agent costs before the database has it.
func BenchmarkEncode(b *testing.B) {
	s := trimtab.NewSession("bench", time.Unix(1, 0))
	s.Seq = 2
	c := trimtab.Commit{Session: s, Messages: []trimtab.Message{sample(1), sample(2)}}
	for _, m := range c.Messages {
		c.Entries = append(c.Entries, trimtab.Entry{At: s.Updated, Event: trimtab.Said{Message: m}})
	}
	c.Entries = append(c.Entries, trimtab.Entry{At: s.Updated, Event: trimtab.Calling{}})
	for b.Loop() {
		if _, err := encode(c); err != nil {
			b.Fatal(err)
		}
	}
}
