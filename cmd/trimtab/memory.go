package main

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/trimtab/trimtab/helm"
)

// thrift keeps the memory of a server small: it gives back to the system what a
// burst took when there is nothing to do, which Go's runtime puts off for minutes,
// and has garbage collected sooner where there is much of it. A gateway runs all
// day beside other programs.
type thrift struct {
	mu      sync.Mutex
	left    int // what was held after the last time
	percent int // how much garbage may gather, of what is in use
}

const (
	modest  = 24 << 20 // what is held below this stays
	worthIt = 4 << 20  // what must have come to it since the last time
)

// giveBack is for times at which nobody waits: it costs some milliseconds, where
// there is something to give. What waits to be stored comes first: it is memory,
// and storing it takes more.
func (t *thrift) giveBack(ctx context.Context, door *helm.Helm) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if door.Flush(ctx) != nil {
		return // there is trouble with the store, and another time
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := held(); now > modest && now > t.left+worthIt {
		runtime.GC() // what lies in pools is given up in two rounds
		debug.FreeOSMemory()
		t.left = held()
	}
}

// begin is watch for a command that is at work from its first moment on: while
// little is in use, collecting all the time costs more than some megabytes.
func (t *thrift) begin() {
	t.tune(inUse())
	t.watch()
}

// watch has the thrift look at each collection of garbage, from the next one on.
func (t *thrift) watch() {
	runtime.AddCleanup(new(marker), func(t *thrift) {
		t.tune(inUse())
		t.watch()
	}, t)
}

// marker is garbage at once. It holds a pointer, for what holds none is gathered
// into one piece with others.
type marker struct{ _ *marker }

// tune sets how much garbage may gather: about so many bytes, whatever is in use.
// The usual share of what is in use would have a small heap collected all the
// time, and let a large one grow to twice its size. It is never so little that
// collecting becomes the main work.
func (t *thrift) tune(used int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	percent := min(300, max(25, 100*garbage/max(1, used)))
	if was := cmp.Or(t.percent, 100); 4*max(percent, was) > 5*min(percent, was) { // it stops all for a moment
		debug.SetGCPercent(percent)
		t.percent = percent
	}
}

const garbage = 12 << 20

// inUse is what the last collection of garbage found in use.
func inUse() int {
	of := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(of)
	return int(of[0].Value.Uint64())
}

// held is the memory that the runtime has from the system.
func held() int {
	of := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(of)
	return int(of[0].Value.Uint64() - of[1].Value.Uint64())
}
