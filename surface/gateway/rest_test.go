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
