package spool

import (
	"cmp"
	"strings"
)

// ParseLine recognizes the command line that agents call:
//
//	[--data DIR] hook [--data DIR] HOST EVENT
//
// The program answers it without the command tree: building that was a tenth of the program's
// start, and an agent waits. All else that begins with hook (help, other flags, an
// agent that is not known, reflect) is left to the tree.
func ParseLine(args []string) (call Args, ok bool) {
	data := ""
	if len(args) > 1 && args[0] == "--data" {
		data, args = args[1], args[2:]
	}
	if len(args) == 0 || args[0] != "hook" {
		return call, false
	}
	if call, ok = ParseArgs(args[1:]); !ok || strings.HasPrefix(call.Event, "-") {
		return call, false
	}
	call.Data = cmp.Or(call.Data, data)
	_, _, ok = Find(call.Host, call.Event)
	return call, ok
}
