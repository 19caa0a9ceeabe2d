package memory_test

import (
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/storetest"
)

func TestArchive(t *testing.T) {
	storetest.Run(t, func(*testing.T) trimtab.Archive { return memory.New() })
}

func TestQueue(t *testing.T) {
	storetest.Queue(t, func(*testing.T) improve.Queue { return memory.New().Queue() })
}

func TestX7_Feed(t *testing.T) {
	storetest.Feed(t, func(*testing.T) (storetest.Watched, func() storetest.Watched) {
		s := memory.New()
		store := storetest.Watched{Archive: s, Source: s, Queue: s.Queue()}
		return store, func() storetest.Watched { return store }
	})
}
