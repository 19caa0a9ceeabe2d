package pipeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/decide"
)

// What a person found not useful is chosen by nobody, fills no
// threshold and begins nothing, until it is taken back.
func TestNotUseful_NoImprovementComesOfIt(t *testing.T) {
	b := newFixture(t, pattern(1), pattern(2))
	b.opt.User = func() string { return "ann" }
	b.cfg.Enabled = true
	q := Query{Project: project}
	d, err := b.Dismiss(t.Context(), q, pattern(1).Fingerprint, "works as intended", false)
	if want := (improve.Dismissal{Fingerprint: pattern(1).Fingerprint, By: "ann", At: now, Why: "works as intended"}); err != nil || d != want {
		t.Fatalf("%+v %v", d, err)
	}
	f, err := b.Look(t.Context(), q)
	if err != nil || len(f.Cases) != 1 || f.Cases[0].Pattern.Fingerprint != pattern(2).Fingerprint {
		t.Fatalf("%+v %v", f.Cases, err)
	}
	if _, err := b.New(t.Context(), q, pattern(1).Fingerprint, false); err == nil || !strings.Contains(err.Error(), "not useful by ann on 2026-11-15 (works as intended)") {
		t.Errorf("it is filed, or nobody says why not: %v", err)
	}
	out, err := b.Stopped(t.Context(), improve.StoppedSession{Session: "s0", Project: project})
	if err != nil || out.ID != "" || !strings.Contains(out.Why, "not useful") {
		t.Errorf("a session that stops with it: %+v %v", out, err)
	}
	r, err := b.sessions.Reflect(t.Context(), improve.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if TellApart(t.Context(), b.opt.Queue, &r); len(r.Merged) != 1 || len(r.Dismissed) != 1 || r.Dismissed[0].Fingerprint != d.Fingerprint {
		t.Errorf("%+v", r.Merged)
	}
	if groups, err := r.GroupBy(improve.ByAgent); err != nil || len(groups) != 1 || len(groups[0].Merged) != 1 {
		t.Errorf("by agent: %+v %v", groups, err)
	}
	if _, err := b.Dismiss(t.Context(), q, "nothing", "", true); !errors.Is(err, ErrNoCase) {
		t.Errorf("what was never said is taken back: %v", err)
	}
	if _, err := b.Dismiss(t.Context(), q, pattern(1).Fingerprint, "", true); err != nil {
		t.Fatal(err)
	}
	if out, err = b.Stopped(t.Context(), improve.StoppedSession{Session: "s0", Project: project}); err != nil || out.ID == "" {
		t.Errorf("it was taken back: %+v %v", out, err)
	}
}

// Two medium ones are worth work by themselves; one and another that was dismissed are not.
func TestNotUseful_FillsNoThreshold(t *testing.T) {
	one, two := pattern(1), pattern(2)
	one.Type, two.Type, one.Count, two.Count = improve.LintRule, improve.LintRule, 3, 3
	b := newFixture(t, one, two)
	before, err := b.Look(t.Context(), Query{Project: project})
	if err != nil || before.Cases[0].Pattern.Severity != improve.Medium || !before.Cases[0].Worthy {
		t.Fatalf("%+v %v", before.Cases, err)
	}
	if err := (decide.Findings{Files: b.queue}).Dismiss(t.Context(), improve.Dismissal{Fingerprint: one.Fingerprint, At: now}); err != nil {
		t.Fatal(err)
	}
	after, err := b.Look(t.Context(), Query{Project: project})
	if err != nil || len(after.Cases) != 1 || after.Cases[0].Worthy {
		t.Errorf("%+v %v", after.Cases, err)
	}
}
