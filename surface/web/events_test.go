package web_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/store/storetest"
	"github.com/trimtab/trimtab/surface/web"
)

// stream is an open stream of events.
type stream struct {
	t     *testing.T
	lines chan string
	id    string // the newest
	end   context.CancelFunc
}

// event reads up to the next event of a name whose data holds a text.
func (s *stream) event(name, holds string) string {
	s.t.Helper()
	event := ""
	timeout := time.After(time.Minute)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("the stream ended before %s with %s", name, holds)
			}
			if v, ok := strings.CutPrefix(line, "id: "); ok {
				s.id = v
			}
			if v, ok := strings.CutPrefix(line, "event: "); ok {
				event = v
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok && event == name && strings.Contains(data, holds) {
				return data
			}
		case <-timeout:
			s.t.Fatalf("no event %s with %s", name, holds)
		}
	}
}

func watch(t *testing.T, url, lastID string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/trimtab/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{t: t, lines: make(chan string, 1000), end: cancel}
	go func() {
		defer close(s.lines)
		defer reply.Body.Close()
		for in := bufio.NewScanner(reply.Body); in.Scan(); {
			s.lines <- in.Text()
		}
	}()
	return s
}

// TestX7_EventsComeFromTheStore, whatever process has changed it: here a chat's service
// and a worker's queue on the same file, and the API knows neither. A stream that breaks
// goes on where it was.
func TestX7_EventsComeFromTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trimtab.db")
	var both [2]*sqlite.Store
	for i := range both {
		st, err := sqlite.Open(t.Context(), path, sqlite.Config{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		both[i] = st
	}
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(nil)
	api, err := web.New(web.Options{Service: session.New(engine, both[0], session.Options{}), Archive: both[0], Feed: both[0], Token: token, Hosts: []string{srv.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = api
	srv.Start()
	t.Cleanup(srv.Close)

	chat := session.New(engine, both[1], session.Options{})
	tell := func(text string) {
		t.Helper()
		if _, _, err := chat.Handle(t.Context(), "s1", trimtab.Said{Message: trimtab.Prompt(text)}, trimtab.Calling{}); err != nil {
			t.Fatal(err)
		}
	}
	live := watch(t, srv.URL, "")
	live.event("ready", "cursor")
	if _, err := chat.Begin(t.Context(), trimtab.Info{ID: "s1", Host: "trimtab"}); err != nil {
		t.Fatal(err)
	}
	tell("hello from another process")
	if data := live.event("entry", `"calling"`); !strings.Contains(data, `"sessionId":"s1"`) {
		t.Errorf("it does not say of which session: %s", data)
	}
	live.event("change", `"session"`)
	live.end()

	tell("while nobody listened")
	if err := both[1].Queue().Add(t.Context(), storetest.Item(1)); err != nil {
		t.Fatal(err)
	}
	again := watch(t, srv.URL, live.id)
	again.event("entry", `"seq":3`)
	again.event("entry", `"seq":4`)
	again.event("change", `"improvement"`)
	again.end()

	lost := watch(t, srv.URL, "99999999")
	lost.event("reset", "cursor")
	tell("after a reset")
	lost.event("entry", `"seq":5`)
}
