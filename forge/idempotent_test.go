package forge_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
)

const life = 90 * time.Second

// shelf is a forge that holds issues and answers as it is told.
type shelf struct {
	forge.Forge // what is not below is not asked for
	issues      []forge.Issue
	answers     []error                   // for the next issues that are opened
	keep        func(error) bool          // whether an answer's issue is made all the same
	story       *[]string                 // what happened, in order
	lists       func(author string) error // an error of the list
	lax         bool                      // it lists what others wrote as well
}

func (s *shelf) roles() forge.Forge {
	return forge.Forge{Repository: s, Issues: s, Pulls: s, Talk: s}
}

func (s *shelf) Repo(context.Context) (forge.Repo, error) { return forge.Repo{Self: "trimtab"}, nil }

func (s *shelf) Traits() forge.Traits {
	return forge.Traits{Name: "shelf", Life: life, Title: 20, Body: 2000}
}

func (s *shelf) tell(what string) {
	if s.story != nil {
		*s.story = append(*s.story, what)
	}
}

func (s *shelf) IssuesBy(_ context.Context, author string) iter.Seq2[forge.Issue, error] {
	return func(yield func(forge.Issue, error) bool) {
		s.tell("look")
		if s.lists != nil {
			if err := s.lists(author); err != nil {
				yield(forge.Issue{}, err)
				return
			}
		}
		for _, i := range s.issues {
			if (s.lax || i.Author == author) && !yield(i, nil) {
				return
			}
		}
	}
}

func (s *shelf) OpenIssue(_ context.Context, t forge.Text) (forge.Issue, error) {
	s.tell("open")
	var err error
	if len(s.answers) > 0 {
		err, s.answers = s.answers[0], s.answers[1:]
	}
	made := forge.Issue{Number: len(s.issues) + 1, Title: t.Title, Body: t.Body, Author: "trimtab"}
	if err == nil || s.keep != nil && s.keep(err) {
		s.issues = append(s.issues, made)
	}
	return made, err
}

// diary is a log that tells what it does.
type diary struct {
	forgetest.Log
	story *[]string
	fails error
}

func (d *diary) Begin(ctx context.Context, key string, at time.Time) error {
	*d.story = append(*d.story, "record "+key)
	if d.fails != nil {
		return d.fails
	}
	return d.Log.Begin(ctx, key, at)
}

func newIdempotent(t *testing.T, s *shelf, clock *forgetest.Clock, log forge.Log, change func(*forge.Options)) *forge.Idempotent {
	t.Helper()
	opt := forge.Options{Keys: [][]byte{keyA}, Log: log, Now: clock.Now, Wait: clock.Wait}
	if change != nil {
		change(&opt)
	}
	c, err := forge.NewIdempotent(s.roles(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var text = forge.Text{Title: "The rudder sticks", Body: "text"}

func unclear() error { return &forge.Error{Forge: "shelf", Doing: "open issue", Err: forge.ErrUnclear} }

func TestP1_TheIntentIsRecordedBeforeTheEffect(t *testing.T) {
	var story []string
	c := newIdempotent(t, &shelf{story: &story}, forgetest.NewClock(), &diary{story: &story}, nil)
	if _, err := c.Issue(t.Context(), "f:1", text, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"look", "record issue f:1", "open"}, story); d != "" {
		t.Error(d)
	}
}

func TestP1_WhatCannotBeRecordedIsNotDone(t *testing.T) {
	var story []string
	full := errors.New("disk full")
	c := newIdempotent(t, &shelf{story: &story}, forgetest.NewClock(), &diary{story: &story, fails: full}, nil)
	if _, err := c.Issue(t.Context(), "f:1", text, nil); !errors.Is(err, full) {
		t.Error(err)
	}
	if d := cmp.Diff([]string{"look", "record issue f:1"}, story); d != "" {
		t.Error(d)
	}
}

func TestP2_AfterALostAnswerTheForgeIsWaitedOut(t *testing.T) {
	clock := forgetest.NewClock()
	s := &shelf{answers: []error{unclear()}}
	c := newIdempotent(t, s, clock, &forgetest.Log{}, nil)
	if _, err := c.Issue(t.Context(), "f:1", text, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]time.Duration{life}, clock.Waited()); d != "" {
		t.Error(d)
	}
	if len(s.issues) != 1 {
		t.Errorf("%d issues", len(s.issues))
	}
}

func TestP2_AnIssueThatIsThereNeedsNoWaiting(t *testing.T) {
	clock := forgetest.NewClock()
	s := &shelf{answers: []error{unclear()}, keep: func(error) bool { return true }}
	if _, err := newIdempotent(t, s, clock, &forgetest.Log{}, nil).Issue(t.Context(), "f:1", text, nil); err != nil {
		t.Fatal(err)
	}
	if waited := clock.Waited(); len(waited) != 0 || len(s.issues) != 1 {
		t.Errorf("waited %v, %d issues", waited, len(s.issues))
	}
}

func TestP2_ASuccessorWaitsForWhatIsLeftOfTheLife(t *testing.T) {
	for name, c := range map[string]struct {
		begun time.Duration // before now
		want  []time.Duration
	}{
		"just now":               {0, []time.Duration{life}},
		"half of it ago":         {life / 2, []time.Duration{life / 2}},
		"long ago":               {time.Hour, nil},
		"by a clock that is off": {-time.Hour, []time.Duration{life}},
	} {
		clock, log := forgetest.NewClock(), &forgetest.Log{}
		if err := log.Begin(t.Context(), "issue f:1", clock.Now().Add(-c.begun)); err != nil {
			t.Fatal(err)
		}
		if _, err := newIdempotent(t, &shelf{}, clock, log, nil).Issue(t.Context(), "f:1", text, nil); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, clock.Waited()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestP2_ItGivesUpAndSaysThatItIsUnclear(t *testing.T) {
	clock := forgetest.NewClock()
	s := &shelf{answers: []error{unclear(), unclear(), unclear(), unclear(), unclear()}}
	_, err := newIdempotent(t, s, clock, &forgetest.Log{}, nil).Issue(t.Context(), "f:1", text, nil)
	if !errors.Is(err, forge.ErrUnclear) || len(s.answers) != 2 {
		t.Errorf("%v after %d tries", err, 5-len(s.answers))
	}
}

func TestP2_WithoutALookNothingIsMade(t *testing.T) {
	down := &forge.Error{Forge: "shelf", Doing: "list issues", Err: forge.ErrUnreachable}
	s := &shelf{lists: func(string) error { return down }}
	if _, err := newIdempotent(t, s, forgetest.NewClock(), &forgetest.Log{}, nil).Issue(t.Context(), "f:1", text, nil); !errors.Is(err, forge.ErrUnreachable) || len(s.issues) != 0 {
		t.Errorf("%v, %d issues", err, len(s.issues))
	}
}

// A forge that does not know the author asked for may list everybody's.
func TestTheAuthorIsCheckedWhateverTheForgeLists(t *testing.T) {
	body := sign(t, signer(t, keyA), "text", forge.Marker{Kind: "issue", ID: "f:1"})
	s := &shelf{lax: true, issues: []forge.Issue{{Number: 4, Author: "eve", Body: body}}}
	if _, ok, err := newIdempotent(t, s, forgetest.NewClock(), &forgetest.Log{}, nil).Find(t.Context(), "f:1"); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestTheOldestOfSeveralCounts(t *testing.T) {
	body := sign(t, signer(t, keyA), "text", forge.Marker{Kind: "issue", ID: "f:1"})
	s := &shelf{issues: []forge.Issue{{Number: 9, Author: "trimtab", Body: body}, {Number: 4, Author: "trimtab", Body: body}, {Number: 7, Author: "trimtab", Body: body}}}
	got, err := newIdempotent(t, s, forgetest.NewClock(), &forgetest.Log{}, nil).Issue(t.Context(), "f:1", text, nil)
	if err != nil || got.Number != 4 {
		t.Errorf("%d, %v", got.Number, err)
	}
}

func TestATeamKnowsItsOwn(t *testing.T) {
	body := sign(t, signer(t, keyA), "text", forge.Marker{Kind: "issue", ID: "f:1"})
	s := &shelf{issues: []forge.Issue{{Number: 4, Author: "bob", Body: body}}}
	alone := newIdempotent(t, s, forgetest.NewClock(), &forgetest.Log{}, nil)
	if _, ok, err := alone.Find(t.Context(), "f:1"); ok || err != nil {
		t.Errorf("alone: %v, %v", ok, err)
	}
	team := newIdempotent(t, s, forgetest.NewClock(), &forgetest.Log{}, func(o *forge.Options) { o.Authors = []string{"trimtab", "bob"} })
	if got, ok, err := team.Find(t.Context(), "f:1"); !ok || err != nil || got.Number != 4 {
		t.Errorf("team: %v, %v", ok, err)
	}
}

// TestX3_WithoutTheKeyOurAccountsIssueCounts: a store that was lost took the key with it.
// One that we can prove goes first, and nobody else can write one.
func TestX3_WithoutTheKeyOurAccountsIssueCounts(t *testing.T) {
	m := forge.Marker{Kind: "issue", ID: "f:1"}
	ours, lost := sign(t, signer(t, keyA), "text", m), sign(t, signer(t, keyB), "text", m)
	other := sign(t, signer(t, keyB), "text", forge.Marker{Kind: "issue", ID: "f:2"})
	quoted := sign(t, signer(t, keyA), "as in "+lost, forge.Marker{Kind: "issue", ID: "f:3"})
	for name, c := range map[string]struct {
		issues []forge.Issue
		want   int
	}{
		"ours, of a lost key":   {[]forge.Issue{{Number: 4, Author: "trimtab", Body: lost}}, 4},
		"the oldest of them":    {[]forge.Issue{{Number: 5, Author: "trimtab", Body: lost}, {Number: 4, Author: "bob", Body: lost}}, 4},
		"one that we can prove": {[]forge.Issue{{Number: 4, Author: "trimtab", Body: lost}, {Number: 9, Author: "trimtab", Body: ours}}, 9},
		"and the other order":   {[]forge.Issue{{Number: 9, Author: "trimtab", Body: ours}, {Number: 4, Author: "trimtab", Body: lost}}, 9},
		"another trouble":       {[]forge.Issue{{Number: 4, Author: "trimtab", Body: other}}, 0},
		"somebody else":         {[]forge.Issue{{Number: 4, Author: "eve", Body: lost}}, 0},
		"quoted in one of ours": {[]forge.Issue{{Number: 4, Author: "trimtab", Body: quoted}}, 0},
		"no signature":          {[]forge.Issue{{Number: 4, Author: "trimtab", Body: "<!-- trimtab:1 issue f:1 abcd -->"}}, 0},
	} {
		s := &shelf{lax: true, issues: c.issues}
		team := newIdempotent(t, s, forgetest.NewClock(), &forgetest.Log{}, func(o *forge.Options) { o.Authors = []string{"bob"} })
		if got, ok, err := team.Find(t.Context(), "f:1"); err != nil || ok != (c.want > 0) || got.Number != c.want {
			t.Errorf("%s: %d, %v, %v", name, got.Number, ok, err)
		}
	}
}

func TestWhatAnIdempotentNeeds(t *testing.T) {
	for name, opt := range map[string]forge.Options{"no key": {Log: &forgetest.Log{}}, "no log": {Keys: [][]byte{keyA}}} {
		if _, err := forge.NewIdempotent((&shelf{}).roles(), opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	c := newIdempotent(t, &shelf{}, forgetest.NewClock(), &forgetest.Log{}, nil)
	for name, err := range map[string]error{
		"no title":     second(c.Issue(t.Context(), "f:1", forge.Text{Title: " \n"}, nil)),
		"a bad id":     second(c.Issue(t.Context(), "a b", text, nil)),
		"no head":      second(c.Pull(t.Context(), "w:1", forge.Proposal{Text: text, Base: "main"}, nil)),
		"a bad review": second(c.Review(t.Context(), "--", 1, forge.Review{})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		in   []forge.Verdict
		want forge.Verdict
	}{
		{nil, forge.NoChecks},
		{[]forge.Verdict{forge.Passed, forge.Passed}, forge.Passed},
		{[]forge.Verdict{forge.Passed, forge.Pending, forge.Passed}, forge.Pending},
		{[]forge.Verdict{forge.Pending, forge.Failed, forge.Passed}, forge.Failed},
	} {
		var checks forge.Checks
		for _, v := range c.in {
			checks = append(checks, forge.Check{Verdict: v})
		}
		if got := checks.Verdict(); got != c.want {
			t.Errorf("%v: %s", c.in, got)
		}
	}
}

// P1, a seeded bug that nothing caught: a forge that says "exists already" may speak of
// ours, made since we looked. It is looked for, and is the answer; where it is
// somebody else's, the error is.
func TestP1_WhatExistsAlreadyIsLookedFor(t *testing.T) {
	exists := &forge.Error{Forge: "shelf", Doing: "open issue", Err: forge.ErrExists}
	s := &shelf{answers: []error{exists}, keep: func(error) bool { return true }}
	got, err := newIdempotent(t, s, forgetest.NewClock(), &forgetest.Log{}, nil).Issue(t.Context(), "f:1", text, nil)
	if err != nil || got.Number != 1 || len(s.issues) != 1 {
		t.Errorf("%+v, %v, %d issues", got, err, len(s.issues))
	}
	s = &shelf{answers: []error{exists}}
	if _, err := newIdempotent(t, s, forgetest.NewClock(), &forgetest.Log{}, nil).Issue(t.Context(), "f:1", text, nil); !errors.Is(err, forge.ErrExists) {
		t.Errorf("somebody else's: %v", err)
	}
}
