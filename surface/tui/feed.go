package tui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab/agent"
)

// frame is the time between two looks at what a run brings: 30 in a second.
// A message for each token would cost more than the drawing.
const frame = time.Second / 30

// batch is what a run brought since the last look.
type batch struct {
	run    *run
	events []agent.Event
	end    bool // nothing more comes
	err    error
}

// feed gathers the events of a run until somebody looks.
type feed struct {
	mu     sync.Mutex
	events []agent.Event
	end    bool
	err    error
	wake   chan struct{} // holds one token while there is something to take
	last   time.Time     // of the last look
}

func newFeed() *feed { return &feed{wake: make(chan struct{}, 1)} }

// put adds an event. Pieces of text that follow each other become one.
func (f *feed) put(ev agent.Event) {
	f.mu.Lock()
	f.events = joined(f.events, ev)
	f.mu.Unlock()
	f.rouse()
}

func joined(events []agent.Event, ev agent.Event) []agent.Event {
	if n := len(events); n > 0 {
		switch ev := ev.(type) {
		case agent.Delta:
			if last, ok := events[n-1].(agent.Delta); ok {
				events[n-1] = agent.Delta{Text: last.Text + ev.Text}
				return events
			}
		case agent.Output:
			if last, ok := events[n-1].(agent.Output); ok && last.Call.ID == ev.Call.ID {
				last.Text += ev.Text
				events[n-1] = last
				return events
			}
		case agent.Thought:
			if last, ok := events[n-1].(agent.Thought); ok {
				events[n-1] = agent.Thought{Text: last.Text + ev.Text}
				return events
			}
		}
	}
	return append(events, ev)
}

// close says that nothing more comes.
func (f *feed) close(err error) {
	f.mu.Lock()
	f.end, f.err = true, err
	f.mu.Unlock()
	f.rouse()
}

func (f *feed) rouse() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// look waits until there is something, and at least a frame after the last look.
// The end of a run is told at once.
func (f *feed) look(ctx context.Context, r *run) tea.Msg {
	select {
	case <-f.wake:
	case <-ctx.Done():
		return nil
	}
	f.mu.Lock()
	wait := frame - time.Since(f.last)
	f.mu.Unlock()
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b := batch{run: r, events: f.events, end: f.end, err: f.err}
	f.events, f.last = nil, time.Now()
	return b
}
