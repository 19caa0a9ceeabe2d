package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/helm"
	"github.com/trimtab/trimtab/store/memory"
)

// TestMemoryIsGivenBackAtRest, and only where there is something to give.
func TestMemoryIsGivenBackAtRest(t *testing.T) {
	engine, err := trimtab.New(trimtab.Config{})
	if err != nil {
		t.Fatal(err)
	}
	door := helm.New(engine, memory.New(), helm.Options{})
	burst := make([][]byte, 64)
	for i := range burst {
		burst[i] = make([]byte, 1<<20)
	}
	runtime.KeepAlive(burst)
	before := held()
	var m thrift
	m.giveBack(context.Background(), door)
	if after := held(); after > before-32<<20 {
		t.Errorf("%d MB were held, and %d MB after", before>>20, after>>20)
	}
	left := m.left
	m.giveBack(context.Background(), door)
	if m.left != left {
		t.Error("it was done again, for nothing")
	}
}

// TestGarbageIsBounded: the share that may gather falls as more is in use, but not
// to where nothing else is done, and it does not change for little.
func TestGarbageIsBounded(t *testing.T) {
	was := debug.SetGCPercent(100)
	defer debug.SetGCPercent(was)
	var m thrift
	for _, c := range []struct{ used, want int }{{12 << 20, 0}, {13 << 20, 0}, {24 << 20, 50}, {26 << 20, 50}, {1 << 30, 25}, {6 << 20, 200}, {0, 300}} {
		if m.tune(c.used); m.percent != c.want {
			t.Errorf("%d MB in use: %d %%, want %d", c.used>>20, m.percent, c.want)
		}
	}
}
