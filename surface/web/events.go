package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/feed"
)

// changes lists what has changed after a cursor, for those who ask again and again.
func (a *API) changes(w http.ResponseWriter, r *http.Request) {
	limit := 100
	if n, err := strconv.Atoi(r.FormValue("limit")); err == nil && n > 0 && n <= 10_000 {
		limit = n
	}
	at := feed.Cursor(r.FormValue("after"))
	_, source, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	all, err := source.Changes(r.Context(), at, limit)
	if err != nil {
		failed(w, err)
		return
	}
	for _, c := range all {
		at = c.Cursor
	}
	answer(w, struct {
		Changes []feed.Change `json:"changes"`
		Cursor  feed.Cursor   `json:"cursor"`
	}{append([]feed.Change{}, all...), at})
}

// event is what a stream says next.
type event struct {
	name string
	id   feed.Cursor // "" is none
	data any
}

// entryEvent is an entry of a journal and the session that it is of.
type entryEvent struct {
	Session trimtab.Info  `json:"session"`
	Entry   trimtab.Entry `json:"entry"` // it names a message that was said
}

// events streams what changes in the store, whatever process changes it, as server-sent
// events: ready with the cursor that it begins at, entry for each line of a journal, and
// change, behind the entries that came with it. Whoever gives the newest id back, as
// browsers do, misses nothing. reset says that the cursor is of another store.
func (a *API) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	at := feed.Cursor(r.Header.Get("Last-Event-ID"))
	if given := r.FormValue("after"); at == "" {
		at = feed.Cursor(given)
	}
	live := make(chan event)
	go a.follow(ctx, at, live)
	beat := time.NewTicker(20 * time.Second)
	defer beat.Stop()
	for {
		select {
		case e, ok := <-live:
			if !ok {
				return // whoever watches comes again, with the newest id
			}
			writeEvent(w, e)
		case <-beat.C:
			fmt.Fprint(w, ": still here\n\n")
		case <-r.Context().Done():
			return
		case <-a.opt.Done:
			return
		}
		if flush.Flush() != nil {
			return
		}
	}
}

func writeEvent(w http.ResponseWriter, e event) {
	raw, err := json.Marshal(e.data)
	if err != nil {
		return
	}
	if e.id != "" {
		fmt.Fprintf(w, "id: %s\n", e.id)
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, raw)
}

// follow sends what changes after a cursor, from now on where there is none, until the
// context ends or the store fails.
func (a *API) follow(ctx context.Context, at feed.Cursor, to chan<- event) {
	defer close(to)
	archive, source, err := a.part(ctx)
	if err != nil {
		return
	}
	send := func(e event) bool {
		select {
		case to <- e:
			return true
		case <-ctx.Done():
			return false
		}
	}
	type cursor struct {
		Cursor feed.Cursor `json:"cursor"`
	}
	name := "ready"
	if at != "" {
		if _, err := source.Changes(ctx, at, 1); errors.Is(err, feed.ErrCursor) {
			at, name = "", "reset"
		}
	}
	if at == "" {
		if at, err = source.Now(ctx); err != nil {
			return
		}
	}
	if !send(event{name, at, cursor{at}}) {
		return
	}
	sent := map[string]mark{}
	for c, err := range feed.Watch(ctx, source, at) {
		if err != nil {
			return
		}
		if c.Kind == feed.Session && !c.Removed {
			for _, e := range entries(ctx, archive, source, c, at, sent) {
				if !send(event{"entry", "", e}) {
					return
				}
			}
		}
		if !send(event{"change", c.Cursor, c}) {
			return
		}
	}
}

// mark is how far a session was sent.
type mark struct{ version, entry int }

// entries are those of a session since a cursor that were not sent before. What cannot be
// read is left out: the change itself is told.
func entries(ctx context.Context, archive trimtab.Archive, source feed.Source, c feed.Change, since feed.Cursor, sent map[string]mark) (all []entryEvent) {
	s, err := archive.Load(ctx, c.ID)
	if err != nil {
		return nil
	}
	last := sent[c.ID]
	journal := archive.Journal(ctx, c.ID, last.entry)
	if last.entry == 0 || s.Version < last.version { // it may have been removed and begun again
		journal, last = source.Entries(ctx, c.ID, since), mark{}
	}
	for e, err := range journal {
		if err != nil {
			continue
		}
		last = mark{s.Version, e.Seq}
		all = append(all, entryEvent{s.Info, e})
	}
	sent[c.ID] = last
	return all
}
