package session

import (
	"container/list"
	"sync"

	"github.com/trimtab/trimtab"
)

// cache holds the sessions that were last in use, as they are stored. It may be
// behind when another process changed one; the store's versions tell.
type cache struct {
	max int

	mu    sync.Mutex
	order list.List // of *trimtab.Session, newest first
	at    map[string]*list.Element
}

func (c *cache) get(id string) (trimtab.Session, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[id]
	if !ok {
		return trimtab.Session{}, false
	}
	c.order.MoveToFront(e)
	return *e.Value.(*trimtab.Session), true
}

func (c *cache) put(s trimtab.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[s.ID]; ok {
		*e.Value.(*trimtab.Session) = s
		c.order.MoveToFront(e)
		return
	}
	if c.at == nil {
		c.at = map[string]*list.Element{}
	}
	c.at[s.ID] = c.order.PushFront(&s)
	c.shrink(c.max)
}

// shrink drops all but the sessions used last. The caller holds the lock.
func (c *cache) shrink(keep int) {
	for c.order.Len() > keep {
		last := c.order.Remove(c.order.Back()).(*trimtab.Session)
		delete(c.at, last.ID)
	}
}

func (c *cache) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[id]; ok {
		c.order.Remove(e)
		delete(c.at, id)
	}
}
