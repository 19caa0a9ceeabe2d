// Package audit keeps who did what when in a store that several people use: keys made and
// revoked, sign-ins, commands given to sessions by way of the API, and approvals of
// improvements. Of what was said in a session nothing is in it.
//
//	log := audit.Log{Files: store, Clock: time.Now}
//	err := log.Record(ctx, audit.Event{Who: "eve", By: "sign-in", What: "key.create", About: "k4m2xq7a"})
//	for event, err := range log.Events(ctx, since, until) { … }
//
// An event is written once, under a name of its own, and never changed by us; whoever has the
// password of the database can.
package audit

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"iter"
	"log/slog"
	"slices"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/surface/person"
)

// Event is that somebody did something.
type Event struct {
	At    time.Time `json:"at"`
	Who   string    `json:"who"`
	By    string    `json:"by,omitempty"` // how they were known: "command line", "key ID", "sign-in", "token"
	What  string    `json:"what"`         // as in key.create
	About string    `json:"about,omitempty"`
	More  string    `json:"more,omitempty"`
}

// Files is where events are kept.
type Files interface {
	SaveOnce(ctx context.Context, folder string, f improve.File) (improve.File, error)
	Files(ctx context.Context, folder string) ([]improve.File, error)
}

// Log is the events in a store.
type Log struct {
	Files Files
	Clock func() time.Time
}

// Folders is what the names of the folders with events begin with; the day follows.
const Folders = "audit-"

// folderOf is where the events of a day are.
func folderOf(t time.Time) string { return Folders + t.UTC().Format(time.DateOnly) }

const maxText = 500

// Record keeps an event. Its time is now, where it has none.
func (l Log) Record(ctx context.Context, e Event) error {
	if e.At.IsZero() {
		e.At = l.Clock()
	}
	e.At = e.At.UTC()
	e.About, e.More = clip(e.About), clip(e.More)
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = l.Files.SaveOnce(ctx, folderOf(e.At), improve.File{Name: e.At.Format("150405.000000000") + "-" + rand.Text()[:8], Body: raw})
	return err
}

// Did records what a person did by way of a server. What was done is not undone where that
// fails: the log says so.
func (l Log) Did(log *slog.Logger) func(ctx context.Context, p person.Person, what, about, more string) {
	return func(ctx context.Context, p person.Person, what, about, more string) {
		if err := l.Record(context.WithoutCancel(ctx), Event{Who: p.User, By: p.By, What: what, About: about, More: more}); err != nil {
			log.Error("the audit could not be written", "who", p.User, "what", what, "error", err)
		}
	}
}

func clip(s string) string {
	if len(s) > maxText {
		return s[:maxText] + "…"
	}
	return s
}

// Events are those of a time, in order. Approvals are read where they are kept, with the
// improvements.
func (l Log) Events(ctx context.Context, from, to time.Time) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		approved, err := l.approvals(ctx)
		if err != nil {
			yield(Event{}, err)
			return
		}
		for day := from.UTC().Truncate(24 * time.Hour); !day.After(to.UTC()); day = day.Add(24 * time.Hour) {
			files, err := l.Files.Files(ctx, folderOf(day))
			if err != nil {
				yield(Event{}, err)
				return
			}
			var all []Event
			for _, f := range files {
				var e Event
				if json.Unmarshal(f.Body, &e) != nil { // it is told rather than passed over
					e = Event{At: day, What: "damaged", About: f.Name}
				}
				all = append(all, e)
			}
			for _, e := range approved {
				if e.At.UTC().Truncate(24 * time.Hour).Equal(day) {
					all = append(all, e)
				}
			}
			slices.SortStableFunc(all, func(a, b Event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.What, b.What)) })
			for _, e := range all {
				if !e.At.Before(from) && !e.At.After(to) && !yield(e, nil) {
					return
				}
			}
		}
	}
}

func (l Log) approvals(ctx context.Context) (all []Event, err error) {
	queue, ok := l.Files.(interface {
		Items(ctx context.Context, states ...improve.State) ([]improve.Item, error)
	})
	if !ok {
		return nil, nil
	}
	items, err := queue.Items(ctx)
	for _, i := range items {
		if i.Approved != nil {
			all = append(all, Event{At: i.Approved.At.UTC(), Who: i.Approved.By, What: "improvement.approve", About: i.ID})
		}
	}
	return all, err
}
