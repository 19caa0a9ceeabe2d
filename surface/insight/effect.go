package insight

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/timeline"
)

// Weeks is how far back effects are told.
const Weeks = 12

const (
	effectSessions = 5000
	freshEffect    = time.Minute
	maxParts       = 200 // people whose effects are kept
)

// Tally counts messages of ours.
type Tally struct {
	Notes    int `json:"notes"`
	Heeded   int `json:"heeded"`
	Unheeded int `json:"unheeded"`
	Tokens   int `json:"tokens"`
	Lost     int `json:"lost"`

	Dollars float64 `json:"dollars"` // what the sessions spent, with all that the agents did; not told by kind
}

func (t *Tally) add(o Tally) {
	t.Notes, t.Heeded, t.Unheeded, t.Tokens, t.Lost = t.Notes+o.Notes, t.Heeded+o.Heeded, t.Unheeded+o.Unheeded, t.Tokens+o.Tokens, t.Lost+o.Lost
	t.Dollars += o.Dollars
}

// Share is how many of those that were judged were heeded, in percent; -1 where none was.
func (t Tally) Share() int {
	if t.Heeded+t.Unheeded == 0 {
		return -1
	}
	return 100 * t.Heeded / (t.Heeded + t.Unheeded)
}

// Effect is what messages came to, by week and in other ways.
type Effect struct {
	Weeks    []Counted `json:"weeks"` // the oldest first
	Kinds    []Counted `json:"kinds"`
	Projects []Counted `json:"projects"`
	People   []Counted `json:"people"`
	Sessions int       `json:"sessions"`
	All      Tally     `json:"all"`
}

// Counted is a tally of something.
type Counted struct {
	Name string `json:"name"`
	Tally
}

// rolled is what is kept of a session: reading it again is needed only when it changed.
type rolled struct {
	updated time.Time
	notes   map[noted]Tally
}

// noted is who spoke when; by "" is what the agent itself spent.
type noted struct{ week, by string }

// rollup keeps the tallies of sessions.
type rollup struct {
	mu   sync.Mutex
	kept map[string]rolled
}

func (u *rollup) of(ctx context.Context, from trimtab.Archive, info trimtab.Info, cost func(string, trimtab.Usage) (float64, bool)) (map[noted]Tally, error) {
	u.mu.Lock()
	was, ok := u.kept[info.ID]
	u.mu.Unlock()
	if ok && was.updated.Equal(info.Updated) {
		return was.notes, nil
	}
	s, err := from.Load(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	line, err := timeline.Of(ctx, from, s)
	if err != nil {
		return nil, err
	}
	notes := map[noted]Tally{}
	for _, turn := range line.Turns {
		for _, i := range turn.Items {
			if i.Usage != nil && cost != nil {
				at := noted{week: monday(cmp.Or(i.At, info.Updated))}
				dollars, _ := cost(info.Model, *i.Usage)
				t := notes[at]
				t.add(Tally{Dollars: dollars})
				notes[at] = t
			}
			if i.Kind != timeline.Ours || i.Note == nil {
				continue
			}
			at := noted{monday(cmp.Or(i.At, info.Updated)), i.Note.By}
			t := notes[at]
			t.add(tallyOf(*i.Note))
			notes[at] = t
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.kept == nil || len(u.kept) > 2*effectSessions {
		u.kept = map[string]rolled{}
	}
	u.kept[info.ID] = rolled{info.Updated, notes}
	return notes, nil
}

func tallyOf(n timeline.Note) Tally {
	t := Tally{Notes: 1, Tokens: n.Tokens, Lost: n.Lost}
	switch n.Heeded {
	case timeline.Yes:
		t.Heeded = 1
	case timeline.No:
		t.Unheeded = 1
	case timeline.Open, timeline.NoAsk:
	}
	return t
}

// monday names the week of a time.
func monday(t time.Time) string {
	t = t.UTC()
	return t.AddDate(0, 0, -(int(t.Weekday())+6)%7).Format("2006-01-02")
}

// Effect is what messages came to in a part of the sessions, which whose names, and whether
// that is being counted anew.
func (t *Teller) Effect(from trimtab.Archive, whose string) (e Effect, running bool, err error) {
	t.mu.Lock()
	if t.effects == nil || len(t.effects) > maxParts && t.effects[whose] == nil {
		t.effects = map[string]*job[Effect]{}
	}
	if t.effects[whose] == nil {
		t.effects[whose] = &job[Effect]{}
	}
	j := t.effects[whose]
	t.mu.Unlock()
	now := t.opt.Clock()
	return j.get(t.opt.Done, now, freshEffect, func(ctx context.Context) (Effect, error) { return t.effect(ctx, from, now) })
}

// By are the tallies by week, kind, repository or person; false is none of these.
func (e Effect) By(what string) (rows []Counted, ok bool) {
	switch what {
	case "week":
		return e.Weeks, true
	case "kind":
		return e.Kinds, true
	case "repository":
		return e.Projects, true
	case "person":
		return e.People, true
	}
	return nil, false
}

// effect counts the messages of the last weeks.
func (t *Teller) effect(ctx context.Context, from trimtab.Archive, now time.Time) (Effect, error) {
	var e Effect
	weeks, kinds, projects, people := map[string]Tally{}, map[string]Tally{}, map[string]Tally{}, map[string]Tally{}
	for i := range Weeks {
		weeks[monday(now.AddDate(0, 0, -7*i))] = Tally{}
	}
	add := func(to map[string]Tally, name string, n Tally) {
		sum := to[name]
		sum.add(n)
		to[name] = sum
	}
	for info, err := range from.List(ctx, trimtab.Query{Limit: effectSessions}) {
		if err != nil {
			return e, err
		}
		if now.Sub(info.Updated) > Weeks*7*24*time.Hour {
			break // the newest come first
		}
		notes, err := t.rolled.of(ctx, from, info, t.opt.Cost)
		if err != nil {
			continue // it was removed meanwhile, or cannot be read
		}
		e.Sessions++
		for at, n := range notes {
			if _, ok := weeks[at.week]; !ok {
				continue
			}
			e.All.add(n)
			add(weeks, at.week, n)
			if at.by != "" {
				add(kinds, at.by, n)
			}
			add(projects, cmp.Or(info.Repo, info.Project), n)
			add(people, info.User, n)
		}
	}
	e.Weeks, e.Kinds, e.Projects, e.People = counted(weeks), counted(kinds), counted(projects), counted(people)
	if first := slices.IndexFunc(e.Weeks, func(w Counted) bool { return w.Notes > 0 || w.Dollars > 0 }); first > 0 {
		e.Weeks = e.Weeks[first:] // before the first there is nothing to see
	}
	for _, by := range [][]Counted{e.Kinds, e.Projects, e.People} {
		slices.SortStableFunc(by, func(a, b Counted) int { return cmp.Compare(b.Notes, a.Notes) })
	}
	return e, ctx.Err()
}

func counted(by map[string]Tally) []Counted {
	all := make([]Counted, 0, len(by))
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, Counted{name, by[name]})
	}
	return all
}
