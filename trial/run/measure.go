package run

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/trial"
)

// Price is what tokens of a model cost, where that is known.
type Price func(model string, u trimtab.Usage) (dollars float64, known bool)

// measure reads what a run did from its stored sessions: the longest is the run's own, the
// others are sub-agents', whose tokens count too.
func measure(ctx context.Context, st trimtab.Archive, price Price, to *trial.Result) error {
	var main trimtab.Info
	longest := 0
	cost, priced := 0.0, true
	for info, err := range st.List(ctx, trimtab.Query{}) {
		if err != nil {
			return fmt.Errorf("list the sessions of the run: %w", err)
		}
		n := 0
		for m, err := range st.Messages(ctx, info.ID, 0) {
			if err != nil {
				return fmt.Errorf("read session %s: %w", info.ID, err)
			}
			n++
			if m.Usage == nil {
				continue
			}
			to.Input += m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite
			to.Cached += m.Usage.CacheRead
			to.Output += m.Usage.Output
			dollars, known := price(info.Model, *m.Usage)
			priced = priced && known
			cost += dollars
		}
		if n > longest {
			main, longest = info, n
		}
	}
	if longest == 0 {
		return nil
	}
	if to.Session = main.ID; priced {
		to.Cost = &cost
	}
	return judge(ctx, st, main.ID, to)
}

// judge holds one session against rules that are the same for every arm.
func judge(ctx context.Context, st trimtab.Archive, id string, to *trial.Result) error {
	rule, err := loop.NewProgress(loop.ProgressConfig{})
	if err != nil {
		return err
	}
	watch, work := loop.Start(rule), evidence.Record{}
	for m, err := range st.Messages(ctx, id, 0) {
		if err != nil {
			return fmt.Errorf("read session %s: %w", id, err)
		}
		if m.Role == trimtab.RoleAssistant && m.From == "" {
			to.Steps++
		}
		if watch.See(m) != nil {
			to.Loops++
		}
		work = work.See(m)
	}
	_, to.Unproved = work.Unproved()
	for e, err := range st.Journal(ctx, id, 0) {
		if err != nil {
			return fmt.Errorf("read the journal of session %s: %w", id, err)
		}
		for _, c := range e.Changes {
			switch c.Kind {
			case trimtab.Injected:
				to.Notes++
			case trimtab.Heeded:
				to.Heeded++
			}
		}
		for _, taken := range e.Actions {
			if _, on := taken.Action.(trimtab.Continue); on {
				to.Notes++
			}
		}
	}
	return nil
}

// marshal is JSON for people.
func marshal(v any) ([]byte, error) {
	raw, err := json.MarshalIndent(v, "", "  ")
	return append(raw, '\n'), err
}
