package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/gateway"
)

// readings counts how often a history was read.
type readings struct {
	gateway.History
	n atomic.Int64
}

func (h *readings) Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error] {
	h.n.Add(1)
	return h.History.Messages(ctx, id, after)
}

// TestManySessionsAreForgottenAtRest, but for the newest, and those that come back
// go on as if nothing had been: the same notes at the same places, nothing counted
// twice.
func TestManySessionsAreForgottenAtRest(t *testing.T) {
	const sessions, kept = 40, 32
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		h := &readings{History: store}
		rested := 0
		r, b := nearby(t, parts{store: store, history: h, opt: gateway.Options{Rested: func() { rested++ }}})
		want := undisturbed(t)
		for n := range asked {
			for i := range sessions {
				r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {fmt.Sprint("s", i)}}, turns(n+1))
				if n == asked-1 && !bytes.Equal(b.last(), want) {
					t.Fatalf("session %d left as\n%s\nwant\n%s", i, b.last(), want)
				}
			}
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if rested != n+1 {
				t.Fatalf("there was rest %d times in round %d", rested, n+1)
			}
		}
		if err := r.service.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n := h.n.Load(); n < (asked-1)*(sessions-kept) {
			t.Errorf("a history was read %d times: nothing was forgotten", n)
		}
		first, last := r.session("s0"), r.session(fmt.Sprint("s", sessions-1))
		if first.Step != last.Step || first.Seq != last.Seq || r.gate.Stats.Faults.Load() != 0 {
			t.Errorf("%d steps and %d messages where it was forgotten, else %d and %d; %d faults", first.Step, first.Seq, last.Step, last.Seq, r.gate.Stats.Faults.Load())
		}
	})
}
