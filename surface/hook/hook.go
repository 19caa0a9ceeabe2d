package hook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// Service is the way to the sessions. A session.Service is one.
type Service interface {
	Engine() *trimtab.Engine
	Session(ctx context.Context, id string) (trimtab.Session, error)
	Begin(ctx context.Context, info trimtab.Info) (trimtab.Session, error)
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
}

// Options are what a Hook is given. Service and Data must be there.
type Options struct {
	Service Service
	Data    string                                          // the folder for data; boxes are below it
	User    string                                          // whose sessions these are, on a store that others use; "" where nobody else does
	Project string                                          // the folder that the agent works in, where its input does not say
	Gateway bool                                            // a gateway sees the agent's requests
	Relay   Relay                                           // asks that gateway which notes the host is to add; nil is not at all
	Settle  func(ctx context.Context, session string) error // has that gateway store what it knows; nil is not at all
	Session string                                          // the gateway's id for the run; hosts that send none of their own are known by it
	Guard   func(trimtab.Session) bool
	Eager   bool                                                    // no call may be put aside: somebody outside the engine wants to hear of each
	Reflect func(context.Context, ReflectRequest) (Decision, error) // at a stop, and never for long; nil is not at all. The decision is empty where it is not made yet
	SendOn  bool                                                    // a stop that has triggered something sends the agent on
	Waiting func(ctx context.Context, project string) string        // what waits for the person there, in a line; nil is not asked
	Early   func(trimtab.Asked) error                               // takes a command of the person's for a run without a session; nil is not at all
	File    func(text string) bool                                  // a file that the host reads by itself holds a line of a prompt; nil is not asked
	Plan    Plan                                                    // nil where the host's hooks tell of its todo list
	Checker Checker                                                 // asks the working tree and runs checks at a stop; nil is neither
	Clock   func() time.Time                                        // nil is time.Now
	PID     int                                                     // 0 is this process
	Log     *slog.Logger                                            // nil is none
}

// Checker looks at the project that a session works on. Package agent/check has one.
type Checker interface {
	Look(ctx context.Context, dir string) []trimtab.Written
	Check(ctx context.Context, dir, command string) trimtab.Receipt
}

// Plan finds the newest write of the todo list in a host's own file, and false where
// there is none: some hosts call no hook for it. It must be quick.
type Plan func(transcript string) (trimtab.ToolCall, bool)

// Relay tells a gateway what the host is about to send. It returns the notes that the
// host is to add to it, and whether it is to be asked again before each request. To vouch
// is only to say what was typed: no notes are wanted.
type Relay func(ctx context.Context, session string, events []trimtab.Event, vouch bool) (notes []string, hosted bool, err error)

// Hook answers calls.
type Hook struct{ opt Options }

// New returns a Hook.
func New(opt Options) *Hook {
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.PID == 0 {
		opt.PID = os.Getpid()
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Guard == nil {
		opt.Guard = func(trimtab.Session) bool { return true }
	}
	return &Hook{opt}
}

// Answer is what a hook has to say, in our words. The zero Answer is nothing.
type Answer struct {
	Session  string   // whose it is, by its id on every surface
	Context  string   // for the model
	Request  *Request // for a plugin of ours that puts notes into a request itself; nil where the call is none of its
	Deny     string   // the tool may not run, and why
	Block    string   // the prompt goes no further, and what the person is told
	Notices  []string // for the person
	Decision Decision // at a stop
	SendOn   bool     // the agent is to go on, also where that is for what was triggered
}

// Answer tells the session what a call says, and returns what there is to say to
// it. After an error there is nothing to say; what the call told is kept, if it
// can be, and told with the next one.
func (h *Hook) Answer(ctx context.Context, c spool.Call) (Answer, error) {
	if c.Event.Kind == spool.None || c.Agent != "" {
		return Answer{}, nil
	}
	in, err := decode(c)
	if err != nil {
		return Answer{}, err
	}
	box := spool.At(h.opt.Data, c)
	t := &turn{Hook: h, call: c, in: in, box: box, id: h.id(ctx, c)}
	if ev, ok := ownCommand(in.Prompt); ok && c.Event.Kind == spool.Prompt && c.Host.Hooks.Blocks {
		a, err := t.command(ctx, ev)
		a.Session = t.id
		return a, err
	}
	t.state, _ = box.State() // none, or an unreadable one, starts afresh
	aside := box.Take(h.opt.PID)
	a, err := t.answer(ctx, aside.Calls)
	a.Session = t.id
	if err != nil {
		aside.Back()
		if keeps(c.Event.Kind) {
			err = errors.Join(err, box.Put(c, h.opt.Clock().UnixNano(), h.opt.PID))
		}
		return Answer{}, fmt.Errorf("hook %s %s, session %s: %w", c.Host.Name, c.Event.Name, t.id, err)
	}
	aside.Done()
	if c.Event.Kind == spool.End {
		return a, box.Remove()
	}
	return a, nil
}

// keeps reports whether a call of this kind tells something that should not be
// lost with a store that is away for a while.
func keeps(k spool.Kind) bool { return k == spool.Used || k == spool.Prompt }

// turn is one call under way.
type turn struct {
	*Hook
	call  spool.Call
	in    input
	box   spool.Box
	id    string
	state spool.State

	gateway bool // one sees the session
	asked   bool // it was asked for notes
	hosted  bool // and will be asked again
}

func (t *turn) answer(ctx context.Context, waited []spool.Call) (Answer, error) {
	t.settle(ctx)
	s, fresh, err := t.open(ctx)
	if err != nil {
		return Answer{}, err
	}
	t.gateway = t.opt.Gateway || t.in.behindGateway() || seenByGateway(s) && s.Seq > t.state.Since && !t.in.First
	var events []trimtab.Event
	if !t.gateway {
		events = t.told(waited)
	}
	events = append(events, t.look(ctx, s, t.events(s, fresh))...)
	var out trimtab.Outcome
	if len(events) > 0 {
		if s, out, err = t.opt.Service.Handle(ctx, t.id, events...); err != nil {
			return Answer{}, err
		}
		s, out = t.check(ctx, s, out)
	}
	a := t.said(ctx, s, out)
	a.Context = join(a.Context, t.relay(ctx))
	t.leave(s, waited)
	return a, nil
}

// open returns the session, or begins it.
func (t *turn) open(ctx context.Context) (s trimtab.Session, fresh bool, err error) {
	s, err = t.opt.Service.Session(ctx, t.id)
	if !errors.Is(err, trimtab.ErrNotFound) {
		return s, false, err
	}
	if (t.opt.Gateway || t.in.behindGateway()) && (t.call.Event.Kind.Relayed() || t.call.Event.Kind == spool.Request) {
		return trimtab.NewSession(t.id, t.opt.Clock()), true, nil // it begins with the first request
	}
	info := trimtab.Info{ID: t.id, Host: t.call.Host.Name, Project: t.project(), Model: t.in.Model}
	s, err = t.opt.Service.Begin(ctx, info)
	if errors.Is(err, trimtab.ErrExists) || errors.Is(err, trimtab.ErrConflict) { // another hook was faster
		s, err = t.opt.Service.Session(ctx, t.id)
		return s, false, err
	}
	return s, true, err
}

func (t *turn) project() string {
	dir := t.in.folder()
	if dir == "" {
		dir = t.opt.Project
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// seenByGateway reports whether the newest message of a session came through a
// gateway. That of a former run of the host does not count: this one may have no
// gateway. Sessions that earlier versions stored do not say who told a message;
// there the gateway's names tell it.
func seenByGateway(s trimtab.Session) bool {
	if s.Via != "" {
		return s.Via == trimtab.ViaGateway
	}
	id := s.Last.ID
	if len(id) < 2 || id[0] != 'h' && id[0] != 'r' {
		return false
	}
	return strings.Trim(id[1:], "0123456789abcdef.") == "" || id[0] == 'r' && strings.Contains(id, ".")
}

// said makes the answer of what came of the events.
func (t *turn) said(ctx context.Context, s trimtab.Session, out trimtab.Outcome) Answer {
	a := Answer{Context: seated(s, out)}
	for _, taken := range out.Actions {
		switch act := taken.Action.(type) {
		case trimtab.Deny:
			if t.call.Event.Kind == spool.Using && a.Deny == "" {
				a.Deny = act.Why
			}
		case trimtab.Notify:
			a.Notices = append(a.Notices, act.Text)
		}
	}
	switch t.call.Event.Kind {
	case spool.Start:
		a.Context = join(t.status(s), a.Context)
		return t.waiting(ctx, t.tell(a))
	case spool.Prompt:
		return t.tell(a)
	case spool.Stop:
		return t.stop(ctx, t.tell(a), s, out)
	case spool.Request:
		return t.tell(t.placed(s, a))
	case spool.None, spool.Using, spool.Used, spool.Compacting, spool.Compacted, spool.End:
	}
	return a
}

// waiting adds to the answer of a start what waits for the person, for their eyes alone. A
// start that only follows a compaction is none for them.
func (t *turn) waiting(ctx context.Context, a Answer) Answer {
	if t.opt.Waiting == nil || t.in.Source == "compact" {
		return a
	}
	if line := t.opt.Waiting(ctx, t.project()); line != "" {
		a.Notices = append(a.Notices, line)
	}
	return a
}

// seated is the text of the notes that took their seats now, in their order.
func seated(s trimtab.Session, out trimtab.Outcome) string {
	fresh := map[int]bool{}
	for _, c := range out.Changes {
		if c.Kind == trimtab.Injected {
			fresh[c.Note] = true
		}
	}
	var texts []string
	for _, n := range s.Notes {
		if fresh[n.ID] {
			texts = append(texts, n.Text)
		}
	}
	return join(texts...)
}

// status is what stands when a session is opened again, as a fact.
func (t *turn) status(s trimtab.Session) string {
	var words []string
	for _, st := range t.opt.Service.Engine().Status(s) {
		words = append(words, st.Text)
	}
	if len(words) == 0 || t.gateway || t.call.Host.Hooks.Deaf {
		return ""
	}
	return "State of this session, kept by trimtab: " + strings.Join(words, " · ") + "."
}

func join(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}

// leave writes down what decides whether the next calls may be put aside.
func (t *turn) leave(s trimtab.Session, waited []spool.Call) {
	next := t.state
	for _, c := range waited {
		next = next.Saw(c.Mark)
	}
	if t.call.Event.Kind == spool.Used {
		next = next.Saw(t.call.Mark)
	}
	if t.call.Event.Kind == spool.Start && t.in.Source != "compact" && t.in.Source != "clear" || t.in.First {
		next.Since = s.Seq
	}
	next.Guard = t.opt.Guard(s)
	next.Quiet = t.quiet(s)
	if err := t.box.Leave(next, t.opt.PID); err != nil {
		t.opt.Log.Warn("hook state not written; every call is answered the long way", "session", t.id, "error", err)
	}
	if t.call.Event.Kind == spool.Start {
		t.sweep()
	}
}
