package insight

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// freshFindings is how long what was read of sessions is told before they are read again.
const freshFindings = 5 * time.Minute

// MaxDays is how far back findings can be asked for.
const MaxDays = 365

// Findings are what kept going wrong.
type Findings struct {
	At       time.Time
	Sessions int
	Hosts    map[string]int // sessions of each agent
	All      []Finding      // those first that nobody dismissed
}

// Finding is a pattern, the folder of a session in which it was seen, where that is known,
// and the improvement that there is of it.
type Finding struct {
	improve.Merged
	Project string `json:"project,omitempty"`
	Filed   string `json:"improvement,omitempty"`

	Dismissed *improve.Dismissal `json:"not_useful,omitempty"` // by a person; nil by nobody
}

// Dismissals keeps what people found not useful; decide.Findings does.
type Dismissals interface {
	Dismissed(ctx context.Context) (improve.Dismissals, error)
	Dismiss(ctx context.Context, d improve.Dismissal) error
	TakeBack(ctx context.Context, d improve.Dismissal) error
}

// ErrNoFinding is a pattern that is not among those that were found last.
var ErrNoFinding = errors.New("this finding is not among those of the newest reading")

// ErrNoMake is that improvements cannot be made here.
var ErrNoMake = errors.New("improvements cannot be made here")

// ErrNoDismiss is that it is not kept here what people find not useful.
var ErrNoDismiss = errors.New("it is not kept here what people find not useful")

// Reflects reports whether there is anything to read.
func (t *Teller) Reflects() bool { return t.opt.Reflect != nil }

// Makes reports whether improvements can be made of findings.
func (t *Teller) Makes() bool { return t.opt.Make != nil }

// Findings are those of the last days, and whether sessions are being read anew. The queue
// says of which there are improvements.
func (t *Teller) Findings(ctx context.Context, days int, queue improve.Backlog) (f Findings, running bool, err error) {
	all, running, err := t.read(days)
	f = Findings{At: all.At, Sessions: len(all.Results) - all.Agents, Hosts: all.Hosts}
	filed := map[string]string{}
	if queue != nil {
		items, failed := queue.Items(ctx)
		if failed == nil { // else they are told as not filed, and filing them says that they are
			for _, it := range items {
				filed[it.Request.Pattern.Fingerprint], filed[it.Fingerprint] = it.ID, it.ID
			}
		}
	}
	not := improve.Dismissals{}
	if t.opt.Said != nil {
		var failed error
		not, failed = t.opt.Said.Dismissed(ctx)
		err = cmp.Or(err, failed) // they are told as if nobody had dismissed any
	}
	useful, rest := not.Split(all.Merged)
	for _, m := range slices.Concat(useful, rest) {
		one := Finding{Merged: m, Project: projectOf(all, m), Filed: filed[m.Fingerprint]}
		if d, ok := not[m.Fingerprint]; ok {
			one.Dismissed = &d
		}
		f.All = append(f.All, one)
	}
	return f, running, err
}

// Dismisses reports whether it is kept what people find not useful.
func (t *Teller) Dismisses() bool { return t.opt.Said != nil }

// Dismiss keeps that a person found a finding not useful, or with back that it counts again.
func (t *Teller) Dismiss(ctx context.Context, days int, d improve.Dismissal, back bool) error {
	if t.opt.Said == nil {
		return ErrNoDismiss
	}
	if back {
		return t.opt.Said.TakeBack(ctx, d)
	}
	all, _, _ := t.read(days) // also of a reading that failed since, they show what was found before
	if !slices.ContainsFunc(all.Merged, func(m improve.Merged) bool { return m.Fingerprint == d.Fingerprint }) {
		return ErrNoFinding
	}
	return t.opt.Said.Dismiss(ctx, d)
}

// Make makes an improvement of a finding. Whoever asks names no folder.
func (t *Teller) Make(ctx context.Context, days int, fingerprint string) (improve.Item, error) {
	if t.opt.Make == nil || t.opt.Reflect == nil {
		return improve.Item{}, ErrNoMake
	}
	all, _, err := t.read(days)
	if err != nil {
		return improve.Item{}, err
	}
	for _, m := range all.Merged {
		if project := projectOf(all, m); m.Fingerprint == fingerprint && project != "" {
			return t.opt.Make(ctx, project, m.Fingerprint)
		}
	}
	return improve.Item{}, ErrNoFinding
}

// read is what was last read of so many days.
func (t *Teller) read(days int) (improve.Reflection, bool, error) {
	if t.opt.Reflect == nil {
		return improve.Reflection{}, false, nil
	}
	t.mu.Lock()
	if t.reads[days] == nil {
		t.reads[days] = &job[improve.Reflection]{}
	}
	j := t.reads[days]
	t.mu.Unlock()
	now := t.opt.Clock()
	return j.get(t.opt.Done, now, freshFindings, func(ctx context.Context) (improve.Reflection, error) {
		return t.opt.Reflect(ctx, improve.Query{Since: now.AddDate(0, 0, -days)})
	})
}

// projectOf is the folder of a session in which a pattern was seen.
func projectOf(all improve.Reflection, m improve.Merged) string {
	for _, one := range all.Results {
		for _, id := range m.In {
			if one.SessionID == id && filepath.IsAbs(one.Project) {
				return one.Project
			}
		}
	}
	return ""
}
