package server

import (
	"context"
	"errors"
	"sync"
	"testing"
	"weak"
)

// D9: what a burst left in a pool is given back at rest, and not only with the next
// request; also where nothing can be stored.
func TestD9_PooledMemoryIsReleasedAtRest(t *testing.T) {
	for _, stored := range []error{nil, errors.New("the disk is full")} {
		var pool sync.Pool
		held := func() weak.Pointer[[]byte] {
			b := make([]byte, 1<<20)
			pool.Put(&b)
			return weak.Make(&b)
		}()
		ReleaseMemory(t.Context(), flusherFunc(func(context.Context) error { return stored }))
		if held.Value() != nil {
			t.Errorf("a buffer is still held (storing: %v)", stored)
		}
	}
}
