package fakemodel

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// record is the log of requests.
type record struct {
	mu    sync.Mutex
	all   []Request
	n     int // so far, kept or not
	keep  int // at most this many; 0 is all
	woken chan struct{}
}

// add numbers a request and keeps it.
func (l *record) add(r *Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	r.N = l.n
	l.all = append(l.all, *r)
	if l.keep > 0 && len(l.all) > l.keep {
		l.all = slices.Delete(l.all, 0, len(l.all)-l.keep)
	}
	if l.woken != nil {
		close(l.woken)
		l.woken = nil
	}
}

// look returns the log and a channel that closes when it grows.
func (l *record) look() (all []Request, n int, grown <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.woken == nil {
		l.woken = make(chan struct{})
	}
	return slices.Clone(l.all), l.n, l.woken
}

// Requests returns all requests so far, in the order in which they were whole.
func (m *Model) Requests() []Request {
	all, _, _ := m.log.look()
	return all
}

// Main returns the requests that ask for a main turn and were not refused.
func (m *Model) Main() []Request {
	return slices.DeleteFunc(m.Requests(), func(r Request) bool {
		return r.Format == "" || r.Counting || r.Side != "" || r.Refused != nil || len(r.Items) == 0
	})
}

// Refused returns the requests that were refused.
func (m *Model) Refused() []Request {
	return slices.DeleteFunc(m.Requests(), func(r Request) bool { return r.Refused == nil })
}

// Wait returns when n requests have arrived, with all that did.
func (m *Model) Wait(ctx context.Context, n int) ([]Request, error) {
	for {
		all, seen, grown := m.log.look()
		if seen >= n {
			return all, nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return all, fmt.Errorf("wait for %d requests: %d came: %w", n, seen, ctx.Err())
		}
	}
}

// Until returns when the requests so far are what the caller waits for.
func (m *Model) Until(ctx context.Context, ready func([]Request) bool) ([]Request, error) {
	for {
		all, seen, grown := m.log.look()
		if ready(all) {
			return all, nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return all, fmt.Errorf("wait for requests: %d came: %w", seen, ctx.Err())
		}
	}
}
