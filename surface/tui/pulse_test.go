package tui

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// If this fails after an update of the library, an idle chat wakes sixty times a
// second again: find out where the ticker went.
func TestTheLibrarysTickerIsWhereItWas(t *testing.T) {
	began := make(chan *time.Ticker, 1)
	m := &probe{began: began}
	p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(newTape()), tea.WithoutSignals())
	m.program = p
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	if tk := <-began; tk == nil {
		t.Error("there is no ticker to stop")
	}
}

type probe struct {
	program *tea.Program
	began   chan *time.Ticker
}

func (p *probe) Init() tea.Cmd {
	p.began <- tickerOf(p.program)
	return tea.Quit
}
func (p *probe) Update(tea.Msg) (tea.Model, tea.Cmd) { return p, nil }
func (p *probe) View() tea.View                      { return tea.View{} }

func TestDrawingRestsWhileNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tk := time.NewTicker(time.Second / beats)
		p := newPulse(tk)
		beatsIn := func(d time.Duration) (n int) {
			for end := time.Now().Add(d); time.Now().Before(end); {
				select {
				case <-tk.C:
					n++
				case <-time.After(time.Until(end)):
				}
			}
			return n
		}
		if n := beatsIn(quiet / 2); n < beats/2-2 {
			t.Errorf("%d beats while something happens", n)
		}
		beatsIn(quiet)
		if n := beatsIn(time.Hour); n != 0 {
			t.Errorf("%d beats in an hour of rest", n)
		}
		p.beat()
		if n := beatsIn(quiet / 2); n < beats/2-2 {
			t.Errorf("%d beats after it woke", n)
		}
		beatsIn(time.Hour)
	})
}

// The library stops the ticker when it gives the terminal to an editor, and may do
// so once more, late. A chat that comes back is drawn all the same.
func TestTheChatIsDrawnWhenTheEditorIsDone(t *testing.T) {
	for _, back := range []edited{{text: "edited"}, {err: errors.New("no such editor")}} {
		synctest.Test(t, func(t *testing.T) {
			tk := time.NewTicker(time.Second / beats)
			c := &chat{opt: Options{Clock: time.Now}, pulse: newPulse(tk)}
			tk.Stop()
			c.pulse.beat()
			c.edited(back)
			select {
			case <-tk.C:
			case <-time.After(quiet / 2):
				t.Errorf("%+v: nothing is drawn", back)
			}
			time.Sleep(time.Hour) // it rests again
			select {
			case <-tk.C: // the last one before
			default:
			}
			time.Sleep(time.Hour)
			select {
			case <-tk.C:
				t.Error("an idle chat does not rest")
			default:
			}
		})
	}
}

// A message that comes at the very moment at which the drawing goes to rest is drawn: the
// chat looks at commands in the background once a second, so that moment comes.
func TestAMessageAtTheMomentOfRestIsDrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tk := time.NewTicker(time.Second / beats)
		defer tk.Stop()
		p := newPulse(tk)
		for i := range 2000 {
			time.Sleep(quiet)
			p.beat()
			synctest.Wait()
			select {
			case <-tk.C: // one from before
			default:
			}
			select {
			case <-tk.C:
			case <-time.After(quiet / 2):
				t.Fatalf("nothing is drawn after message %d", i)
			}
			p.beat() // the rest begins now
		}
	})
}
