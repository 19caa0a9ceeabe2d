package sqlite

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/storetest"
)

func TestQueue(t *testing.T) {
	storetest.Queue(t, func(t *testing.T) improve.Queue { return opened(t, fresh(t)).Queue() })
}

func playFile(ctx context.Context, path string, args []string) error {
	store, err := Open(ctx, path, Config{BusyTimeout: 60_000})
	if err != nil {
		return err
	}
	return storetest.File(ctx, store.Queue(), args[0], os.Stdout)
}

func playWork(ctx context.Context, path string, args []string) error {
	store, err := Open(ctx, path, Config{BusyTimeout: 60_000})
	if err != nil {
		return err
	}
	if err := storetest.Work(ctx, store.Queue(), args[0], rand.New(rand.NewPCG(3, uint64(args[0][1]))), os.Stdout); err != nil {
		return err
	}
	return store.Close()
}

func TestP3_TwoWorkersNeverRecordOneEffectTwice(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 200
	}
	path := fresh(t)
	storetest.Worked(t, opened(t, path).Queue(), n, func(name string) *storetest.Player { return another(t, "work", path, name) })
}

func TestP4_NoAcceptedImprovementIsLost(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 300
	}
	path := fresh(t)
	store := opened(t, path)
	storetest.Filed(t, store.Queue(), n, rand.New(rand.NewPCG(4, 4)), func(tag string) *storetest.Player { return another(t, "file", path, tag) })
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
