package session

import (
	"context"
	"sync"
)

// keyedMutex is a mutex for each session. An entry exists only while somebody
// holds it or waits for it, so that memory does not grow with the sessions of a
// lifetime.
type keyedMutex struct {
	mu   sync.Mutex
	held map[string]*keyLock
	idle []*keyLock // held by nobody, to be used again
}

const idleLocks = 64

type keyLock struct {
	free  chan struct{} // holds one token while the lock is free
	users int           // the holder and those who wait
}

// lock waits for the lock of a session, or for the context to end.
func (m *keyedMutex) lock(ctx context.Context, id string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	if m.held == nil {
		m.held = map[string]*keyLock{}
	}
	l := m.held[id]
	if l == nil {
		l = m.newLock()
		m.held[id] = l
	}
	l.users++
	m.mu.Unlock()

	select {
	case <-l.free:
	default: // only who has to wait asks for the end of the context, which may cost a timer
		select {
		case <-l.free:
		case <-ctx.Done():
			m.release(id, l)
			return nil, ctx.Err()
		}
	}
	return func() {
		l.free <- struct{}{}
		m.release(id, l)
	}, nil
}

// newLock returns a free lock. The caller holds m.mu.
func (m *keyedMutex) newLock() *keyLock {
	if n := len(m.idle); n > 0 {
		l := m.idle[n-1]
		m.idle = m.idle[:n-1]
		return l
	}
	l := &keyLock{free: make(chan struct{}, 1)}
	l.free <- struct{}{}
	return l
}

func (m *keyedMutex) release(id string, l *keyLock) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(m.held, id)
		if len(m.idle) < idleLocks {
			m.idle = append(m.idle, l)
		}
	}
}
