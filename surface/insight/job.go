package insight

import (
	"context"
	"sync"
	"time"
)

// job is something that takes longer than an answer may: it is done beside them, once
// at a time, and they show what it last came to.
type job[T any] struct {
	mu      sync.Mutex
	running bool
	ended   time.Time // zero until it has ended once
	value   T
	err     error
}

// get returns what the job last came to, and begins it anew where that is older than so long.
func (j *job[T]) get(done <-chan struct{}, now time.Time, fresh time.Duration, do func(context.Context) (T, error)) (value T, running bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.running && (j.ended.IsZero() || now.Sub(j.ended) > fresh) {
		j.running = true
		go j.run(done, now, do)
	}
	return j.value, j.running, j.err
}

// run does it, until the server ends.
func (j *job[T]) run(done <-chan struct{}, now time.Time, do func(context.Context) (T, error)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	value, err := do(ctx)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.running, j.ended, j.err = false, now, err
	if err == nil {
		j.value = value
	}
}
