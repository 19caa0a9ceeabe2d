package pipeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// done is an item whose change was made three days ago.
func done(n int) improve.Item {
	c := improve.Case{Pattern: pattern(n), Project: project}
	it := improve.NewItem("workflow_20261110_101500_k3x9", c, improve.Config{}, improve.Verdict{State: improve.Done}, now.Add(-96*time.Hour))
	it.Updated = now.Add(-72 * time.Hour)
	return it
}

// seen has the trouble seen in sessions before and after the change.
func (b *fixture) seen(before, after int) {
	b.sessions.patterns, b.sessions.times = nil, nil
	for i := range before + after {
		b.sessions.patterns = append(b.sessions.patterns, pattern(1))
		at := now.Add(-time.Hour)
		if i < before {
			at = now.Add(-90 * time.Hour)
		}
		b.sessions.times = append(b.sessions.times, at)
	}
}

// TestR26_WhatDidNotHelpIsTakenUpAgain: once, by a person, as an item that names the one
// before it and what was seen since, under a fingerprint of its own.
func TestR26_WhatDidNotHelpIsTakenUpAgain(t *testing.T) {
	for _, how := range []string{"retry", "new"} {
		b := newFixture(t)
		b.seen(3, 3)
		if err := b.queue.Add(t.Context(), done(1)); err != nil {
			t.Fatal(err)
		}
		take := func() (improve.Item, error) {
			if how == "new" {
				return b.New(t.Context(), Query{Project: project}, "", true)
			}
			return b.TakeUp(t.Context(), Query{}, done(1))
		}
		it, err := take()
		if err != nil {
			t.Fatal(how, err)
		}
		if it.Follows != done(1).ID || it.State != improve.Queued || it.Fingerprint == done(1).Fingerprint || it.Request.Pattern.Fingerprint != done(1).Fingerprint {
			t.Errorf("%s: %+v", how, it)
		}
		if !strings.Contains(it.Request.Description, "did not end this (workflow_20261110_101500_k3x9): it did not help: 3 of 3 sessions before, 3 of 3 after") {
			t.Errorf("%s: %s", how, it.Request.Description)
		}
		if it, err := take(); err == nil {
			t.Errorf("%s: twice: %s", how, it.ID)
		}
	}
}

func TestR26_WhatHelpedIsNotTakenUpAgain(t *testing.T) {
	for name, c := range map[string]struct {
		before, after int
		want          string
	}{"it helped, or nobody can tell": {3, 0, "too few to tell"}, "seen once": {3, 1, "too few to tell"}} {
		b := newFixture(t)
		b.seen(c.before, c.after)
		if err := b.queue.Add(t.Context(), done(1)); err != nil {
			t.Fatal(err)
		}
		if it, err := b.TakeUp(t.Context(), Query{}, done(1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", name, it.ID, err)
		}
		if it, err := b.New(t.Context(), Query{Project: project}, "", false); err == nil || !strings.Contains(err.Error(), "what did not help is taken up again") {
			t.Errorf("%s: %v, %v", name, it.ID, err)
		}
	}
}

// TestR26_WhatComesByItselfStaysFiled: a trouble that came back is a person's to take up.
func TestR26_WhatComesByItselfStaysFiled(t *testing.T) {
	b := newFixture(t)
	b.seen(3, 3)
	b.cfg = improve.Config{Enabled: true}
	if err := b.queue.Add(t.Context(), done(1)); err != nil {
		t.Fatal(err)
	}
	out, err := b.Stopped(t.Context(), improve.StoppedSession{Session: "s", Project: project})
	if err != nil || out.ID != "" {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestR26_AReaderMayJudge: who names causes by reading may be asked in the rule's place.
func TestR26_AReaderMayJudge(t *testing.T) {
	b := newFixture(t)
	b.seen(2, 2)
	b.opt.Judge = func(improve.Item) improve.Judge { return never{} }
	all, err := b.Impact(t.Context(), Query{Project: project, Offline: true}, done(1))
	if err != nil || fmt.Sprint(all[0].Before, all[0].After) != "{2 2 0 0} {2 2 0 0}" {
		t.Errorf("%+v, %v", all, err)
	}
}

type never struct{}

func (never) Judge(improve.Result) (bool, int) { return true, 0 }
