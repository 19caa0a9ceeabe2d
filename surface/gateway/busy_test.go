package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// echo is a provider that answers with the body that arrived, so that each client
// sees what became of its own request.
func echo(t *testing.T) *provider {
	t.Helper()
	return newProvider(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
}

// TestG5_RetriesAtOnce: the same request many times at the same moment is one
// request: the same bytes leave, and nothing is counted twice.
func TestG5_RetriesAtOnce(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, parts{up: echo(t).URL, opening: planning(), patience: 60000})
			raw := d.ask("hello", false)
			const clients = 24
			got := make([]answer, clients)
			var wg sync.WaitGroup
			for n := range clients {
				wg.Go(func() {
					a, err := r.try(http.MethodPost, d.path, with(d.key, "X-Trimtab-Session", "s"), bytes.NewReader(raw))
					if err != nil {
						t.Error(err)
					}
					got[n] = a
				})
			}
			wg.Wait()
			for n, a := range got {
				if !bytes.Equal(a.body, got[0].body) || !bytes.Equal(uncut(t, d, a.body), raw) || strings.Count(string(a.body), planned) != 1 {
					t.Fatalf("request %d left as\n%s\nanother as\n%s", n, a.body, got[0].body)
				}
			}
			r.settle()
			if s := r.session("s"); s.Seq != 1 || s.Step != 0 || s.Made != 1 {
				t.Errorf("%d messages, %d steps, %d notes", s.Seq, s.Step, s.Made)
			}
			if n := r.gate.Stats.Faults.Load(); n != 0 {
				t.Errorf("%d faults:\n%s", n, r.log)
			}
		})
	}
}

// TestG5_TwoTurnsOfOneSessionAtOnce: hosts should not, and some do. Each request
// gets its own body with notes and nothing else, whatever else happens to the
// session at that moment.
func TestG5_TwoTurnsOfOneSessionAtOnce(t *testing.T) {
	d := dialects()["anthropic"]
	r := newRig(t, parts{up: echo(t).URL, opening: planning(), patience: 60000})
	over, stop := context.WithCancel(t.Context())
	var wg, aside sync.WaitGroup
	var left [4][][2][]byte // what was sent and what arrived, by client
	for n := range left {
		wg.Go(func() {
			for i := range 25 {
				raw := turns(i%asked + 1)
				if n%2 == 1 { // another history under the same name
					raw = bytes.ReplaceAll(raw, []byte("prompt"), fmt.Appendf(nil, "question of %d", n))
				}
				a, err := r.try(http.MethodPost, d.path, with(d.key, "X-Trimtab-Session", "s"), bytes.NewReader(raw))
				if err != nil || a.status != http.StatusOK {
					t.Errorf("%v, status %d", err, a.status)
					return
				}
				left[n] = append(left[n], [2][]byte{raw, a.body})
			}
		})
	}
	aside.Go(func() {
		for over.Err() == nil {
			r.gate.Flush(t.Context(), time.Minute)
			_, _ = r.gate.Stats.WriteTo(io.Discard)
			_, _ = r.service.Session(t.Context(), "s")
		}
	})
	wg.Wait()
	stop()
	aside.Wait()
	r.settle()
	for _, pair := range slices.Concat(left[:]...) {
		if !note(pair[1]) || !bytes.Equal(uncut(t, d, pair[1]), pair[0]) {
			t.Errorf("left as\n%s\nand was\n%s", pair[1], pair[0])
		}
	}
	if n := r.gate.Stats.Faults.Load(); n != 0 {
		t.Errorf("%d faults:\n%.3000s", n, r.log)
	}
	s, seen := r.session("s"), map[string]bool{}
	for _, m := range r.said("s") {
		if seen[m.ID] {
			t.Errorf("message %s is there twice", m.ID)
		}
		seen[m.ID] = true
	}
	if len(seen) != s.Seq {
		t.Errorf("%d messages are stored, %d were counted", len(seen), s.Seq)
	}
}

// TestG5_MoreSessionsThanAreKept: what is forgotten in memory comes back from the
// store, and no step is lost or counted twice.
func TestG5_MoreSessionsThanAreKept(t *testing.T) {
	p := parts{up: echo(t).URL, opening: planning(), patience: 60000}
	p.opt.Sessions = 2
	r := newRig(t, p)
	want := undisturbed(t)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range asked {
				a, err := r.try(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {fmt.Sprint("s", n)}}, bytes.NewReader(turns(i+1)))
				if err != nil || i == asked-1 && !bytes.Equal(a.body, want) {
					t.Errorf("session %d: %v, the last request left as\n%s\nwant\n%s", n, err, a.body, want)
				}
			}
		})
	}
	wg.Wait()
	r.settle()
	for n := range 8 {
		if s := r.session(fmt.Sprint("s", n)); s.Step != asked-1 || s.Seq != 2*asked-1 {
			t.Errorf("session %d: %d steps and %d messages, want %d and %d", n, s.Step, s.Seq, asked-1, 2*asked-1)
		}
	}
}
