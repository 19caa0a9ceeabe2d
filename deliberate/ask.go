package deliberate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

// maxWords is the most of a reply that is taken, in bytes for each token that it may
// have. Whoever floods is cut.
const maxWords = 8

// turn gives somebody the floor.
func (r *run) turn(t Turn) error {
	p, _ := r.table.Persona(t.Who)
	if _, err := r.handle(r.ctx, trimtab.Calling{}); err != nil {
		return err
	}
	var waiting []string
	for _, q := range (floor{r.table, r.goal}).queue() {
		if q.Who != t.Who {
			waiting = append(waiting, q.Who)
		}
	}
	r.emit(Speaking{t, waiting})
	m, err := r.ask(p, t.Cue)
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err() // nothing of it counts; the turn is taken again
	case errors.Is(err, llm.ErrKey) || errors.Is(err, llm.ErrModel):
		return fmt.Errorf("%s: %w", p.ID, err) // it would be the same again
	case err != nil:
		r.broke = fmt.Errorf("%s: %w", p.ID, err)
		r.emit(Missed{p.ID, err.Error()})
		_, err = r.say(missNote(p.ID, trimtab.Clip(oneLine(err.Error()), 300)))
		return err
	}
	_, err = r.say(m)
	return err
}

var (
	errEmpty   = errors.New("the reply was empty")
	errRefused = errors.New("the model declined to answer")
)

// ask asks a persona's model. The time of a turn is limited.
func (r *run) ask(p Persona, cue Cue) (trimtab.Message, error) {
	model := r.models[cmp.Or(p.Model, r.plan.Model)]
	limit := time.Duration(r.opt.TurnSeconds) * time.Second
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	request := llm.Request{System: system(p, r.table.Cast, r.tools()), Messages: r.view(p.ID, cue), MaxTokens: r.opt.MaxReply}
	rep, err := r.read(ctx, p.ID, model, request)
	if err != nil && r.ctx.Err() == nil && ctx.Err() != nil {
		return trimtab.Message{}, fmt.Errorf("no answer within %s", limit)
	}
	if err != nil {
		return trimtab.Message{}, err
	}
	return rep.message(p.ID, model.Name())
}

// tools are what the researcher may use, in a few words each.
func (r *run) tools() []string {
	var all []string
	for _, t := range r.opt.Tools {
		if t.ReadOnly {
			first, _, _ := strings.Cut(oneLine(t.Description), ". ")
			all = append(all, t.Name+" ("+trimtab.Clip(strings.TrimSuffix(first, "."), 120)+")")
		}
	}
	return all
}

// reply is what came of asking.
type reply struct {
	text  string
	stop  llm.StopReason
	usage *trimtab.Usage
	model string
	flood bool
}

// read reads a reply, and no more of it than may be said.
func (r *run) read(ctx context.Context, who string, model llm.Model, request llm.Request) (reply, error) {
	var said strings.Builder
	most := maxWords * r.opt.MaxReply
	for chunk, err := range model.Stream(ctx, request) {
		if err != nil {
			return reply{}, err
		}
		switch c := chunk.(type) {
		case llm.TextDelta:
			said.WriteString(c.Text)
			if r.emit(Delta{who, c.Text}); said.Len() > most {
				return reply{text: trimtab.Clip(said.String(), most), flood: true}, nil
			}
		case llm.Done:
			rep := reply{text: c.Message.Text(), stop: c.Stop, usage: c.Message.Usage, model: c.Message.Model}
			if len(rep.text) > most {
				rep.text, rep.flood = trimtab.Clip(rep.text, most), true
			}
			return rep, nil
		}
		if ctx.Err() != nil {
			return reply{}, ctx.Err()
		}
	}
	return reply{}, llm.ErrCut
}

// message makes a persona's message of a reply. Its words are the model's and the
// persona's, whatever they claim to be.
func (rep reply) message(who, model string) (trimtab.Message, error) {
	text := strings.TrimSpace(strings.ToValidUTF8(rep.text, "\uFFFD"))
	switch {
	case rep.stop == llm.StopRefused:
		return trimtab.Message{}, errRefused
	case text == "":
		return trimtab.Message{}, errEmpty
	}
	m := trimtab.Message{Role: trimtab.RoleAssistant, Model: cmp.Or(rep.model, model), Usage: rep.usage}
	m.Parts = []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model, From: who}}
	if rep.flood || rep.stop == llm.StopLength {
		m.Parts = append(m.Parts, trimtab.Text{Text: "[cut: the reply reached its largest size]", By: trimtab.Host})
	}
	return m, nil
}
