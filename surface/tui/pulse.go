package tui

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

// pulse lets the program's drawing rest. Bubble Tea looks sixty times a second
// whether there is something to draw, for as long as it runs: on a laptop that
// is awake for nothing. So its ticker is stopped a while after the last message
// and started again with the next one.
type pulse struct {
	ticker *time.Ticker
	rest   *time.Timer // stops the ticker
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
	return &pulse{t, time.AfterFunc(quiet, t.Stop)}
}

// beat says that something happened.
func (p *pulse) beat() {
	if p == nil {
		return
	}
	if !p.rest.Reset(quiet) { // it had stopped
		p.ticker.Reset(time.Second / beats)
	}
}

// wake starts the drawing whatever it did. The library stops its ticker while
// another program has the terminal, and now and then once more when it is back.
func (p *pulse) wake() {
	if p == nil {
		return
	}
	p.rest.Reset(quiet)
	p.ticker.Reset(time.Second / beats)
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
