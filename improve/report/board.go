package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// BoardOptions say where and how a Board draws. Out is needed.
type BoardOptions struct {
	Out     io.Writer
	Live    bool             // redraw in place: Out is a terminal
	Columns func() int       // of the terminal; 80 where it is nil
	Now     func() time.Time // time.Now where it is nil
}

// Board shows the steps of the work as they are done: redrawn in place on a
// terminal, a line each elsewhere. Its methods may be called from several
// goroutines.
type Board struct {
	opt   BoardOptions
	title map[string]string

	mutex sync.Mutex // guards what follows
	order []string
	items map[string]*itemProgress
	drawn int // lines of the last drawing

	done chan struct{} // closed by Close; nil after
	wait sync.WaitGroup
}

// itemProgress is how far an item is.
type itemProgress struct {
	state string
	steps []stepProgress // by number; 0 is what is said before the first
	at    int            // the step that is at work
}

type stepProgress struct {
	state, text string
	began, last time.Time
}

// NewBoard returns a board for items. Close it.
func NewBoard(opt BoardOptions, items []improve.Item) *Board {
	if opt.Columns == nil {
		opt.Columns = func() int { return 80 }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	b := &Board{opt: opt, items: map[string]*itemProgress{}, title: map[string]string{}, done: make(chan struct{})}
	for _, it := range items {
		b.title[it.ID] = it.Request.Title
	}
	if opt.Live {
		done := b.done
		b.wait.Go(func() { b.tick(done) })
	}
	return b
}

// tick draws the time that passes.
func (b *Board) tick(done <-chan struct{}) {
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

// Close stops drawing and leaves the board as it is. It may be called again.
func (b *Board) Close() {
	b.mutex.Lock()
	if b.done != nil {
		close(b.done)
		b.done = nil
	}
	b.mutex.Unlock()
	b.wait.Wait()
}

// Show takes in and draws what happened to an item.
func (b *Board) Show(e worker.Event) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	p, ok := b.items[e.Item]
	if !ok {
		p = &itemProgress{steps: make([]stepProgress, len(steps.Steps())+1)}
		b.items[e.Item], b.order = p, append(b.order, e.Item)
	}
	if at := steps.Place(steps.Steps(), e.Step); at >= 0 { // a project may have another order
		e.Number = at + 1
	}
	switch {
	case e.Number < 0 || e.Number >= len(p.steps):
		return
	case e.Number == 0 && e.State != "says":
		p.state = e.State
		if !b.opt.Live {
			b.printf("%s  %s%s\n", e.Item, e.State, colon(e.Text))
		}
	default:
		b.step(p, e)
	}
	if b.opt.Live {
		b.draw()
	}
}

// step takes in what happened to a step.
func (b *Board) step(p *itemProgress, e worker.Event) {
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
	if b.opt.Live || e.Number == 0 {
		return
	}
	id, name := ShortID(e.Item), stepName(e.Number) // several items may be worked on at once
	switch e.State {
	case "began": // told when it is done, or when there is something to wait for
	case "says":
		b.printf("%s %2d %-13s %s …\n", id, e.Number, name, truncate(e.Text, 200))
	case "done":
		b.printf("%s %2d %-13s done in %s%s\n", id, e.Number, name, duration(s.last.Sub(s.began)), colon(e.Text))
	default:
		b.printf("%s %2d %-13s %s%s\n", id, e.Number, name, e.State, colon(e.Text))
	}
}

// printf tells of one event where nothing is redrawn.
func (b *Board) printf(format string, args ...any) {
	_ = termsafe.Fprintf(b.opt.Out, format, args...) // there is nobody left to tell
}

func stepName(number int) string {
	for _, s := range steps.Steps() {
		if s.Number == number {
			return string(s.Name)
		}
	}
	return ""
}

// draw writes the board over the last one.
func (b *Board) draw() {
	var out strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&out, "\x1b[%dA\x1b[J", b.drawn)
	}
	b.drawn = 0
	width := max(b.opt.Columns(), 20)
	line := func(format string, args ...any) {
		fmt.Fprintf(&out, "%s\n", truncateLine(termsafe.Line(fmt.Sprintf(format, args...)), width-1))
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
				line("   ✓ %2d %-13s %8s  %s", step.Number, step.Name, duration(s.last.Sub(s.began)), s.text)
			case "failed":
				line("   ✗ %2d %-13s %8s  %s", step.Number, step.Name, duration(s.last.Sub(s.began)), s.text)
			default:
				line("   ▸ %2d %-13s %8s  %s", step.Number, step.Name, duration(b.opt.Now().Sub(s.began).Truncate(time.Second)), s.text)
			}
		}
	}
	_, _ = b.opt.Out.Write([]byte(out.String())) // a screen that is gone needs no board
}

// truncateLine cuts a line and leaves its spaces.
func truncateLine(s string, most int) string {
	r := []rune(strings.ReplaceAll(s, "\n", " "))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
