package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// run is a run under way.
type run struct {
	options
	*fleet
	progress io.Writer
	kept     map[string]part // the quietest of each part
	held     []row           // memory after every measurement, kept or not
	sessions int
}

// part is one measurement and how noisy the machine was: what a direct request
// took, which no proxy has a hand in.
type part struct {
	noise float64
	rows  []row
}

// measure starts everything, measures, and stops everything.
func measure(ctx context.Context, o options, progress io.Writer) (rep report, err error) {
	dir, err := os.MkdirTemp("", "trimtab-bench-")
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.trimtab == "" {
		fmt.Fprintln(progress, "building ./cmd/trimtab")
		if o.trimtab, err = build(ctx, dir); err != nil {
			return rep, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, o.most)
	defer cancel()
	f, err := start(ctx, o, dir)
	defer func() { err = errors.Join(err, f.stop()) }()
	if err != nil {
		return rep, err
	}
	r := &run{options: o, fleet: f, progress: progress, kept: map[string]part{}}
	for _, text := range f.left {
		r.say("%s", text)
	}
	for time := range o.times {
		r.say("measurement %d of %d", time+1, o.times)
		if err := r.timed(ctx); err != nil {
			return rep, err
		}
	}
	if o.has("cut") {
		if err := r.keep("cut", r.cuts)(ctx); err != nil {
			return rep, err
		}
	}
	if o.has("streams") {
		if err := r.keep("streams", r.crowd)(ctx); err != nil {
			return rep, err
		}
	}
	return r.report(), nil
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.progress, format+"\n", args...) }

// timed measures what depends on how busy the machine is.
func (r *run) timed(ctx context.Context) error {
	for _, z := range r.sizes {
		if r.has("growing") {
			if err := r.keep("growing "+z.name, func(ctx context.Context) (part, error) { return r.growing(ctx, z) })(ctx); err != nil {
				return err
			}
		}
		if r.has("same") {
			if err := r.keep("same "+z.name, func(ctx context.Context) (part, error) { return r.same(ctx, z) })(ctx); err != nil {
				return err
			}
		}
	}
	if r.has("sse") {
		return r.keep("sse", r.delays)(ctx)
	}
	return nil
}

// keep measures a part and keeps it if it is the first or the quietest so far.
func (r *run) keep(name string, f func(context.Context) (part, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		began := time.Now()
		before := r.counts(ctx)
		p, err := f(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		memory := r.memory(name)
		r.held = append(r.held, memory)
		p.rows = append(p.rows, memory, r.steered(name, before, r.counts(ctx)))
		if old, ok := r.kept[name]; !ok || p.noise < old.noise {
			r.kept[name] = p
		}
		r.say("  %-15s %5.1f s, direct p50 %.0f µs", name, time.Since(began).Seconds(), p.noise)
		return nil
	}
}

// session names a session that nobody has seen.
func (r *run) session() string {
	r.sessions++
	return fmt.Sprintf("bench-%d", r.sessions)
}

// same sends one body again and again: a session that is known, and a request
// that is not new.
func (r *run) same(ctx context.Context, z size) (part, error) {
	same := request{session: r.session(), body: newTalk(uint64(z.bytes), z.bytes, z.growth, false).body()}
	always := func(int) request { return same }
	p := newPaired(r.targets)
	if err := p.warmUp(ctx, z.steps, always); err != nil {
		return part{}, err
	}
	_, err := p.rounds(ctx, p.warm, z.rounds, z.most, false, always)
	return p.part("the same body, "+z.name, addedGoal(z)), err
}

// growing sends sessions as agents do: each request is the last one and what was
// said since. First come the first requests of all sessions, which are another
// matter: everything in them is new.
func (r *run) growing(ctx context.Context, z size) (part, error) {
	begun := r.sessions
	first := func(i int) *talk {
		return newTalk(uint64(z.bytes+begun+i), z.bytes-z.steps/2*(z.growth+300), z.growth, false)
	}
	name := func(i int) string { return fmt.Sprintf("bench-%d", begun+i) }
	r.sessions += z.rounds/z.steps + 2
	var t *talk
	grown := func(from int) func(i int) request {
		return func(i int) request {
			session := from + i/(z.steps-1)
			if i%(z.steps-1) == 0 {
				t = first(session)
			}
			t.grow()
			return request{session: name(session), body: t.body()}
		}
	}
	p := newPaired(r.targets)
	if err := p.warmUp(ctx, z.steps-1, grown(0)); err != nil {
		return part{}, err
	}
	n, err := p.rounds(ctx, p.cold, max(1, z.rounds/z.steps), z.most, true, func(i int) request {
		return request{session: name(1 + i), body: first(1 + i).body()}
	})
	if err != nil {
		return part{}, err
	}
	_, err = p.rounds(ctx, p.warm, n*(z.steps-1), z.most, true, grown(1))
	return p.part("a growing session, "+z.name, goal{Ratio: 1.5}), err
}

// counts reads the gateway's own counters.
func (r *run) counts(ctx context.Context) map[string]float64 {
	all := map[string]float64{}
	for _, t := range r.targets {
		if t.name != "trimtab" {
			continue
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+t.host+"/metrics", nil)
		if err != nil {
			return all
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return all
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		if err != nil {
			return all
		}
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
				if v, err := strconv.ParseFloat(value, 64); err == nil {
					all[name] = v
				}
			}
		}
	}
	return all
}

// steered shows that what was measured was steered.
func (r *run) steered(part string, before, after map[string]float64) row {
	d := func(name string) float64 { return after[name] - before[name] }
	share := 0.0
	if n := d("trimtab_requests_total"); n > 0 {
		share = 100 * d("trimtab_edited_total") / n
	}
	return row{Part: part, What: "requests that left with notes", Unit: "%", By: map[string]float64{"trimtab": share}, Counts: map[string]float64{
		"requests": d("trimtab_requests_total"), "notes": d("trimtab_notes_total"), "faults": d("trimtab_faults_total"),
	}}
}

// memory is what the targets hold when they have rested, and beside it what they
// held right after the last request, and at most so far.
func (r *run) memory(part string) row {
	out := row{Part: part, What: "resident at rest", Unit: "MB", By: map[string]float64{}, Counts: map[string]float64{}, After: map[string]float64{}}
	for _, t := range r.targets {
		if now, _ := resident(t.pids); now > 0 {
			out.After[t.name] = float64(now) / 1e6
		}
	}
	r.lull()
	for _, t := range r.targets {
		if now, peak := resident(t.pids); now > 0 {
			out.By[t.name], out.Counts[t.name] = float64(now)/1e6, float64(peak)/1e6
		}
	}
	return out
}

// lull waits until no target has given memory back for two seconds, but not longer
// than ten.
func (r *run) lull() {
	least, quiet := 1<<62, 0
	for i := 0; i < 40 && quiet < 8 && !r.hasty; i++ {
		sum := 0
		for _, t := range r.targets {
			now, _ := resident(t.pids)
			sum += now
		}
		if quiet++; sum < least-1<<20 {
			least, quiet = sum, 0
		}
		time.Sleep(250 * time.Millisecond)
	}
}
