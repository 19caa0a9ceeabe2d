package deliberate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// maxWord is the longest that a person says to the table from elsewhere, in bytes.
const maxWord = 16 << 10

// ErrEnded is a debate that has ended: nothing is said in it any more.
var ErrEnded = errors.New("the debate has ended")

// Handler is the part of session.Service by which a person joins a debate.
type Handler interface {
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
}

// joined is a Service that begins no debate.
type joined struct{ Handler }

func (joined) Begin(context.Context, trimtab.Info) (trimtab.Session, error) {
	return trimtab.Session{}, errors.New("this debate is only read")
}

// Read returns a debate as its stored messages tell it, to be looked at and joined. It opens
// no model, and is not to be run.
func Read(ctx context.Context, by Handler, history History, goal Goal, s trimtab.Session) (*Debate, error) {
	d, err := open(Options{Service: joined{by}, History: history, Goal: goal}, Plan{ID: s.ID, Project: s.Project})
	if err != nil {
		return nil, err
	}
	d.session = s
	return d, d.load(ctx)
}

// Join says something to the table as the person, whichever process runs the debate: a run
// under way takes it up before the next speaker, one that is resumed finds it. What begins
// with a slash is a command: /next, /back, /phase NAME, /criterion ID, /end.
func (d *Debate) Join(ctx context.Context, text string) (told string, err error) {
	text = strings.TrimSpace(text)
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case d.ended != "":
		return "", ErrEnded
	case text == "":
		return "", errors.New("there is nothing to say")
	case len(text) > maxWord:
		return "", fmt.Errorf("%w: %d bytes, the limit is %d", trimtab.ErrTooLarge, len(text), maxWord)
	case word == "/next" || word == "/back":
		return d.away(ctx, "phase", word[1:])
	case word == "/phase":
		return d.away(ctx, "phase", strings.Fields(rest)...)
	case word == "/criterion":
		return d.away(ctx, "focus", append([]string{"met"}, strings.Fields(rest)...)...)
	case word == "/end":
		m, err := note(endMark, "The debate has ended: "+string(ByPerson)+".", ByPerson)
		if err != nil {
			return "", err
		}
		_, _, err = d.opt.Service.Handle(ctx, d.plan.ID, trimtab.Said{Message: m})
		return "It ends with what is said now.", err
	case strings.HasPrefix(word, "/"):
		return "", fmt.Errorf("no command %q from here; there are /next, /back, /phase NAME, /criterion ID and /end", trimtab.Clip(word, 40))
	}
	_, _, err = d.opt.Service.Handle(ctx, d.plan.ID, trimtab.Said{Message: trimtab.Prompt(text), Vouched: true})
	return "Said; the next to speak hears it.", err
}

// away gives the session a command of the person's.
func (d *Debate) away(ctx context.Context, name string, args ...string) (string, error) {
	_, out, err := d.opt.Service.Handle(ctx, d.plan.ID, trimtab.Asked{Command: name, Args: args, Away: true})
	if err != nil {
		return "", err
	}
	reply, err := out.Reply()
	if err == nil && reply.Failed {
		err = errors.New(firstLine(reply.Text))
	}
	return firstLine(reply.Text), err
}

// fromPerson reports whether a message may come from elsewhere into a run: what a person
// said to the table, or that they ended it. A persona's words there mean another run.
func fromPerson(m trimtab.Message) bool {
	var why Reason
	return m.From == "" && m.IsPrompt() && m.Typed() == m.Text() || noted(m, endMark, &why) && why == ByPerson
}

// meet takes in what a person said elsewhere since the last message of this run, in front of
// the last more messages of the session, which are the run's own.
func (r *run) meet(ctx context.Context, s trimtab.Session, more int) error {
	for m, err := range r.opt.History.Messages(ctx, r.plan.ID, len(r.history)) {
		if err != nil {
			return err
		}
		if len(r.history) >= s.Seq-more {
			break
		}
		if !fromPerson(m) {
			return errElsewhere
		}
		before := len(r.table.Proposals)
		u := r.hear(m)
		r.emit(Spoke{u})
		r.votes(u, before)
	}
	return r.alone(s, more)
}

// overhear is meet between two turns. A store that does not answer is told by the next turn.
func (r *run) overhear() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), saveTime)
	defer cancel()
	s, _, err := r.opt.Service.Handle(ctx, r.plan.ID)
	if err != nil || s.Seq == len(r.history) {
		return nil
	}
	if err := r.meet(ctx, s, 0); err != nil {
		return err
	}
	r.session = s
	return r.progress()
}
