package forgetest

import (
	"context"
	"sync"
	"time"
)

// Clock is a clock for tests: time passes where somebody waits, and only there.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	due    []event
	waited []time.Duration
}

type event struct {
	at time.Time
	do func()
}

// NewClock returns a clock that stands at some time.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 11, 15, 10, 15, 0, 0, time.UTC)} }

// Now is what it shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Wait lets time pass. What is due by then happens before it returns.
func (c *Clock) Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	c.now = c.now.Add(d)
	c.waited = append(c.waited, d)
	var ripe, rest []event
	for _, e := range c.due {
		if e.at.After(c.now) {
			rest = append(rest, e)
		} else {
			ripe = append(ripe, e)
		}
	}
	c.due = rest
	c.mu.Unlock()
	for _, e := range ripe {
		e.do()
	}
	return nil
}

// After has something happen when so much time has passed.
func (c *Clock) After(d time.Duration, do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = append(c.due, event{c.now.Add(d), do})
}

// Waited returns how long was waited, each time.
func (c *Clock) Waited() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.waited...)
}

// Log is a forge.Log in memory.
type Log struct {
	mu    sync.Mutex
	begun map[string]time.Time
}

// Begin remembers.
func (l *Log) Begin(_ context.Context, key string, at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun == nil {
		l.begun = map[string]time.Time{}
	}
	l.begun[key] = at
	return nil
}

// Last recalls.
func (l *Log) Last(_ context.Context, key string) (time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun[key], nil
}
