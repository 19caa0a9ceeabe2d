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
