package gateway

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/trimtab/trimtab/internal/settingtag"
)

// Steerer puts notes into requests and reads replies, whoever sends them: the
// Gateway for agents in other processes, RoundTrip for a client in this one. It is
// safe for use by several goroutines.
type Steerer struct {
	opt      Options
	clients  []client
	mu       sync.Mutex
	ledgers  map[string]*list.Element
	order    list.List // of *ledger, the one used last in front
	retained retained
	pool     bufferPool
	turns    *turns
	refused  sync.Map // "provider model" of those that take no instructions inside the conversation
	renamed  sync.Map // the session that goes on at the address of a run, by the name of the address
	own      sync.Map // the id of a caller's session, by the one that it has within theirs
	zstd     func() (*zstd.Decoder, error)
	Stats    Stats

	ownCount atomic.Int64
}

// NewSteerer returns a steerer. Of the options, Upstreams, Transport and Rested are
// for gateways only.
func NewSteerer(opt Options) (*Steerer, error) {
	cfg, err := settingtag.Fill(opt.Config)
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	opt.Config = cfg
	if opt.Service == nil || opt.History == nil {
		return nil, errors.New("gateway: it needs a service and a history")
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Steerer{opt: opt, clients: knownClients(), zstd: newZstd(opt.MaxBody), turns: newTurns(), ledgers: map[string]*list.Element{}}, nil
}

// ledger returns the ledger of a session. Where there are too many it forgets the
// one that was not used for longest: the store has what is needed to make it
// again.
func (g *Steerer) ledger(id string) *ledger {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e := g.ledgers[id]; e != nil {
		g.order.MoveToFront(e)
		l := e.Value.(*ledger)
		l.asked++
		return l
	}
	if len(g.ledgers) >= g.opt.Sessions {
		oldest := g.order.Remove(g.order.Back()).(*ledger)
		delete(g.ledgers, oldest.id)
		go g.flush(context.Background(), oldest, 0) // it may hold a reply that was not told
	}
	l := newLedger(id)
	g.ledgers[id] = g.order.PushFront(l)
	return l
}
