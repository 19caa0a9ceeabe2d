package gateway

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestRestIsNoticedOnce, after the last request of many is over and not before.
func TestRestIsNoticedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r rest
		n := 0
		rested := func() { n++ }
		r.begin() // a long stream
		for range 20 {
			r.begin()
			time.Sleep(restAfter / 3)
			r.end(rested)
		}
		time.Sleep(10 * restAfter)
		synctest.Wait()
		if n != 0 {
			t.Fatalf("there was rest %d times while a request was under way", n)
		}
		r.end(rested)
		time.Sleep(10 * restAfter)
		synctest.Wait()
		if n != 1 {
			t.Fatalf("there was rest %d times", n)
		}
		r.begin()
		r.end(rested)
		time.Sleep(10 * restAfter)
		synctest.Wait()
		if n != 2 {
			t.Errorf("after another request there was rest %d times", n)
		}
	})
}

// TestRetainedRequestsAreEvicted of the oldest first, and never of one that is at work.
func TestRetainedRequestsAreEvicted(t *testing.T) {
	var s retained
	put := func(name string) *ledger {
		l := newLedger(name)
		s.put(l, l.keep(&buffer{b: make([]byte, 8<<10)}))
		return l
	}
	old, busy, last := put("old"), put("busy"), put("last")
	s.evict(2 * cap(last.raw.b))
	if old.raw != nil || busy.raw == nil || last.raw == nil {
		t.Errorf("kept: %v, %v, %v; want the two newest", old.raw != nil, busy.raw != nil, last.raw != nil)
	}
	if !busy.tryLock() {
		t.Fatal("it is not at work")
	}
	s.evict(0)
	if busy.raw == nil {
		t.Error("it was taken from one that is at work")
	}
	busy.unlock()
	if s.evict(0); busy.raw != nil || last.raw != nil || s.total != 0 {
		t.Errorf("%d bytes are kept still", s.total)
	}
}
