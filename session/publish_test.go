package session

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/memory"
)

func TestSubscribe_HearsWhatIsStoredInOrder(t *testing.T) {
	store := memory.New()
	h := New(engine(t), store, Options{Clock: still})
	begin(t, h, "ship")
	handle(t, h, "ship", said("too early"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, b := h.Subscribe(ctx), h.Subscribe(ctx)
	handle(t, h, "ship", said("one"), trimtab.Calling{})
	handle(t, h, "ship", said("two"))
	for _, heard := range []<-chan Published{a, b} {
		for i, want := range []string{"one", "", "two"} {
			p := <-heard
			text := ""
			if said, ok := p.Entry.Event.(trimtab.Said); ok {
				text = said.Message.Text()
			}
			if text != want || p.Session.ID != "ship" || p.Session.Title != "too early" || p.Missed != 0 {
				t.Errorf("entry %d: %+v", i, p)
			}
		}
		if len(heard) != 0 {
			t.Error("heard something more")
		}
	}
}

func TestSubscribe_ASlowReaderLosesTheOldestAndIsToldHowMany(t *testing.T) {
	h := New(engine(t), memory.New(), Options{Clock: still})
	begin(t, h, "ship")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard := h.Subscribe(ctx)
	const n = waiting + 44
	for i := range n {
		handle(t, h, "ship", said(fmt.Sprint(i)))
	}
	var last Published
	for i := range waiting {
		last = <-heard
		if want := fmt.Sprint(44 + i); last.Entry.Event.(trimtab.Said).Message.Text() != want {
			t.Fatalf("heard %+v, want %s", last.Entry.Event, want)
		}
	}
	if last.Missed != 44 || len(heard) != 0 {
		t.Errorf("missed %d, want 44; %d left", last.Missed, len(heard))
	}
}

// TestSubscribe_LeavesNothingBehind runs where a goroutine that stays is an error.
func TestSubscribe_LeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(engine(t), memory.New(), Options{})
		begin(t, h, "ship")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var readers, writers sync.WaitGroup
		for i := range 20 {
			heard := h.Subscribe(ctx)
			if i%2 == 0 {
				continue // never reads
			}
			readers.Go(func() {
				for range heard {
				}
			})
		}
		for w := range 4 {
			writers.Go(func() {
				for n := range 100 {
					if w == 0 && n == 50 {
						cancel() // in the middle of it all
					}
					if _, _, err := h.Handle(context.Background(), "ship", said("x")); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		readers.Wait() // all channels are closed
		synctest.Wait()
		if n := len(h.broker.readers); n != 0 {
			t.Errorf("%d readers left", n)
		}
		if _, open := <-h.Subscribe(ctx); open {
			t.Error("heard something after the end")
		}
	})
}
