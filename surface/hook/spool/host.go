package spool

import (
	"strings"

	"github.com/trimtab/trimtab/host"
)

// Kind is what an event of a host means to us.
type Kind = host.HookKind

// The kinds, as package host explains them.
const (
	None       = host.HookNone
	Start      = host.HookStart
	Prompt     = host.HookPrompt
	Using      = host.HookUsing
	Used       = host.HookUsed
	Stop       = host.HookStop
	Compacting = host.HookCompacting
	Compacted  = host.HookCompacted
	End        = host.HookEnd
	Request    = host.HookRequest
)

// Event is an event of a host, by the host's own name.
type Event = host.HookEvent

// Hosts returns the hosts whose hooks we answer. The list is the caller's.
func Hosts() []host.Host {
	var all []host.Host
	for _, h := range host.All() {
		if len(h.Hooks.Events) > 0 {
			all = append(all, h)
		}
	}
	return all
}

// Find returns a host with hooks by its name, and one of its events by the host's
// name for it or by ours, in any case. An event that is not answered has no kind.
func Find(name, event string) (host.Host, Event, bool) {
	h, ok := host.Find(name)
	if !ok || len(h.Hooks.Events) == 0 {
		return host.Host{}, Event{}, false
	}
	for _, e := range h.Hooks.Events {
		if strings.EqualFold(e.Name, event) || strings.EqualFold(e.Kind.String(), event) {
			return h, e, true
		}
	}
	return h, Event{Name: event}, true
}
