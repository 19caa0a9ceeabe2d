package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab/improve"
)

// Turns reads again the turns in which a pattern was seen, for guidance; see
// improve/scan.
type Turns interface {
	Turns(ctx context.Context, q improve.Query, p improve.Pattern) ([]improve.Turn, error)
	StoppedTurns(ctx context.Context, s improve.StoppedSession, p improve.Pattern) ([]improve.Turn, error)
}

// ErrNoTurn is a case without a turn to replay: guidance is proved by replay, and no recorded turn of the case can be read.
var ErrNoTurn = errors.New("no recorded turn in which it went wrong can be read, so guidance could not be proved; improve the code instead (--kind code), or name the sessions")

// withKind decides which kind of improvement a case asks for, and gives guidance the
// turns that are replayed. What nobody asked to be guidance is code where there are none.
func (p *Pipeline) withKind(c improve.Case, cfg improve.Config, read func(Turns) ([]improve.Turn, error)) (improve.Case, error) {
	asked := c.Kind
	if asked == "" && cfg.Form != improve.FormLiteral { // that one knows changes of code only
		c.Kind = improve.KindOf(c.Pattern)
	}
	if c.Kind != improve.Guidance {
		c.Kind = ""
		return c, nil
	}
	var err error
	if p.opt.Turns != nil && len(c.Turns) == 0 {
		c.Turns, err = read(p.opt.Turns)
	}
	if len(c.Turns) > 0 && err == nil { // read now, or kept with an earlier request
		return c, nil
	}
	if asked == improve.Guidance {
		return c, errors.Join(err, ErrNoTurn)
	}
	if err != nil {
		p.notify("its turns could not be read again, so it is filed as a change of code: %s", err)
	}
	c.Kind = ""
	return c, nil
}

// foundTurns reads the turns of a case in the sessions that it was found in.
func (f *Findings) foundTurns(ctx context.Context, c improve.Case) func(Turns) ([]improve.Turn, error) {
	return func(t Turns) ([]improve.Turn, error) {
		var names []string
		for _, s := range c.Pattern.Samples {
			name, ok := f.files[s.Session]
			if !ok {
				continue
			}
			if name == "" { // in our own store
				name = s.Session
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			return nil, nil
		}
		return t.Turns(ctx, improve.Query{Names: names}, c.Pattern)
	}
}

// ParseKind reads what a person calls a kind of improvement; "" is for us to decide.
func ParseKind(text string) (improve.Kind, error) {
	if kind := improve.Kind(text); text == "" || slices.Contains(improve.Kinds(), kind) {
		return kind, nil
	}
	return "", fmt.Errorf("%q is not one of: %s, %s", text, improve.Code, improve.Guidance)
}
