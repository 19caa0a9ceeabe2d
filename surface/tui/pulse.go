package tui

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// pulse lets the program's drawing rest. Bubble Tea looks sixty times a second
// whether there is something to draw, for as long as it runs: on a laptop that
// is awake for nothing. So its ticker is stopped a while after the last message
// and started again with the next one.
type pulse struct {
	mu     sync.Mutex
	ticker *time.Ticker
	rest   *time.Timer // stops the ticker
	last   time.Time   // when something happened last
	still  bool        // the ticker is stopped
}

const (
	beats = 60          // a second, while something happens
	quiet = time.Second // so much longer than a beat that nothing is left undrawn
)

// newPulse needs the ticker of a program that runs. Without one nothing rests.
func newPulse(t *time.Ticker) *pulse {
	if t == nil {
		return nil
	}
	p := &pulse{ticker: t, last: time.Now()}
	p.rest = time.AfterFunc(quiet, p.stop)
	return p
}

// stop stops the ticker, unless something happened since its time came: the timer runs this
// beside whatever else goes on, and a ticker that is stopped after the beat that started it
// would leave the screen as it is for good.
func (p *pulse) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.last) >= quiet {
		p.ticker.Stop()
		p.still = true
	}
}

// beat says that something happened.
func (p *pulse) beat() { p.start(false) }

// wake starts the drawing whatever it did. The library stops its ticker while
// another program has the terminal, and now and then once more when it is back.
func (p *pulse) wake() { p.start(true) }

func (p *pulse) start(anyway bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
	p.rest.Reset(quiet)
	if p.still || anyway {
		p.still = false
		p.ticker.Reset(time.Second / beats)
	}
}

// tickerOf finds the ticker, which the library keeps to itself: nil where it is
// not where it was. A test sees to it that it is.
func tickerOf(p *tea.Program) *time.Ticker {
	if p == nil {
		return nil
	}
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(f.UnsafePointer())
}
