package demo

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/session"
)

// Debate holds a sample debate to its end, as if it had just ended: the real table, with the
// built-in player for every part.
func Debate(ctx context.Context, engine *trimtab.Engine, store trimtab.Archive, goal deliberate.Goal, now time.Time) error {
	var turns atomic.Int64 // looks outside read the clock while a turn ends
	clock := func() time.Time {
		return now.Add(-40*time.Minute + time.Duration(turns.Load())*35*time.Second)
	}
	cast, err := deliberate.BuiltIn()
	if err != nil {
		return err
	}
	opt := deliberate.Options{
		Service: session.New(engine, store, session.Options{Clock: clock}), History: store, Goal: goal,
		Model: func(context.Context, string) (llm.Model, error) { return deliberate.NewPlayer(0), nil },
	}
	d, err := deliberate.Begin(ctx, opt, deliberate.Plan{ID: "demo-debate", Project: "/home/ada/bakery", Mode: "will-it-work", Brief: "A bakery that delivers bread by bike before seven in the morning", Model: "demo", Cast: cast})
	if err != nil {
		return fmt.Errorf("demo debate: %w", err)
	}
	for ev, err := range d.Run(ctx) {
		if err != nil {
			return fmt.Errorf("demo debate: %w", err)
		}
		if _, ok := ev.(deliberate.Spoke); ok {
			turns.Add(1)
		}
	}
	return nil
}
