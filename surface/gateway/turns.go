package gateway

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"
)

// turns limits how many requests are steered at once. Of a thousand that begin at the
// same moment each would otherwise get a thousandth of the machine, and none would be
// done within its patience; one after the other, all are. Waiting for a turn is not
// steering, so patience begins with the turn. Where steering itself does not come to an
// end, as with a store that hangs, nobody waits for a turn longer than for the rest.
type turns struct {
	free chan struct{}
	late atomic.Int64 // when steering last took longer than its patience, in nanoseconds of the clock
}

// How many requests of a processor are steered at once: while one waits for the store
// another one works. And how much longer than its patience a request waits for its turn.
const (
	turnsEach   = 8
	leastTurns  = 16
	waitForTurn = 10
)

func newTurns() *turns {
	return &turns{free: make(chan struct{}, max(leastTurns, turnsEach*runtime.GOMAXPROCS(0)))}
}

var errNoTurn = errors.New("too many requests are being steered")

// take waits for a turn.
func (t *turns) take(ctx context.Context, patience time.Duration) error {
	select {
	case t.free <- struct{}{}:
		return nil
	default:
	}
	tick := time.NewTicker(max(patience/4, time.Millisecond))
	defer tick.Stop()
	for begun := time.Now(); ; {
		select {
		case t.free <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case now := <-tick.C:
			waited, stalled := now.Sub(begun), now.Sub(time.Unix(0, t.late.Load())) < 2*patience
			if waited >= patience && stalled || waited >= waitForTurn*patience {
				return errNoTurn
			}
		}
	}
}

// give ends a turn. late says that it took longer than it may.
func (t *turns) give(late bool) {
	if late {
		t.late.Store(time.Now().UnixNano())
	}
	<-t.free
}
