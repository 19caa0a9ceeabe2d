package session

import (
	"fmt"
	"iter"

	"github.com/trimtab/trimtab"
)

// Replay takes a session once more through what its journal says, with the same
// engine or another one. The same engine gives the same session, to the byte,
// but for its Version.
//
// info is the session's as it began; its times but for Created do not count. The
// journal names messages by their ids only, so the messages come along, in their
// order.
func Replay(engine *trimtab.Engine, info trimtab.Info, messages iter.Seq2[trimtab.Message, error], entries iter.Seq2[trimtab.Entry, error]) (trimtab.Session, []trimtab.Outcome, error) {
	next, stop := iter.Pull2(messages)
	defer stop()
	info.Updated = info.Created
	s := trimtab.Session{Info: info}
	var outs []trimtab.Outcome
	for e, err := range entries {
		if err != nil {
			return s, outs, fmt.Errorf("replay session %s: %w", info.ID, err)
		}
		ev := e.Event
		if said, ok := ev.(trimtab.Said); ok {
			m, err, ok := next()
			switch {
			case !ok:
				err = fmt.Errorf("message %s is missing: %w", said.Message.ID, trimtab.ErrNotFound)
			case err == nil && m.ID != said.Message.ID:
				err = fmt.Errorf("message %s is missing, the next is %s: %w", said.Message.ID, m.ID, trimtab.ErrNotFound)
			}
			if err != nil {
				return s, outs, fmt.Errorf("replay session %s, entry %d: %w", info.ID, e.Seq, err)
			}
			ev = trimtab.Said{Message: m}
		}
		var out trimtab.Outcome
		s, out = engine.Step(s, ev, e.At)
		outs = append(outs, out)
	}
	return s, outs, nil
}
