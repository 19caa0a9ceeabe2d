package rest

import (
	"strings"
	"sync"

	"github.com/trimtab/trimtab/forge"
)

// Known is a value that is asked for once. An error is not kept.
type Known[T any] struct {
	mu   sync.Mutex
	have bool
	v    T
}

// Get returns the value.
func (k *Known[T]) Get(ask func() (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.have {
		return k.v, nil
	}
	v, err := ask()
	if err == nil {
		k.v, k.have = v, true
	}
	return v, err
}

// Colour is what a label is given that we make; people change it as they like.
const Colour = "c5def5"

// Holds reports whether a label is among others, whatever its case.
func Holds(all []string, one string) bool {
	for _, a := range all {
		if strings.EqualFold(a, one) {
			return true
		}
	}
	return false
}

// Verdict reads what a forge calls the result of a check.
func Verdict(word string) forge.Verdict {
	switch strings.ToLower(word) {
	case "success", "neutral", "skipped", "manual":
		return forge.Passed
	case "failure", "error", "failed", "cancelled", "canceled", "timed_out", "action_required", "startup_failure", "stale", "warning":
		return forge.Failed
	}
	return forge.Pending
}
