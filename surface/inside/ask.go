package inside

import (
	"fmt"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
)

// answer is what becomes of a command.
type answer struct {
	trimtab.Reply
	Now trimtab.Asked // to be carried out at once, where it names a command
}

// ask decides on a command that was given inside a run, of which nobody knows yet who
// gave it. The session is that of the run, or an empty one before its first request.
func (r *Run) ask(engine *trimtab.Engine, s trimtab.Session, ev trimtab.Asked, now time.Time) (a answer, err error) {
	ev.By = trimtab.Model
	if a.Reply, err = try(engine, s, ev, now); err != nil {
		return a, err
	}
	if !a.Failed {
		a.Now = ev
		return a, nil
	}
	ev.By = ""
	if a.Reply, err = try(engine, s, ev, now); err != nil || a.Failed {
		return a, err
	}
	words := "in another terminal, in this folder: " + strings.Join(append([]string{"trimtab", ev.Command}, ev.Args...), " ")
	if !r.tells() {
		a.Reply = trimtab.Reply{Failed: true, Text: "this is for you alone to change, and in here nothing tells your commands from the agent's; " + words}
		return a, nil
	}
	token, err := r.Offer(Offer{Command: ev.Command, Args: ev.Args, At: now})
	if err != nil {
		return a, fmt.Errorf("the command could not be put aside: %w; %s", err, words)
	}
	a.Text += "\nIt counts with the agent's next request, if you typed it; from a tool of the agent it changes nothing. " + Printed(token)
	return a, nil
}

// tells reports whether the run's requests tell who gave a command.
func (r *Run) tells() bool {
	if r == nil {
		return false
	}
	h, _ := host.Find(r.Host) // the zero host tells nothing
	return h.Requests.Escape.Known()
}

// try asks on a copy.
func try(engine *trimtab.Engine, s trimtab.Session, ev trimtab.Asked, now time.Time) (trimtab.Reply, error) {
	_, out := engine.Step(s, ev, now)
	return out.Reply()
}
