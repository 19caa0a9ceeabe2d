package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/gateway"
)

// oneCore is a service on a machine with a single processor that is busy: steering a
// request takes a while, and one goes on while the others wait.
type oneCore struct {
	*session.Service
	core chan struct{}
	each time.Duration
}

func (s oneCore) Steer(ctx context.Context, id string, tell func(trimtab.Session) []trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	s.core <- struct{}{}
	time.Sleep(s.each)
	<-s.core
	if err := ctx.Err(); err != nil {
		return trimtab.Session{}, trimtab.Outcome{}, err
	}
	return s.Service.Steer(ctx, id, tell)
}

// TestX10_AllOfManySessionsThatBeginAtOnceAreSteered though the machine takes five times
// the patience of one request for all of them.
func TestX10_AllOfManySessionsThatBeginAtOnceAreSteered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sessions = 1000
		core := oneCore{core: make(chan struct{}, 1), each: 5 * time.Millisecond}
		r, b := nearby(t, parts{patience: 1000, service: func(h *session.Service) gateway.Service { core.Service = h; return core }})
		var wg sync.WaitGroup
		for n := range sessions {
			wg.Go(func() {
				_, _ = r.try(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {fmt.Sprint("s", n)}}, bytes.NewReader(turns(1)))
			})
		}
		wg.Wait()
		steered := 0
		for _, body := range b.all {
			if note(body) {
				steered++
			}
		}
		if steered != sessions {
			t.Errorf("%d of %d were steered; %d faults", steered, sessions, r.gate.Stats.Faults.Load())
		}
		r.settle()
	})
}

// TestX10_NobodyWaitsForAStoreThatHangs longer than for a few turns: the requests go out
// as they came.
func TestX10_NobodyWaitsForAStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sessions = 300
		var events, calls atomic.Int32
		var hangs atomic.Bool
		hangs.Store(true)
		r, _ := nearby(t, parts{patience: 1000, service: func(h *session.Service) gateway.Service { return slow{h, &events, &calls, &hangs} }})
		begun := time.Now() // of a clock that stands still while anybody works
		var wg sync.WaitGroup
		for n := range sessions {
			wg.Go(func() {
				a, err := r.try(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {fmt.Sprint("s", n)}}, bytes.NewReader(long(600)))
				if err != nil || a.status != http.StatusOK {
					t.Errorf("%v, status %d", err, a.status)
				}
			})
		}
		wg.Wait()
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("all of them took %v, five times the patience of one", took)
		}
		r.settle()
	})
}

// TestX10_LongMessagesAreToldInSteps: a first request whose messages are large looks at
// the time after each few of them.
func TestX10_LongMessagesAreToldInSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events, calls atomic.Int32
		var waits atomic.Bool
		waits.Store(true)
		r, b := nearby(t, parts{service: func(h *session.Service) gateway.Service { return slow{h, &events, &calls, &waits} }})
		body := bytes.ReplaceAll(long(20), []byte(`prompt`), bytes.Repeat([]byte("x"), 1<<20))
		r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, body)
		if !bytes.Equal(b.last(), body) {
			t.Error("it did not go out as it came")
		}
		if told := events.Load(); told == 0 || told > 12 {
			t.Errorf("%d events were told of %d MB before somebody looked at the time", told, len(body)>>20)
		}
	})
}
