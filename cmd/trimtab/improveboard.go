package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// board shows the steps as they are done: redrawn in place on a terminal, a line
// each elsewhere.
type board struct {
	*app
	live  bool
	title map[string]string

	mutex sync.Mutex
	order []string
	items map[string]*itemProgress
	drawn int

	done chan struct{}
	wait sync.WaitGroup
}

// itemProgress is how far an item is.
type itemProgress struct {
	state string
	steps []stepProgress // by number; 0 is none
	at    int            // the step that is at work
}

type stepProgress struct {
	state, text string
	began, last time.Time
}

func newBoard(a *app, live bool, items []improve.Item) *board {
	b := &board{app: a, live: live, items: map[string]*itemProgress{}, title: map[string]string{}, done: make(chan struct{})}
	for _, it := range items {
		b.title[it.ID] = it.Request.Title
	}
	if live {
		done := b.done
		b.wait.Go(func() { b.tick(done) })
	}
	return b
}

// tick draws the time that passes.
func (b *board) tick(done <-chan struct{}) {
	each := time.NewTicker(time.Second)
	defer each.Stop()
	for {
		select {
		case <-done:
			return
		case <-each.C:
			b.mutex.Lock()
			b.draw()
			b.mutex.Unlock()
		}
	}
}

// end leaves the board as it is. It may be called again.
func (b *board) end() {
	b.mutex.Lock()
	if b.done != nil {
		close(b.done)
		b.done = nil
	}
	b.mutex.Unlock()
	b.wait.Wait()
}

func (b *board) show(e worker.Event) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	p, ok := b.items[e.Item]
	if !ok {
		p = &itemProgress{steps: make([]stepProgress, len(steps.Steps())+1)}
		b.items[e.Item], b.order = p, append(b.order, e.Item)
	}
	switch {
	case e.Number < 0 || e.Number >= len(p.steps):
		return
	case e.Number == 0 && e.State != "says":
		p.state = e.State
		if !b.live {
			b.progress("%s  %s%s\n", e.Item, e.State, colon(e.Text))
		}
	default:
		b.step(p, e)
	}
	if b.live {
		b.draw()
	}
}

// step takes in what happened to a step.
func (b *board) step(p *itemProgress, e worker.Event) {
	if e.Number == 0 { // said by the step that is at work
		e.Number = p.at
	}
	s := &p.steps[e.Number]
	if s.began.IsZero() || e.State == "began" {
		s.began = e.At
	}
	p.at, s.last = e.Number, e.At
	if e.State != "says" {
		s.state = e.State
	}
	if e.Text != "" || e.State == "done" {
		s.text = e.Text
	}
	if b.live || e.Number == 0 {
		return
	}
	name := stepName(e.Number)
	switch e.State {
	case "began": // told when it is done, or when there is something to wait for
	case "says":
		b.progress("%2d %-13s %s …\n", e.Number, name, oneLineOf(e.Text, 200))
	case "done":
		b.progress("%2d %-13s done in %s%s\n", e.Number, name, took(s.last.Sub(s.began)), colon(e.Text))
	default:
		b.progress("%2d %-13s %s%s\n", e.Number, name, e.State, colon(e.Text))
	}
}

func stepName(number int) improve.StepName {
	for _, s := range steps.Steps() {
		if s.Number == number {
			return s.Name
		}
	}
	return ""
}

// draw writes the board over the last one.
func (b *board) draw() {
	var out strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&out, "\x1b[%dA\x1b[J", b.drawn)
	}
	b.drawn = 0
	width := max(b.columns(), 20)
	line := func(format string, args ...any) {
		fmt.Fprintf(&out, "%s\n", cutLine(termsafe.Line(fmt.Sprintf(format, args...)), width-1))
		b.drawn++
	}
	for _, id := range b.order {
		p := b.items[id]
		line("%s  %s  %s", id, p.state, b.title[id])
		for _, step := range steps.Steps() {
			s := p.steps[step.Number]
			switch s.state {
			case "":
				line("   · %2d %s", step.Number, step.Name)
			case "done":
				line("   ✓ %2d %-13s %8s  %s", step.Number, step.Name, took(s.last.Sub(s.began)), s.text)
			case "failed":
				line("   ✗ %2d %-13s %8s  %s", step.Number, step.Name, took(s.last.Sub(s.began)), s.text)
			default:
				line("   ▸ %2d %-13s %8s  %s", step.Number, step.Name, took(b.clock().Sub(s.began).Truncate(time.Second)), s.text)
			}
		}
	}
	_, _ = b.err.Write([]byte(out.String())) // a screen that is gone needs no board
}

// cutLine cuts a line and leaves its spaces.
func cutLine(s string, most int) string {
	r := []rune(strings.ReplaceAll(s, "\n", " "))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
