package gateway

import (
	"fmt"
	"io"
	"sync/atomic"
)

// Stats counts what passed.
type Stats struct {
	Requests atomic.Int64 // all
	Main     atomic.Int64 // main turns
	Side     atomic.Int64 // side calls, passed untouched
	Edited   atomic.Int64 // bodies that left with notes
	Notes    atomic.Int64 // injected
	Tokens   atomic.Int64 // of them
	Faults   atomic.Int64 // steering failed and the body went out as it came
	Failed   atomic.Int64 // the provider could not be reached
	Streams  atomic.Int64 // under way now
}

// WriteTo writes the counts in the text form of Prometheus.
func (s *Stats) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for _, m := range []struct {
		name, kind, help string
		value            *atomic.Int64
	}{
		{"trimtab_requests_total", "counter", "requests that passed the gateway", &s.Requests},
		{"trimtab_main_turns_total", "counter", "requests that were a main turn", &s.Main},
		{"trimtab_side_calls_total", "counter", "requests that were a side call and passed untouched", &s.Side},
		{"trimtab_edited_total", "counter", "requests that left with notes", &s.Edited},
		{"trimtab_notes_total", "counter", "notes injected", &s.Notes},
		{"trimtab_note_tokens_total", "counter", "tokens of the notes injected", &s.Tokens},
		{"trimtab_faults_total", "counter", "requests that steering failed on and that passed untouched", &s.Faults},
		{"trimtab_upstream_errors_total", "counter", "requests whose provider could not be reached", &s.Failed},
		{"trimtab_streams", "gauge", "replies under way", &s.Streams},
	} {
		n, err := fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", m.name, m.help, m.name, m.kind, m.name, m.value.Load())
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
