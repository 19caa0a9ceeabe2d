package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab/improve"
)

// New makes a request of what sessions show: of the case that which names, as in
// Findings.Choose. It waits for approval unless it is approved at once.
func (p *Pipeline) New(ctx context.Context, q Query, which string, approve bool) (it improve.Item, err error) {
	f, err := p.Look(ctx, q)
	if err != nil {
		return improve.Item{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c, err := f.Choose(which)
	if err != nil {
		return improve.Item{}, err
	}
	c.Kind = q.Kind
	return p.File(ctx, f, c, approve)
}

// Offer makes a request of the pattern that a person picked, which then waits for approval.
func (p *Pipeline) Offer(ctx context.Context, project, fingerprint string) (improve.Item, error) {
	return p.New(ctx, Query{Project: project}, fingerprint, false)
}

// binding are the gates that also hold what a person asks for. The others are for
// requests that come by themselves.
var binding = []string{improve.GateSwitch, improve.GateQueue, improve.GateForge}

// File puts a case that a person asks for into the queue.
func (p *Pipeline) File(ctx context.Context, f *Findings, c improve.Case, approve bool) (improve.Item, error) {
	c = p.follow(ctx, f, c)
	v := p.Decide(ctx, f, c)
	for _, g := range v.Gates {
		switch {
		case g.Open || g.Name == improve.GateEnabled:
		case g.Name == improve.GateForge && f.filed == nil: // looked for again before anything is filed
		case slices.Contains(binding, g.Name):
			return improve.Item{}, errors.New(g.String())
		default:
			p.notify("automation alone would not file this: %s", g.Why)
		}
	}
	c, err := p.withKind(c, f.Config, f.foundTurns(ctx, c))
	if err != nil {
		return improve.Item{}, err
	}
	v.State = improve.Awaiting
	if approve {
		v.State = improve.Queued
	}
	it := improve.NewItem("", c, f.Config, v, p.opt.Now().UTC())
	it.ByHand, it.Remote = true, f.remote
	if approve {
		it.Approved = &improve.Approval{By: p.opt.User(), At: it.Created}
	}
	id, err := p.add(ctx, f.queue, it, f.Config.Form)
	if err != nil {
		return improve.Item{}, err
	}
	if it, err = f.queue.Item(ctx, id); err == nil {
		p.opt.Filed(it)
	}
	return it, err
}

// Outcome is what came of reflecting on a session that stopped: the request that
// was filed, or why none was.
type Outcome struct {
	ID    string        // "" where nothing was filed
	State improve.State // of the request
	Why   string        // nothing was filed
}

// Stopped reflects on a session that stopped, and asks for an improvement where
// every gate is open.
func (p *Pipeline) Stopped(ctx context.Context, s improve.StoppedSession) (out Outcome, err error) {
	defer func() {
		if v := recover(); v != nil { // what a file holds is not ours to choose
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	result, ok, err := p.opt.Sessions.ReflectOne(ctx, s)
	if err != nil {
		return Outcome{}, err
	}
	if !ok || s.Project == "" {
		return Outcome{Why: "there is nothing to look back at, or no repository to improve"}, nil
	}
	if _, ok := result.Primary(); !ok {
		return Outcome{Why: "nothing went wrong that we know of"}, nil
	}
	f := &Findings{Project: s.Project}
	f.Repo, f.remote = p.opt.Origin(s.Project)
	if f.Config, err = p.opt.Config(s.Project); err != nil {
		return Outcome{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// The forge is asked again before anything is made there; here only where no
	// person looks at the request in between.
	if err := p.loadContext(ctx, f, f.Config.Approval != "never"); err != nil {
		return Outcome{}, err
	}
	c, ok := improve.CaseOf(f.dismissed.Without(result), s.Project)
	if !ok {
		return Outcome{Why: "all that went wrong was found not useful by people"}, nil
	}
	c.Repo = f.Repo
	v := p.Decide(ctx, f, c)
	if !v.Fire {
		return Outcome{Why: v.No()}, nil
	}
	c, err = p.withKind(c, f.Config, func(t Turns) ([]improve.Turn, error) { return t.StoppedTurns(ctx, s, c.Pattern) })
	if err != nil {
		return Outcome{}, err
	}
	id, state, err := p.fileAutomatically(ctx, f, c, v)
	if errors.Is(err, improve.ErrFiled) {
		return Outcome{Why: "filed by another meanwhile"}, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{ID: id, State: state}, nil
}

// fileAutomatically puts a request into the queue that nobody asked for. Sessions
// may stop at the same moment, and each be under the caps while none is filed: so
// what would begin by itself is filed to wait, and begins only where every gate is
// still open once the others can be seen. Of two that see each other both wait.
func (p *Pipeline) fileAutomatically(ctx context.Context, f *Findings, c improve.Case, v improve.Verdict) (string, improve.State, error) {
	it := improve.NewItem("", c, f.Config, v, p.opt.Now().UTC())
	it.State, it.Remote = improve.Awaiting, f.remote
	id, err := p.add(ctx, f.queue, it, f.Config.Form)
	if err != nil {
		return id, "", err
	}
	it.ID = id
	defer func() { p.opt.Filed(it) }()
	if v.State != improve.Queued {
		return id, improve.Awaiting, nil
	}
	if f.Past, err = f.queue.Items(ctx); err != nil {
		return id, improve.Awaiting, err
	}
	f.Past = slices.DeleteFunc(f.Past, func(other improve.Item) bool { return other.ID == id })
	again := p.Decide(ctx, f, c)
	changed, err := f.queue.Change(ctx, id, 0, func(it *improve.Item) error {
		switch {
		case !again.Fire:
			it.Why = again.No()
		case it.State == improve.Awaiting:
			it.State = improve.Queued
		}
		return nil
	})
	switch {
	case err == nil:
		it = changed
	case errors.Is(err, improve.ErrRole): // who may approve is asked then
		err = nil
	}
	return id, it.State, err
}

// add puts an item into the queue, under an id that nobody has.
func (p *Pipeline) add(ctx context.Context, q improve.Queue, it improve.Item, form string) (string, error) {
	if form == improve.FormLiteral {
		it.ID = improve.LiteralID(it.Created)
		if err := q.Add(ctx, it); !errors.Is(err, improve.ErrFiled) {
			return it.ID, err
		}
	}
	var err error
	for range 3 { // an id that is taken, or the case itself: a queue says the same of both
		it.ID = improve.NewID(it.Created, p.opt.Random())
		if err = q.Add(ctx, it); !errors.Is(err, improve.ErrFiled) {
			break
		}
	}
	return it.ID, err
}
