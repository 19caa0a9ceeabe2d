package deliberate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
)

// run is a run under way.
type run struct {
	*Debate
	ctx    context.Context
	cancel context.CancelFunc
	yield  func(Event, error) bool
	left   bool  // the reader left
	broke  error // the newest reason why somebody did not speak
}

// drive is the loop: a person first, then what was looked up, then the floor. It
// returns the last event.
func (r *run) drive() (Event, error) {
	for {
		if r.ended != "" {
			return Ended{r.ended}, nil
		}
		if r.ctx.Err() != nil {
			return Paused{"interrupted"}, nil // an end that can be taken up, not an error
		}
		end, err := r.step()
		if err != nil && r.ctx.Err() != nil {
			return Paused{"interrupted"}, nil // the error came of that
		}
		if end != nil || err != nil {
			return end, err
		}
	}
}

func (r *run) step() (Event, error) {
	if err := r.listen(); err != nil || r.ended != "" {
		return nil, err
	}
	if r.paused != "" {
		return r.hold()
	}
	turn, ok := r.floor()
	if r.over(ok) {
		return nil, r.end(r.reason())
	}
	if why := r.limit(); why != "" {
		return Paused{why}, nil
	}
	if brought, err := r.research(); brought || err != nil {
		return nil, err // whose turn it is may be another now
	}
	if !ok {
		return nil, fmt.Errorf("nobody at the table answers: %w", cmp.Or(r.broke, errors.New("every turn came to nothing")))
	}
	return nil, r.turn(turn)
}

// floor is whose turn it is. When all is there, only those speak who have not
// taken their side, and then whoever wrote a section that the table did not take.
func (r *run) floor() (Turn, bool) {
	f := floor{r.table, r.goal}
	queue := f.queue()
	if !r.goal.Succeeded() {
		if len(queue) == 0 {
			return Turn{}, false
		}
		queue[0].Cue.Closing = r.spare() < 0
		return queue[0], true
	}
	if i := slices.IndexFunc(queue, func(t Turn) bool { return len(t.Cue.Open) > 0 }); i >= 0 {
		queue[i].Cue.Ask, queue[i].Cue.About, queue[i].Cue.Closing = AskVote, "", true
		return queue[i], true
	}
	p := f.unsettled()
	if p == nil || f.misses[p.By] >= bench || r.spare() < len(r.table.Cast) { // enough turns must be left for another vote
		return Turn{}, false
	}
	t := Turn{Who: p.By, Why: "is to " + AskRevise, Cue: Cue{Ask: AskRevise, About: p.Name()}}
	f.fill(&t)
	return t, true
}

// most is how many messages the debate may have, but for the last round.
func (r *run) most() int {
	if r.goal.MaxMessages > 0 {
		return r.goal.MaxMessages
	}
	return r.opt.MaxMessages
}

// spare is how many messages are left before the last round.
func (r *run) spare() int { return r.most() - max(r.goal.Total, r.table.Turns) }

// lastRounds is how often everybody may speak after the number of messages was
// reached, to bring home what there is.
const lastRounds = 2

// over reports whether the debate is at its end. someone says whether there is
// anybody to speak.
func (r *run) over(someone bool) bool {
	if r.goal.Succeeded() && !someone {
		return true
	}
	return r.spare() <= -lastRounds*len(r.table.Cast)
}

func (r *run) reason() Reason {
	if r.goal.Succeeded() {
		return Success
	}
	return Messages
}

// end writes the end into the session.
func (r *run) end(why Reason) error {
	m, err := note(endMark, "The debate has ended: "+string(why)+".", why)
	if err != nil {
		return err
	}
	_, err = r.say(m)
	return err
}

// limit says why the next turn would overspend, or nothing. A request holds all that
// was said, so the next one is a little larger than the largest so far.
func (r *run) limit() string {
	next := r.largest + r.largest/20 + 2*r.opt.MaxReply
	if r.table.pending() != nil {
		next += r.opt.Lookups * r.opt.MaxReply
	}
	if used := r.table.Tokens; used > 0 && used+next > r.opt.MaxTokens {
		return fmt.Sprintf("token limit: %d of %d tokens are used, and the next turn may take %d; go on with a higher limit", used, r.opt.MaxTokens, next)
	}
	if r.cost > 0 && r.cost+1.2*r.dearest > r.opt.MaxCost {
		return fmt.Sprintf("cost limit: $%.2f of $%.2f are spent; go on with a higher limit", r.cost, r.opt.MaxCost)
	}
	return ""
}

// say stores a message and tells what came of it. What was said is stored even when
// the run is being cancelled.
func (r *run) say(m trimtab.Message) (Utterance, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), saveTime)
	defer cancel()
	before := len(r.table.Proposals)
	s, out, err := r.opt.Service.Handle(ctx, r.plan.ID, trimtab.Said{Message: m})
	if err != nil {
		return Utterance{}, err
	}
	if s.Seq != len(r.history)+1 {
		if err := r.meet(ctx, s, 1); err != nil {
			return Utterance{}, err
		}
		before = len(r.table.Proposals)
	}
	r.session = s
	m.ID, m.At = s.Last.ID, s.Updated
	u := r.hear(m)
	r.emit(Spoke{u})
	r.votes(u, before)
	r.tell(out)
	if err := r.progress(); err != nil {
		return u, err
	}
	for _, t := range out.Actions {
		if p, ok := t.Action.(trimtab.Pause); ok && !r.goal.Succeeded() {
			r.pause(p.Why)
		}
	}
	return u, nil
}

// votes tells how the proposals stand that a message touched.
func (r *run) votes(u Utterance, before int) {
	for i, p := range r.table.Proposals {
		touched := i >= before
		for _, s := range p.Stands {
			touched = touched || s.Seq == u.Seq
		}
		if touched {
			pro, con := p.Shares(len(r.table.Cast))
			shown := *p
			shown.Stands = slices.Clone(p.Stands) // whoever draws it does so while the debate goes on
			r.emit(Voted{shown, pro, con, p.Agreed(len(r.table.Cast)), p.Contested(len(r.table.Cast))})
		}
	}
}

// progress reads how far the debate is and tells what is new about it.
func (r *run) progress() error {
	was := r.goal
	now, err := r.opt.Goal.Progress(r.session)
	if err != nil {
		return err
	}
	r.goal = now
	met := map[string]bool{}
	for _, c := range was.all() {
		met[c.ID] = c.Met
	}
	for _, c := range now.all() {
		if c.Met != met[c.ID] {
			r.emit(Ticked{c})
		}
	}
	if was.Phase != now.Phase {
		r.emit(Moved{was.Now(), now.Now(), now.Phase})
	}
	r.emit(r.Measure())
	return nil
}

// handle takes an event through the session service and tells what came of it.
func (r *run) handle(ctx context.Context, ev trimtab.Event) (trimtab.Outcome, error) {
	s, out, err := r.opt.Service.Handle(ctx, r.plan.ID, ev)
	if err != nil {
		return out, err
	}
	if s.Seq != len(r.history) {
		if err := r.meet(ctx, s, 0); err != nil {
			return out, err
		}
	}
	r.session = s
	r.tell(out)
	return out, nil
}

// tell tells what steering did.
func (r *run) tell(out trimtab.Outcome) {
	for _, c := range out.Changes {
		r.emit(Steered{c})
	}
	for _, t := range out.Actions {
		if n, ok := t.Action.(trimtab.Notify); ok {
			r.emit(Noticed{t.By, n.Text})
		}
	}
	for _, f := range out.Faults {
		r.emit(Faulted{f})
	}
}

// emit hands an event to the reader. Where the reader leaves, the run is cancelled.
func (r *run) emit(ev Event) {
	if !r.left && !r.yield(ev, nil) {
		r.left = true
		r.cancel()
	}
}
