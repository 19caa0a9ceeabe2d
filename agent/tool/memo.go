package tool

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/trimtab/trimtab/agent/shell"
)

// sum is what a file held or a call said, for knowing it again.
type sum [sha256.Size]byte

// The limits of what a folder remembers. Past them it forgets, and the model has
// to read again what it wants to change.
const (
	maxSessions = 64
	maxSeen     = 20000

	maxRulesKept = 1000
)

// memos is what tools remember of sessions.
type memos struct {
	mu sync.Mutex
	of map[string]*memo
}

// memo is what tools remember of one session.
type memo struct {
	seen   map[string]sum // files as the model last saw them
	free   bool           // the person always allows changes to files
	denied map[sum]error  // calls that came to nothing before anybody was asked
	rules  []shell.Rule   // commands that the person always allows
}

// with runs do on the memo of the context's session while nobody else does.
func (m *memos) with(ctx context.Context, do func(*memo)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := SessionOf(ctx)
	one := m.of[id]
	if one == nil {
		if m.of == nil || len(m.of) >= maxSessions {
			m.of = map[string]*memo{}
		}
		one = &memo{seen: map[string]sum{}, denied: map[sum]error{}}
		m.of[id] = one
	}
	do(one)
}

// saw takes note of a file as the model knows it now.
func (m *memos) saw(ctx context.Context, rel string, content []byte) {
	m.with(ctx, func(one *memo) {
		if len(one.seen) >= maxSeen {
			one.seen = map[string]sum{}
		}
		one.seen[rel] = sha256.Sum256(content)
	})
}

// fresh refuses a file that the model does not know as it is now.
func (m *memos) fresh(ctx context.Context, rel string, content []byte) error {
	var known sum
	var ok bool
	m.with(ctx, func(one *memo) { known, ok = one.seen[rel] })
	switch {
	case !ok:
		return fmt.Errorf("%q exists and was not read in this session; read it first, then decide again", rel)
	case known != sha256.Sum256(content):
		return fmt.Errorf("%q has changed since it was read; read it again, then decide again", rel)
	}
	return nil
}

func (m *memos) allow(ctx context.Context) { m.with(ctx, func(one *memo) { one.free = true }) }

func (m *memos) allowed(ctx context.Context) (free bool) {
	m.with(ctx, func(one *memo) { free = one.free })
	return free
}

// deny keeps the error of a call for which nobody was asked, because it could not
// be done. It may not be done either when things have changed a moment later.
func (m *memos) deny(ctx context.Context, call sum, err error) {
	m.with(ctx, func(one *memo) { one.denied[call] = err })
}

// deniedBefore takes the error of deny, if there was one.
func (m *memos) deniedBefore(ctx context.Context, call sum) (err error) {
	m.with(ctx, func(one *memo) {
		err = one.denied[call]
		delete(one.denied, call)
	})
	return err
}
