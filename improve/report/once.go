package report

import "sync"

// Once remembers what was told. A nil one remembers nothing. It may be used by several
// goroutines.
type Once struct {
	mu   sync.Mutex
	seen map[string]bool
}

// First reports whether a text comes for the first time.
func (o *Once) First(text string) bool {
	if o == nil {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[text] {
		return false
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[text] = true
	return true
}
