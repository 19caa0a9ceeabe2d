package sqlite

import (
	"testing"

	"github.com/trimtab/trimtab/store/storetest"
)

func TestX7_Feed(t *testing.T) {
	storetest.Feed(t, func(t *testing.T) (storetest.Watched, func() storetest.Watched) {
		path := fresh(t)
		again := func() storetest.Watched {
			s := opened(t, path)
			return storetest.Watched{Archive: s, Source: s, Queue: s.Queue()}
		}
		return again(), again
	})
}
