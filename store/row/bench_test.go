package row

import (
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

// BenchmarkEncode is what a request of an agent costs before the database has it.
func BenchmarkEncode(b *testing.B) {
	s := trimtab.NewSession("bench", time.Unix(1, 0))
	s.Seq = 2
	c := trimtab.Commit{Session: s, Messages: []trimtab.Message{storetest.Sample(1), storetest.Sample(2)}}
	for _, m := range c.Messages {
		c.Entries = append(c.Entries, trimtab.Entry{At: s.Updated, Event: trimtab.Said{Message: m}})
	}
	c.Entries = append(c.Entries, trimtab.Entry{At: s.Updated, Event: trimtab.Calling{}})
	for b.Loop() {
		if _, err := OfCommit(c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMessage reads one message of each kind.
func BenchmarkMessage(b *testing.B) {
	for i, name := range []string{"prompt", "call", "result"} {
		body := encoded(b, storetest.Sample(i))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Message(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
