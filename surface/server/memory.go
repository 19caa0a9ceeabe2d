package server

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"
)

// Flusher stores what waits: session.Service does.
type Flusher interface {
	Flush(ctx context.Context, ids ...string) error
}

// flushTimeout limits how long storing may hold up the release of memory.
const flushTimeout = 10 * time.Second

// ReleaseMemory returns to the system what a burst of requests took, which the
// runtime puts off for minutes: a gateway runs all day beside other programs. It is
// for gateway.Options.Rested. What waits is stored first, for storing takes memory;
// where that fails the rest is released all the same, since there may be no next
// request to try again at.
//
// A pool lets its buffers go at the second collection after their last use, so one
// comes before that which returns the memory.
func ReleaseMemory(ctx context.Context, waiting Flusher) {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	_ = waiting.Flush(ctx) // it says itself what it could not store, and tries again
	runtime.GC()
	debug.FreeOSMemory()
}
