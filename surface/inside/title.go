package inside

import (
	"io"
	"strings"
	"time"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// Config sets what a run shows.
type Config struct {
	Title *bool `json:"title" default:"true" doc:"show the mode in the title of the terminal while an agent runs that has no status line of ours"`
}

// Shown reports whether the terminal's title is ours to set while an agent runs.
func (c Config) Shown(name string) bool {
	h, ok := host.Find(name)
	return ok && !h.Launch.Shows && (c.Title == nil || *c.Title)
}

// Title keeps the title of the terminal that an agent draws on. Each title is one write,
// which the system never mixes with another one of the same terminal; the agent may set
// a title too, and the last writer wins.
type Title struct {
	Out   io.Writer
	Line  func() string // what to show now; "" is as before
	Every time.Duration // how often it is looked at
	Again time.Duration // how often it is written though it has not changed
}

// The sequences that save the title on the terminal's own stack, restore it and set it.
const (
	saveTitle    = "\x1b[22;2t"
	restoreTitle = "\x1b[23;2t"
	setTitle     = "\x1b]2;"
	endTitle     = "\x07"
)

// Start begins; the function that it returns ends it and waits for that. What cannot be
// written is not: nobody depends on it.
func (t Title) Start() (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t.keep(end)
	}()
	return func() {
		close(end)
		<-ended
	}
}

func (t Title) keep(end <-chan struct{}) {
	tick := time.NewTicker(t.Every)
	defer tick.Stop()
	shown, since := "", time.Duration(0)
	for {
		select {
		case <-end:
			if shown != "" {
				_, _ = io.WriteString(t.Out, restoreTitle)
			}
			return
		case <-tick.C:
		}
		since += t.Every
		line := strings.Join(strings.Fields(termsafe.Text(t.Line())), " ")
		if line == "" || line == shown && since < t.Again {
			continue
		}
		text := setTitle + line + endTitle
		if shown == "" {
			text = saveTitle + text
		}
		_, _ = io.WriteString(t.Out, text)
		shown, since = line, 0
	}
}
