package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// paired sends the same request to every target in turn, one at a time, the
// direct one first and the others in another order each round, so that what the
// machine does otherwise hits all of them alike.
type paired struct {
	targets []*target
	warm    []sample // of each target
	cold    []sample // first requests of a session
}

// sample is what one target took.
type sample struct {
	whole []time.Duration
	added []time.Duration // to the direct request of the same round
	cpu   time.Duration
	bad   int
}

func newPaired(targets []*target) *paired {
	return &paired{targets, make([]sample, len(targets)), make([]sample, len(targets))}
}

// warmUp sends requests without measuring them.
func (p *paired) warmUp(ctx context.Context, n int, next func(i int) request) error {
	for i := range n {
		r := next(i)
		for _, t := range p.targets {
			if _, err := t.ask(ctx, r); err != nil && i == 0 {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	return nil
}

// rounds sends what next returns to all, until the count or the time is up, and
// returns how many it sent. What the targets do afterwards counts as well. A
// body that is new each time is sent once before, unmeasured: else the direct
// request, which comes first, would pay alone for bytes that no cache holds yet.
func (p *paired) rounds(ctx context.Context, into []sample, n int, most time.Duration, fresh bool, next func(i int) request) (int, error) {
	end := time.Now().Add(most)
	before := p.spent()
	i := 0
	for ; i < n && time.Now().Before(end); i++ {
		r := next(i)
		if fresh {
			if _, err := p.targets[0].ask(ctx, r); err != nil {
				return i, err
			}
		}
		if err := p.round(ctx, i, r, into); err != nil {
			return i, err
		}
	}
	for k, now := range p.spent() {
		into[k].cpu += now - before[k]
	}
	return i, nil
}

// round sends one request to all.
func (p *paired) round(ctx context.Context, i int, r request, into []sample) error {
	var direct time.Duration
	for k := range p.targets {
		if k > 0 {
			k = 1 + (k-1+i)%(len(p.targets)-1)
		}
		s := &into[k]
		rep, err := p.targets[k].ask(ctx, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || rep.status != 200 {
			s.bad++
			if k == 0 {
				return nil // without it there is nothing to compare with
			}
			continue
		}
		s.whole = append(s.whole, rep.took)
		if k == 0 {
			direct = rep.took
		} else {
			s.added = append(s.added, rep.took-direct)
		}
	}
	return nil
}

// spent is the CPU time of each target when all of them rest.
func (p *paired) spent() []time.Duration {
	var pids []int
	for _, t := range p.targets {
		pids = append(pids, t.pids...)
	}
	settle(pids)
	all := make([]time.Duration, len(p.targets))
	for i, t := range p.targets {
		all[i] = spent(t.pids)
	}
	return all
}

// quantile returns a quantile of sorted values.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// part makes rows of the samples.
func (p *paired) part(name string, most goal) part {
	whole := row{Part: name, What: "request p50", Unit: "µs"}
	added := row{Part: name, What: "added p50", Unit: "µs", Goal: most}
	slow := row{Part: name, What: "added p99", Unit: "µs"}
	cpu := row{Part: name, What: "CPU a request", Unit: "µs", Goal: goal{Ratio: 1.7}}
	first := row{Part: name, What: "added p50, first of a session", Unit: "µs"}
	firstCPU := row{Part: name, What: "CPU, first of a session", Unit: "µs"}
	for i, t := range p.targets {
		warm, cold := p.warm[i], p.cold[i]
		for _, list := range [][]time.Duration{warm.whole, warm.added, cold.added} {
			slices.Sort(list)
		}
		whole.set(t.name, micro(quantile(warm.whole, 0.5)), len(warm.whole), warm.bad+cold.bad)
		if i == 0 {
			continue // the model's CPU is spent on the requests of all
		}
		if n := len(warm.whole); n > 0 && warm.cpu > 0 {
			cpu.set(t.name, micro(warm.cpu)/float64(n), n, 0)
		}
		if n := len(cold.whole); n > 0 && cold.cpu > 0 {
			firstCPU.set(t.name, micro(cold.cpu)/float64(n), n, 0)
		}
		added.set(t.name, micro(quantile(warm.added, 0.5)), len(warm.added), 0)
		slow.set(t.name, micro(quantile(warm.added, 0.99)), len(warm.added), 0)
		if len(cold.added) > 0 {
			first.set(t.name, micro(quantile(cold.added, 0.5)), len(cold.added), 0)
		}
	}
	rows := []row{whole, added, slow, cpu}
	if first.By != nil {
		rows = append(rows, first, firstCPU)
	}
	return part{noise: whole.By[p.targets[0].name], rows: rows}
}
