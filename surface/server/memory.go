package server

import (
	"context"
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
// where that fails nothing is released, and the next idle time tries again.
func ReleaseMemory(ctx context.Context, waiting Flusher) {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	if waiting.Flush(ctx) == nil {
		debug.FreeOSMemory()
	}
}
