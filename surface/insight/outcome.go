package insight

import (
	"context"

	"github.com/trimtab/trimtab/improve"
)

// Outcome is what an improvement that is done came to, and whether sessions are being read to
// tell. It is false of one that is not done, and where nobody can tell.
func (t *Teller) Outcome(it improve.Item) (o improve.Outcome, running, ok bool, err error) {
	if t.opt.Impact == nil || it.State != improve.Done {
		return o, false, false, nil
	}
	t.mu.Lock()
	if t.came[it.ID] == nil {
		t.came[it.ID] = &job[improve.Outcome]{}
	}
	j := t.came[it.ID]
	t.mu.Unlock()
	o, running, err = j.get(t.opt.Done, t.opt.Clock(), freshFindings, func(ctx context.Context) (improve.Outcome, error) {
		select { // all sessions of a project are read: one improvement at a time
		case t.reading <- struct{}{}:
			defer func() { <-t.reading }()
		case <-ctx.Done():
			return improve.Outcome{}, ctx.Err()
		}
		return t.opt.Impact(ctx, it)
	})
	return o, running, err == nil && !o.At.IsZero(), err
}
