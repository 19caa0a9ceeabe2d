package deliberate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
	"github.com/trimtab/trimtab/llm"
)

// Config sets the limits of a debate. Zero values take the defaults.
type Config struct {
	MaxTokens   int     `json:"maxTokens" default:"2000000" min:"1000" max:"1000000000" doc:"tokens of all requests and replies of a debate before it pauses"`
	MaxCost     float64 `json:"maxCost" default:"5" min:"0.01" max:"10000" doc:"dollars, where the prices are known, before a debate pauses"`
	MaxMessages int     `json:"maxMessages" default:"200" min:"2" max:"10000" doc:"messages of a debate whose mode has no limit of its own"`
	MaxReply    int     `json:"maxReply" default:"1500" min:"50" max:"100000" doc:"tokens of one reply"`
	TurnSeconds int     `json:"turnSeconds" default:"120" min:"1" max:"3600" doc:"seconds that a speaker may take"`
	Lookups     int     `json:"lookups" default:"8" min:"1" max:"50" doc:"requests to the model that the researcher may take for one answer"`
}

// With is c with the limits of one run in place of its own, where they are given.
func (c Config) With(run Config) Config {
	c.MaxTokens, c.TurnSeconds = cmp.Or(run.MaxTokens, c.MaxTokens), cmp.Or(run.TurnSeconds, c.TurnSeconds)
	c.MaxCost = cmp.Or(run.MaxCost, c.MaxCost)
	return c
}

// Service is the part of session.Service that a debate goes through.
type Service interface {
	Begin(ctx context.Context, info trimtab.Info) (trimtab.Session, error)
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
}

// History is where the messages of a session are kept. A trimtab.Archive is one.
type History interface {
	Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error]
}

// Options are what a debate needs beside its plan.
type Options struct {
	Config
	Service Service
	History History // the store behind the service
	Goal    Goal

	// Model opens a model by its name.
	Model func(ctx context.Context, name string) (llm.Model, error)

	// Tools are what the researcher may use. Only those that are ReadOnly are
	// offered. None: the researcher says that there is nothing to look in.
	Tools []Tool

	// Lines are what a person types, if there is one: words, or a command that
	// begins with a slash. nil: nobody is there.
	Lines <-chan string

	// Cost is what a reply cost in dollars; ok is false where that is not known.
	// nil: nothing is known.
	Cost func(model string, u trimtab.Usage) (dollars float64, ok bool)
}

// Host is the Host of the sessions of debates.
const Host = "deliberate"

// Debate is a debate. It has one run at a time.
type Debate struct {
	opt   Options
	plan  Plan
	table *Table

	session trimtab.Session
	history []trimtab.Message
	forms   map[string]seen // by the message's id
	goal    Progress
	models  map[string]llm.Model
	ended   Reason
	cost    float64
	priced  bool // every reply so far has a known price
	study   *study
	paused  string  // why it is held
	largest int     // tokens of the largest request
	dearest float64 // dollars of the dearest reply
}

// Begin starts a debate and stores its plan and brief. Nobody has spoken yet.
func Begin(ctx context.Context, opt Options, plan Plan) (*Debate, error) {
	_, err := opt.Goal.Wants(plan.Mode)
	if err := errors.Join(plan.check(), err); err != nil {
		return nil, err
	}
	d, err := open(opt, plan)
	if err != nil {
		return nil, err
	}
	if err := d.cast(ctx); err != nil {
		return nil, err
	}
	if _, err := opt.Service.Begin(ctx, trimtab.Info{ID: plan.ID, Host: Host, Project: plan.Project, Model: plan.Model}); err != nil {
		return nil, err
	}
	if err := d.order(ctx, "mode", plan.Mode); err != nil {
		return nil, err
	}
	if err := d.order(ctx, "focus", append([]string{"agents"}, ids(plan.Cast)...)...); err != nil {
		return nil, err
	}
	first, err := note(planMark, fmt.Sprintf("A debate in mode %s of %s.", plan.Mode, strings.Join(ids(plan.Cast), ", ")), plan)
	if err != nil {
		return nil, err
	}
	d.session, _, err = opt.Service.Handle(ctx, plan.ID, trimtab.Said{Message: first}, trimtab.Said{Message: trimtab.Prompt(plan.Brief)})
	if err != nil {
		return nil, err
	}
	return d, d.load(ctx)
}

// order gives the session a command that it must take.
func (d *Debate) order(ctx context.Context, name string, args ...string) error {
	_, out, err := d.opt.Service.Handle(ctx, d.plan.ID, trimtab.Asked{Command: name, Args: args})
	if err != nil {
		return err
	}
	reply, err := out.Reply()
	if err == nil && reply.Failed {
		err = errors.New(firstLine(reply.Text))
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

// Resume takes up a debate where its stored messages end. The limits are those of
// opt; the rest is as it was begun.
func Resume(ctx context.Context, opt Options, id string) (*Debate, error) {
	d, err := open(opt, Plan{ID: id})
	if err != nil {
		return nil, err
	}
	if err := d.load(ctx); err != nil {
		return nil, err
	}
	if err := d.cast(ctx); err != nil {
		return nil, err
	}
	s, _, err := opt.Service.Handle(ctx, id, trimtab.Resumed{})
	if err != nil {
		return nil, err
	}
	d.session, d.plan.Project = s, s.Project
	if err := d.alone(s, 0); err != nil {
		return nil, err
	}
	d.goal, err = opt.Goal.Progress(s)
	return d, err
}

// errElsewhere is the end of a run whose debate somebody else goes on with.
var errElsewhere = errors.New("another process continues this debate or wrote to its session; wait until it is done, then resume")

// alone checks that nobody but this run said anything. more is how many messages it
// has just said.
func (d *Debate) alone(s trimtab.Session, more int) error {
	if s.Seq != len(d.history)+more {
		return errElsewhere
	}
	return nil
}

func open(opt Options, plan Plan) (*Debate, error) {
	cfg, err := settingtag.Fill(opt.Config)
	if err != nil {
		return nil, fmt.Errorf("debate: %w", err)
	}
	opt.Config = cfg
	return &Debate{opt: opt, plan: plan, forms: map[string]seen{}, models: map[string]llm.Model{}, priced: true}, nil
}

// load reads what is stored and puts the table in order.
func (d *Debate) load(ctx context.Context) error {
	var history []trimtab.Message
	for m, err := range d.opt.History.Messages(ctx, d.plan.ID, 0) {
		if err != nil {
			return fmt.Errorf("load debate %s: %w", d.plan.ID, err)
		}
		history = append(history, m)
	}
	plan, err := planOf(d.plan.ID, history)
	if err != nil {
		return err
	}
	plan.Project = d.plan.Project
	parts, err := d.opt.Goal.Wants(plan.Mode)
	if err != nil {
		return err
	}
	d.plan, d.table, d.history = plan, NewTable(plan.Cast, parts), nil
	for _, m := range history {
		d.hear(m)
	}
	if d.session.ID == "" {
		return nil
	}
	d.goal, err = d.opt.Goal.Progress(d.session)
	return err
}

// cast opens the models, so that a wrong name is told before anybody speaks.
func (d *Debate) cast(ctx context.Context) error {
	for _, p := range append([]Persona{{}}, d.plan.Cast...) {
		name := cmp.Or(p.Model, d.plan.Model)
		if d.models[name] != nil {
			continue
		}
		m, err := d.opt.Model(ctx, name)
		if err != nil {
			if p.ID != "" {
				return fmt.Errorf("persona %s: %w", p.ID, err)
			}
			return err
		}
		d.models[name] = m
	}
	return nil
}

// hear takes a stored message into all that is kept of the debate.
func (d *Debate) hear(m trimtab.Message) Utterance {
	d.history = append(d.history, m)
	if s, ok := see(m); ok {
		if q := d.table.pending(); q != nil && s.by == Researcher {
			s.others = toAll(m, answering(q))
		}
		d.forms[m.ID] = s
	} else {
		d.forms[m.ID] = seen{by: Moderator}
	}
	u := d.table.Hear(len(d.history), m)
	if m.Usage != nil {
		if u.By != Researcher { // whose figures are those of several requests
			d.largest = max(d.largest, m.Usage.Context())
		}
		dollars, ok := 0.0, false
		if d.opt.Cost != nil {
			dollars, ok = d.opt.Cost(m.Model, *m.Usage)
		}
		d.cost, d.dearest = d.cost+dollars, max(d.dearest, dollars)
		d.priced = d.priced && ok
	}
	noted(m, endMark, &d.ended)
	return u
}

// Plan is what the debate was begun with.
func (d *Debate) Plan() Plan { return d.plan }

// Table is how the debate stands. It may be read between two events of a run.
func (d *Debate) Table() *Table { return d.table }

// Measure is how the debate stands. It may be called between two events of a run.
func (d *Debate) Measure() Measured {
	return Measured{d.goal, d.table.Meters, d.table.Tokens, d.cost, d.priced}
}

// Run lets the debate go on until it ends or pauses. An error ends the run; so does
// the end of ctx or a reader who leaves. Whatever ends it, what was said is stored,
// and a debate can be taken up again.
func (d *Debate) Run(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		r := &run{Debate: d, ctx: ctx, cancel: cancel, yield: yield}
		end, err := r.drive()
		cancel()
		d.leave()
		switch {
		case r.left:
		case err != nil:
			yield(nil, fmt.Errorf("debate %s: %w", d.plan.ID, err))
		default:
			yield(end, nil)
		}
	}
}

// saveTime is how long a message may take to be stored once it was said.
const saveTime = 30 * time.Second

func ids(cast []Persona) []string {
	all := make([]string, len(cast))
	for i, p := range cast {
		all[i] = p.ID
	}
	return all
}
