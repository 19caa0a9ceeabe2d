package peer

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// watch runs Watch until the test ends, and leaves.
func watch(t *testing.T, g *Group, store func(context.Context) error) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Watch(ctx, store)
	}()
	var left atomic.Bool
	leave = func() {
		if left.CompareAndSwap(false, true) {
			cancel()
			<-done
			g.Leave()
		}
	}
	t.Cleanup(leave)
	return leave
}

func none(context.Context) error { return nil }

func join(t *testing.T, path string) *Group {
	t.Helper()
	g, err := Join(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so after a long time: %s", what)
		}
	}
}

// TestX1_OneIsAloneUntilAnotherComes, and the other begins only when all is stored that
// the first had kept back; when it is gone, the first is alone again.
func TestX1_OneIsAloneUntilAnotherComes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trimtab.db")
	var stored atomic.Bool
	a := join(t, path)
	if a.Shared() {
		t.Error("the first one is not alone")
	}
	watch(t, a, func(context.Context) error {
		if !a.Shared() {
			t.Error("still alone while it stores what it kept back")
		}
		stored.Store(true)
		return nil
	})
	b := join(t, path)
	if !stored.Load() || !a.Shared() || !b.Shared() {
		t.Errorf("stored %v, the first shares %v, the second %v", stored.Load(), a.Shared(), b.Shared())
	}
	leave := watch(t, b, none)
	c := join(t, path)
	if !c.Shared() {
		t.Error("a third one believes that it is alone")
	}
	leave()
	c.Leave()
	until(t, "the first one is alone again", func() bool { return !a.Shared() })
	d := join(t, path)
	t.Cleanup(d.Leave)
	if !a.Shared() || !d.Shared() {
		t.Error("two who do not share")
	}
}

// TestX1_WhoComesIsSeenByTheNextRequest, which does not wait for Watch to look.
func TestX1_WhoComesIsSeenByTheNextRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trimtab.db")
	a := join(t, path)
	t.Cleanup(a.Leave)
	b := &Group{path: path, place: 2}
	if err := b.ring(); err != nil {
		t.Fatal(err)
	}
	if !a.Shared() {
		t.Error("the next request does not know that somebody came")
	}
}

// TestX1_OneThatHangsIsNotWaitedForForEver, as one that was stopped by a signal.
func TestX1_OneThatHangsIsNotWaitedForForEver(t *testing.T) {
	t.Parallel() // it waits for seconds
	path := filepath.Join(t.TempDir(), "trimtab.db")
	a := join(t, path) // nobody watches
	t.Cleanup(a.Leave)
	b := join(t, path)
	t.Cleanup(b.Leave)
	if !b.Shared() {
		t.Error("it believes that it is alone")
	}
}
