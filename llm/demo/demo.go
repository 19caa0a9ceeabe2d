package demo

import (
	"context"
	"iter"
	"time"

	"github.com/trimtab/trimtab/llm"
)

// Options set how the model behaves. The zero value works.
type Options struct {
	Delay time.Duration // between two words
	Steps int           // replies to a piece of work, if nothing comes between; 12 if not given, at least 4
}

// Model is the demo model.
type Model struct{ opt Options }

var _ llm.Model = (*Model)(nil)

// New returns the demo model.
func New(opt Options) *Model {
	if opt.Steps == 0 {
		opt.Steps = 12
	}
	opt.Steps = max(opt.Steps, 4)
	return &Model{opt}
}

// Name returns "demo".
func (m *Model) Name() string { return "demo" }

// Stream replies to a request, word by word.
func (m *Model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return speaker{m.Name(), m.opt.Delay}.speak(ctx, r, next(look(r), m.opt.Steps))
}
