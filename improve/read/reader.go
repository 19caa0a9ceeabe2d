package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/internal/plural"
)

// Sessions reads sessions of a reflection again; scan.Scanner does.
type Sessions interface {
	Pieces(ctx context.Context, one improve.SessionResult, bytes int) ([]improve.Piece, error)
}

// Options are what a Reader works with. Agent, Sessions, Folder and Redact are needed.
type Options struct {
	Agent    agents.Agent
	Model    string                                                         // of the agent, where it is known: for the price
	Price    func(model string, u trimtab.Usage) (dollars float64, ok bool) // nil: no price is known
	Sessions Sessions
	Folder   string              // where answers are kept
	Redact   func(string) string // of what the agent says; pieces come redacted
	Tokens   int                 // of one session at most; 0 is DefaultTokens
	Cost     float64             // dollars at most for all of it, as far as the agent tells them; 0 is no limit
	Progress func(Step)          // told of each session that was read; may be nil
	Now      func() time.Time    // time.Now where it is nil
}

// The limits where none is given.
const (
	DefaultTokens   = 6000
	DefaultSessions = 20

	atOnce      = 3               // sessions that are read at a time
	oneSession  = 5 * time.Minute // for one of them
	answerWords = 900             // tokens that an answer has, for the price
	mostFailed  = 3               // failures in a row after which no more is asked
)

// Step is one session that was read.
type Step struct {
	Done, Of int
	Session  string
	Causes   int
	Cost     float64 // of the run so far
	Err      error
}

// String tells a person how far the reading has come.
func (s Step) String() string {
	out := fmt.Sprintf("read %d of %d", s.Done, s.Of)
	if s.Err != nil {
		return out + ": " + s.Err.Error()
	}
	out += ": " + plural.Count(s.Causes, "cause")
	if s.Cost > 0 {
		out += fmt.Sprintf(", $%.2f so far", s.Cost)
	}
	return out
}

// Reader has sessions read. It may be used once at a time.
type Reader struct{ opt Options }

// New returns a reader.
func New(opt Options) (*Reader, error) {
	if opt.Agent == nil || opt.Sessions == nil || opt.Redact == nil || !filepath.IsAbs(opt.Folder) {
		return nil, errors.New("reflect: reading needs an agent, sessions, a redactor and a folder")
	}
	opt.Tokens = cmp.Or(opt.Tokens, DefaultTokens)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Reader{opt: opt}, nil
}

// Plan is what a reading would do.
type Plan struct {
	Agent, Model string
	Sheets       int     // sessions to read
	Cached       int     // of them, those that were read before and cost nothing
	Left         int     // sessions with something to read beyond the limit
	Tokens       int     // to send, about
	Cost         float64 // about
	Priced       bool    // the cost is known

	work []task
}

// task is one session of a plan.
type task struct {
	result improve.SessionResult
	sheet  sheet
	cached *cached
}

// Calls is how many sessions the agent would have to read.
func (p Plan) Calls() int { return p.Sheets - p.Cached }

// OnlyCached is the plan without what would be sent: what was read before is known.
func (p Plan) OnlyCached() Plan {
	p.work = slices.DeleteFunc(slices.Clone(p.work), func(t task) bool { return t.cached == nil })
	p.Left += p.Calls()
	p.Sheets, p.Tokens, p.Cost = p.Cached, 0, 0
	return p
}

// String tells a person what the reading sends, to whom, and what it costs.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s to read with %s", plural.Count(p.Sheets, "session"), strings.TrimSpace(p.Agent+" "+p.Model))
	if p.Cached > 0 {
		fmt.Fprintf(&b, ", %d of them read before", p.Cached)
	}
	if p.Left > 0 {
		fmt.Fprintf(&b, " (%d older ones are beyond --read-limit)", p.Left)
	}
	if p.Calls() == 0 {
		return b.String() + ": nothing to send."
	}
	fmt.Fprintf(&b, ": %s sent, redacted", plural.Grouped(p.Tokens, "token"))
	switch {
	case p.Priced:
		fmt.Fprintf(&b, ", about $%.2f", p.Cost)
	case p.Model != "":
		fmt.Fprintf(&b, ", price of %s not known", p.Model)
	default:
		b.WriteString(", price not known (improve.model names the model)")
	}
	return b.String() + "; what the agent sends by itself comes on top."
}

// Plan reads the newest sessions again and says what it would take to have them read. Sub-agents
// are part of what started them. A session in which the person spoke once and nothing failed
// has nothing to read; one that cannot be read hides no other.
func (r *Reader) Plan(ctx context.Context, all improve.Reflection, limit int) (Plan, error) {
	p := Plan{Agent: r.opt.Agent.Name(), Model: r.opt.Model}
	limit = cmp.Or(limit, DefaultSessions)
	for _, one := range all.Results { // the newest first
		if one.Parent != "" || one.Metrics.UserMessages < 2 && len(one.Patterns)+len(one.Faint) == 0 {
			continue
		}
		if p.Sheets == limit {
			p.Left++
			continue
		}
		pieces, err := r.opt.Sessions.Pieces(ctx, one, r.opt.Tokens*bytesPerToken)
		if ctx.Err() != nil {
			return p, ctx.Err()
		}
		if err != nil || len(pieces) < 2 {
			continue
		}
		t := task{result: one, sheet: newSheet(one.SessionID, pieces, p.Agent+" "+p.Model)}
		if c, ok := r.lookup(t.sheet); ok {
			t.cached = &c
			p.Cached++
		} else {
			p.Tokens += t.sheet.tokens()
		}
		p.Sheets++
		p.work = append(p.work, t)
	}
	if r.opt.Price != nil && r.opt.Model != "" {
		p.Cost, p.Priced = r.opt.Price(r.opt.Model, trimtab.Usage{Input: p.Tokens, Output: p.Calls() * answerWords})
	}
	return p, nil
}

// Run has the sessions of a plan read and puts together what came of it. Where the context
// ends, or the agent cannot be asked at all, it returns the error with what is known by then;
// what was read is kept and costs nothing the next time.
func (r *Reader) Run(ctx context.Context, p Plan) (improve.Reading, error) {
	run := &reading{Reader: r, plan: p, out: improve.Reading{Agent: p.Agent, Model: p.Model, Left: p.Left, Tokens: p.Tokens, Dropped: map[string]int{}}}
	var todo []task
	for _, t := range p.work {
		if t.cached == nil {
			todo = append(todo, t)
			continue
		}
		run.take(t, *t.cached)
		run.out.Cached++
	}
	err := run.ask(ctx, todo)
	if err == nil && run.out.Failed > 0 && run.out.Sessions == 0 {
		err = fmt.Errorf("nothing could be read: %w", run.first)
	}
	run.out.Causes = merge(run.causes)
	if run.out.Causes == nil {
		run.out.Causes = []improve.Cause{}
	}
	return run.out, errors.Join(err, r.prune())
}

// reading is one run.
type reading struct {
	*Reader
	plan Plan

	mu     sync.Mutex
	out    improve.Reading
	causes []improve.Cause
	done   int
	row    int   // failures in a row
	first  error // the first of them
}

// take checks an answer and adds what holds.
func (r *reading) take(t task, c cached) int {
	causes, dropped := t.sheet.check(c.Answer, t.result.SessionID, r.opt.Redact)
	for i := range causes {
		causes[i].Last = t.result.Timestamp
	}
	r.causes = append(r.causes, causes...)
	addDropped(r.out.Dropped, dropped)
	r.out.Sessions++
	return len(causes)
}

// ask has sessions read, some at a time.
func (r *reading) ask(ctx context.Context, todo []task) error {
	if len(todo) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "trimtab-read-") // empty: there is nothing to look at
	if err != nil {
		return fmt.Errorf("make an empty folder for the reader: %w", err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	work := make(chan task)
	var wait sync.WaitGroup
	for range min(atOnce, len(todo)) {
		wait.Go(func() {
			for t := range work {
				if err := r.one(ctx, t, dir); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, t := range todo {
		select {
		case work <- t:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(work)
	wait.Wait()
	return context.Cause(ctx)
}

// over reports whether the reading was ended; who called it says why.
func over(ctx context.Context) bool { return ctx.Err() != nil }

// one has one session read. It returns an error only where no other session need be tried.
func (r *reading) one(ctx context.Context, t task, dir string) error {
	if over(ctx) {
		return nil
	}
	log := filepath.Join(r.opt.Folder, "log", t.sheet.key[:12]) // it stays where the reading fails
	report, err := r.opt.Agent.Do(ctx, agents.Job{
		ID: "read", Step: "read", Prompt: t.sheet.prompt, Dir: dir, ReadOnly: true, NoTools: true, Folder: log, Time: oneSession, Cost: r.opt.Cost, Output: maxAnswer,
	})
	var a answer
	if err == nil {
		a, err = parseAnswer(report.Text)
	}
	if err == nil {
		c := cached{Agent: r.plan.Agent, At: r.opt.Now().UTC(), Cost: report.Cost, Answer: a.redacted(r.opt.Redact)}
		if err := errors.Join(r.keep(t.sheet, c), os.RemoveAll(log)); err != nil {
			return err
		}
		return r.tell(t, &c, report.Cost, nil)
	}
	if over(ctx) {
		return nil
	}
	return r.tell(t, nil, report.Cost, err)
}

// tell counts what came of a session. It returns why nothing more is to be asked.
func (r *reading) tell(t task, c *cached, cost float64, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	r.out.Cost += cost
	step := Step{Done: r.done, Of: r.plan.Calls(), Session: t.result.SessionID, Cost: r.out.Cost, Err: err}
	if c != nil {
		r.row = 0
		step.Causes = r.take(t, *c)
	} else {
		r.row++
		r.first = cmp.Or(r.first, err)
		r.out.Failed++
		r.out.Why = cmp.Or(r.out.Why, line(r.opt.Redact(err.Error()), maxQuote))
	}
	if r.opt.Progress != nil {
		r.opt.Progress(step)
	}
	switch {
	case errors.Is(err, agents.ErrMissing), errors.Is(err, agents.ErrKey), errors.Is(err, agents.ErrCost):
		return err
	case r.row >= mostFailed:
		return fmt.Errorf("%d sessions in a row could not be read: %w", r.row, err)
	case r.opt.Cost > 0 && r.out.Cost > r.opt.Cost:
		return fmt.Errorf("%w: $%.2f of $%.2f (improve.cost)", agents.ErrCost, r.out.Cost, r.opt.Cost)
	}
	return nil
}

// redacted is an answer without secrets. An agent may know some that are in no piece.
func (a answer) redacted(redact func(string) string) answer {
	out := answer{}
	for _, c := range a.Causes {
		s := said{Kind: c.Kind, Subject: redact(c.Subject), Title: redact(c.Title), Do: redact(c.Do)}
		for _, cl := range c.Claims {
			s.Claims = append(s.Claims, claim{Session: cl.Session, Message: cl.Message, Quote: redact(cl.Quote), Says: redact(cl.Says)})
		}
		out.Causes = append(out.Causes, s)
	}
	return out
}
