package gateway

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatienceEnds as a context of the standard library does: after its time, with
// its parent, or when it is told to; whenever it is first asked.
func TestPatienceEnds(t *testing.T) {
	over := func(c context.Context) bool {
		select {
		case <-c.Done():
			return true
		default:
			return false
		}
	}
	for name, asked := range map[string]bool{"asked before": true, "asked after": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, c := range []struct {
					ends func(cancel func(), p *patience)
					want error
				}{
					{func(func(), *patience) { time.Sleep(2 * time.Second) }, context.DeadlineExceeded},
					{func(cancel func(), _ *patience) { cancel() }, context.Canceled},
					{func(_ func(), p *patience) { p.end() }, context.Canceled},
				} {
					parent, cancel := context.WithCancel(t.Context())
					p := newPatience(parent, time.Second)
					if asked && over(p) || p.Err() != nil {
						t.Errorf("it ended at once: %v", p.Err())
					}
					c.ends(cancel, p)
					synctest.Wait()
					if !over(p) || !errors.Is(p.Err(), c.want) {
						t.Errorf("over: %v, %v; want %v", over(p), p.Err(), c.want)
					}
					p.end()
					cancel()
				}
			})
		})
	}
}
