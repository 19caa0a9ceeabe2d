package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// delays measures how long each event of a stream is under way, by the time that
// the model writes into it.
func (r *run) delays(ctx context.Context) (part, error) {
	body, session := newTalk(1, 10_000, 120, true).body(), r.session()
	all := make([][]time.Duration, len(r.targets))
	bad := make([]int, len(r.targets))
	for i := range r.sse.streams + 2 {
		for k := range r.targets {
			if k > 0 {
				k = 1 + (k-1+i)%(len(r.targets)-1)
			}
			var seen []time.Duration
			rep, err := r.targets[k].ask(ctx, request{
				session: session, body: body, each: marks(&seen),
				headers: fmt.Sprintf("%s: %d\r\n%s: %d\r\n", eventsHeader, r.sse.events, gapHeader, r.sse.gap.Microseconds()),
			})
			switch {
			case ctx.Err() != nil:
				return part{}, ctx.Err()
			case err != nil || rep.status != 200 || len(seen) == 0:
				bad[k]++
			case i >= 2: // the first ones warm up
				all[k] = append(all[k], seen...)
			}
		}
	}
	middle := row{Part: "SSE", What: "delay of an event p50", Unit: "µs", Goal: goal{Ratio: 1.1}}
	slow := row{Part: "SSE", What: "delay of an event p99", Unit: "µs"}
	for k, t := range r.targets {
		slices.Sort(all[k])
		middle.set(t.name, micro(quantile(all[k], 0.5)), len(all[k]), bad[k])
		slow.set(t.name, micro(quantile(all[k], 0.99)), len(all[k]), 0)
	}
	return part{noise: middle.By[r.targets[0].name], rows: []row{middle, slow}}, nil
}

// marks gathers the ages of the events in what is received. An event that
// arrives in two pieces is left out.
func marks(into *[]time.Duration) func([]byte) {
	return func(b []byte) {
		now := time.Now().UnixNano()
		for {
			_, rest, ok := bytes.Cut(b, []byte("t="))
			if !ok {
				return
			}
			digits, after, ok := bytes.Cut(rest, []byte(";"))
			if !ok {
				return
			}
			if made, err := strconv.ParseInt(string(digits), 10, 64); err == nil && len(digits) == 19 {
				*into = append(*into, time.Duration(now-made))
			}
			b = after
		}
	}
}

// cuts sends many requests whose replies come at once, and counts those that do
// not arrive whole. A proxy that passes a body on while it still reads it may
// lose the reply that overtakes it.
func (r *run) cuts(ctx context.Context) (part, error) {
	const at, events = 16, 20
	body := newTalk(2, 200_000, 1200, true).body()
	out := row{Part: "fast replies", What: fmt.Sprintf("cut or wrong of %d", r.cut), Goal: goal{Most: 0, Set: true}}
	for _, t := range r.targets[1:] {
		var bad, next atomic.Int64
		var wg sync.WaitGroup
		for range at {
			session := r.session()
			wg.Go(func() {
				c := t.another()
				defer c.hangUp()
				for n := int(next.Add(1)); n <= r.cut && ctx.Err() == nil; n = int(next.Add(1)) {
					if !whole(ctx, c, request{session: session, body: body}, n, events) {
						bad.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if ctx.Err() != nil {
			return part{}, ctx.Err()
		}
		out.set(t.name, float64(bad.Load()), r.cut, 0)
	}
	return part{rows: []row{out}}, nil
}

// whole asks for the stream of a seed and reports whether it came whole.
func whole(ctx context.Context, t *target, r request, seed, events int) bool {
	r.headers += fmt.Sprintf("%s: %d\r\n%s: %d\r\n", eventsHeader, events, seedHeader, seed)
	rep, err := t.ask(ctx, r)
	length, sum := expected(seed, events)
	return err == nil && rep.status == 200 && rep.length == length && rep.sum == sum
}

// crowd opens many streams at once: the model sends no event before all are
// open. Every stream says something else.
func (r *run) crowd(ctx context.Context) (part, error) {
	const events, gap = 40, 5 * time.Millisecond
	out := row{Part: "streams at once", What: fmt.Sprintf("cut or corrupt of %d", r.streams), Goal: goal{Most: 0, Set: true}}
	took := row{Part: "streams at once", What: "all of them took", Unit: "ms"}
	for _, t := range r.targets {
		bodies := make([]request, r.streams)
		for i := range bodies {
			bodies[i] = request{
				session: r.session(), body: newTalk(uint64(i), 10_000, 120, true).body(),
				headers: fmt.Sprintf("%s: %d\r\n%s: %s/%d\r\n", gapHeader, gap.Microseconds(), gateHeader, t.name, r.streams),
			}
		}
		var bad atomic.Int64
		var wg sync.WaitGroup
		began := time.Now()
		for i, req := range bodies {
			wg.Go(func() {
				c := t.another()
				defer c.hangUp()
				if !whole(ctx, c, req, i+1, events) {
					bad.Add(1)
				}
			})
		}
		wg.Wait()
		if ctx.Err() != nil {
			return part{}, ctx.Err()
		}
		out.set(t.name, float64(bad.Load()), r.streams, 0)
		took.set(t.name, float64(time.Since(began).Milliseconds()), r.streams, 0)
	}
	return part{rows: []row{out, took}}, nil
}
