package inside

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/session"
)

// Place is where a command is given: inside of a run, or in a terminal beside it. The
// zero Place is one where nothing runs.
type Place struct {
	Run    *Run // nil where there is none, or it cannot be seen from here
	Inside bool
}

// Locate finds the place of a process by the variable of its environment and by its
// folder.
func Locate(data, variable, project string) Place {
	if variable == "" {
		return Place{Run: Newest(data, project)}
	}
	r, err := Find(data, variable)
	if err != nil {
		r = nil
	}
	return Place{Run: r, Inside: true}
}

// HostSession is the session that a host names to a program that it calls for its status
// line; "" where it names none.
func HostSession(host string, r io.Reader) string {
	var in struct {
		Session string `json:"session_id"`
	}
	if err := json.NewDecoder(io.LimitReader(r, 1<<20)).Decode(&in); err != nil || in.Session == "" {
		return ""
	}
	return host + ":" + in.Session
}

// ErrEarly is a run that has sent no request yet, and so has no session.
var ErrEarly = errors.New("has sent no request yet")

// Session is the session of the place: that of the run inside of it, else the newest of
// the folder that fits. Named is what the environment names. A run that began since the
// newest was used, and has no session yet, is an ErrEarly.
func (p Place) Session(ctx context.Context, in session.Lister, project, named string, fits func(trimtab.Info) bool) (string, error) {
	id := p.Run.Session()
	if p.Inside && (id != "" || named != "" && p.Run == nil) {
		return cmp.Or(id, named), nil
	}
	newest, err := session.Newest(ctx, in, trimtab.Query{Project: project}, fits)
	switch {
	case p.Run != nil && id == "" && (p.Inside || p.Run.Started.After(newest.Updated)):
		return "", fmt.Errorf("%s, which runs here since %s, %w%s", p.Run.Host, p.Run.Started.Local().Format("15:04"), ErrEarly, p.waiting())
	case errors.Is(err, trimtab.ErrNotFound):
		return "", fmt.Errorf("session of %s: %w; start one with trimtab, or name one with --session", project, err)
	}
	return newest.ID, err
}

// Words end the status line of a run: the commands that wait for its next request, and how
// its person gives one.
func (p Place) Words() (all []string) {
	if p.Run == nil {
		return nil
	}
	for _, o := range p.Run.Waiting() {
		all = append(all, strings.Join(append([]string{"next:", o.Command}, o.Args...), " "))
	}
	switch h, _ := host.Find(p.Run.Host); {
	case h.Launch.Slash:
		return append(all, "/trimtab:mode")
	case h.Requests.Escape.Known(), h.Requests.Escape.Prompt:
		return append(all, "!trimtab mode")
	}
	return all
}

// waiting says what the run begins with.
func (p Place) waiting() string {
	var all []string
	for _, o := range p.Run.Waiting() {
		all = append(all, strings.Join(append([]string{o.Command}, o.Args...), " "))
	}
	if len(all) == 0 {
		return ""
	}
	return "; it begins with " + strings.Join(all, ", ")
}

// Service is where a command is carried out. A session.Service is one.
type Service interface {
	Engine() *trimtab.Engine
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
}

// Ask gives a command to the session of the place; one without an id is that of a run
// that has none yet. The reply says what became of it.
func (p Place) Ask(ctx context.Context, service Service, s trimtab.Session, command string, args []string, now time.Time) (trimtab.Reply, error) {
	ev := trimtab.Asked{Command: command, Args: args, Away: true}
	switch {
	case p.Inside:
		a, err := p.Run.ask(service.Engine(), s, ev, now)
		if err != nil || a.Now.Command == "" || s.ID == "" {
			return a.Reply, err
		}
		ev = a.Now
	case s.ID == "":
		reply, err := try(service.Engine(), s, ev, now)
		if err == nil && !reply.Failed {
			_, err = p.Run.Offer(Offer{Command: command, Args: args, Sure: true, At: now})
			reply.Text += "\n" + p.Run.Host + " begins with it."
		}
		return reply, err
	}
	_, out, err := service.Handle(ctx, s.ID, ev)
	if err != nil {
		return trimtab.Reply{}, err
	}
	return out.Reply()
}
