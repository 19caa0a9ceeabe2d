// Package insight tells what pages and API have to say of many sessions at once: which are
// alive and what steers them, what keeps going wrong, and what our messages came to. What
// takes long is done beside whoever asks, and kept for a while.
//
//	t := insight.New(insight.Options{Engine: engine, Reflect: scanner.Reflect})
//	rows, err := t.Overview(ctx, archive, "", 30)
//	effect, running, err := t.Effect(archive, "all")
//
// It asks an archive only for what that shows: see store/owned.
package insight

import (
	"context"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

// Options are what it is made of.
type Options struct {
	Engine  *trimtab.Engine                                                              // says what steers a session
	Reflect func(ctx context.Context, q improve.Query) (improve.Reflection, error)       // reads sessions of all agents; nil finds nothing
	Make    func(ctx context.Context, project, fingerprint string) (improve.Item, error) // makes an improvement of a finding; nil cannot
	Impact  func(ctx context.Context, it improve.Item) (improve.Outcome, error)          // what an improvement came to; nil cannot say
	Said    Dismissals                                                                   // what people found not useful; nil keeps nothing
	Cost    func(model string, u trimtab.Usage) (dollars float64, ok bool)               // nil knows no prices
	Clock   func() time.Time
	Done    <-chan struct{} // closed when the server shuts down; nil is never
}

// Teller tells. It is safe for use by several goroutines.
type Teller struct {
	opt    Options
	rolled rollup
	recent recent

	mu      sync.Mutex
	effects map[string]*job[Effect]
	reads   map[int]*job[improve.Reflection]
	came    map[string]*job[improve.Outcome]
	reading chan struct{} // holds one while sessions are read for an outcome
	glances map[string]glance
}

// New returns one.
func New(opt Options) *Teller {
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	return &Teller{opt: opt, reads: map[int]*job[improve.Reflection]{}, came: map[string]*job[improve.Outcome]{}, reading: make(chan struct{}, 1), glances: map[string]glance{}}
}
