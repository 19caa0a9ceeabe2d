package inside_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/inside"
)

// lines is a writer for two goroutines.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestH10_WatchShowsEveryChangeOnce: the newest session, with its newest note and why; in
// place on a terminal, a line for each change for programs. It ends with its context.
func TestH10_WatchShowsEveryChangeOnce(t *testing.T) {
	s := trimtab.Session{Info: trimtab.Info{ID: "s1", Host: "claude"}, Step: 3, Made: 1, Notes: []trimtab.Note{{ID: 1, By: "mode", Slot: "entry", Why: "first prompt in PLANNING"}}}
	planning, research := []trimtab.Status{{By: "mode", Text: "PLANNING"}}, []trimtab.Status{{By: "mode", Text: "RESEARCH"}}
	type look struct {
		status []trimtab.Status
		err    error
	}
	looks := []look{{err: errors.New("not yet \x1b[31m")}, {status: planning}, {status: planning}, {err: errors.New("busy")}, {status: research}}
	for name, w := range map[string]inside.Watch{"a terminal": {Terminal: true}, "programs": {JSON: true}, "a pipe": {}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var out lines
				n := 0
				w.Out, w.Every = &out, time.Second
				w.Look = func(context.Context) (trimtab.Session, []trimtab.Status, error) {
					if n == len(looks) {
						cancel()
						return s, nil, context.Canceled
					}
					n++
					return s, looks[n-1].status, looks[n-1].err
				}
				if err := w.On(ctx); err != nil {
					t.Fatal(err)
				}
				got := out.String()
				if strings.Contains(got, "\x1b[31m") || !strings.Contains(got, "RESEARCH") {
					t.Errorf("%q", got)
				}
				switch {
				case w.JSON:
					all := strings.Split(strings.TrimSpace(got), "\n")
					for _, line := range all {
						if !json.Valid([]byte(line)) {
							t.Errorf("no JSON: %s", line)
						}
					}
					if len(all) != 2 {
						t.Errorf("%d lines for two changes: %s", len(all), got)
					}
				case w.Terminal:
					if strings.Count(got, "\x1b[H") != 4 || !strings.HasSuffix(got, "\x1b[J") || !strings.Contains(got, "first prompt in PLANNING") {
						t.Errorf("%q", got)
					}
				default:
					if strings.Contains(got, "\x1b") || !strings.Contains(got, "mode     PLANNING\n") || !strings.Contains(got, "last     mode/entry: first prompt in PLANNING\n") {
						t.Errorf("%q", got)
					}
				}
			})
		})
	}
}

// TestH10_TheTitleOfTheTerminal: saved before the first, set at a change and now and then,
// restored at the end, and harmless whatever a session is called.
func TestH10_TheTitleOfTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lines
		var mu sync.Mutex
		line := ""
		set := func(text string) {
			mu.Lock()
			line = text
			mu.Unlock()
		}
		stop := inside.Title{Out: &out, Every: time.Second, Again: 10 * time.Second, Line: func() string {
			mu.Lock()
			defer mu.Unlock()
			return line
		}}.Start()
		time.Sleep(3500 * time.Millisecond)
		if out.String() != "" {
			t.Errorf("nothing to show, and there is %q", out.String())
		}
		set("trimtab · PLANNING")
		time.Sleep(5 * time.Second)
		set("trimtab · \x1b]0;x\x07 RESEARCH\n")
		time.Sleep(11 * time.Second)
		stop()
		got := out.String()
		if !strings.HasPrefix(got, "\x1b[22;2t\x1b]2;trimtab · PLANNING\x07\x1b]2;trimtab · ") || !strings.HasSuffix(got, "\x07\x1b[23;2t") || strings.Count(got, "\x1b]2;") != 3 || strings.Count(got, "\x07") != 3 || strings.Contains(got, "\x1b]0") {
			t.Errorf("%q", got)
		}
	})
	off := false
	for name, want := range map[string]bool{"codex": true, "goose": true, "claude": false, "pi": false, "gateway": false} {
		if (inside.Config{}).Shown(name) != want || (inside.Config{Title: &off}).Shown(name) {
			t.Errorf("%s", name)
		}
	}
}

// TestX7_AWatchLooksWhenSomethingHasChanged, and not by the clock.
func TestX7_AWatchLooksWhenSomethingHasChanged(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	looked, changes := 0, make(chan struct{}, 3)
	w := inside.Watch{
		JSON: true, Out: io.Discard, Every: time.Hour,
		Look: func(context.Context) (trimtab.Session, []trimtab.Status, error) {
			if looked++; looked == 3 {
				cancel()
			}
			return trimtab.Session{Step: looked}, nil, nil
		},
		Next: func(context.Context) error { changes <- struct{}{}; return nil },
	}
	if err := w.On(ctx); err != nil || looked != 3 || len(changes) != 2 {
		t.Errorf("looked %d times after %d changes, %v", looked, len(changes), err)
	}
}
