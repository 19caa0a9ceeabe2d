package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/registry"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/memory"
)

var now = time.Date(2026, 11, 15, 10, 15, 0, 0, time.UTC)

const project = "/home/a/mill"

// pattern is a trouble that is worth work.
func pattern(n int) improve.Pattern {
	return improve.Pattern{Type: improve.ErrorPatterns, Severity: improve.High, Count: 6, Fingerprint: fmt.Sprintf("74fab9b2ddbe5d9%d", n), Suggestion: "read the file first"}
}

// sessions are what somebody else read: patterns, each in a session of its own.
type sessions struct {
	patterns []improve.Pattern
	at       time.Time
	times    []time.Time // of each, where they differ
	asked    improve.Query
	err      error
}

func (s *sessions) result(i int) improve.Result {
	at := s.at
	if i < len(s.times) {
		at = s.times[i]
	}
	return improve.Result{SessionID: fmt.Sprint("s", i), Timestamp: at, Patterns: s.patterns[i : i+1]}
}

func (s *sessions) Reflect(_ context.Context, q improve.Query) (r improve.Reflection, err error) {
	s.asked = q
	var all []improve.Result
	for i := range s.patterns {
		all = append(all, s.result(i))
		r.Results = append(r.Results, improve.SessionResult{Result: s.result(i)})
	}
	r.Merged = improve.Merge(all)
	return r, s.err
}

func (s *sessions) ReflectOne(context.Context, improve.StoppedSession) (improve.Result, bool, error) {
	if len(s.patterns) == 0 {
		return improve.Result{}, false, s.err
	}
	return s.result(0), true, s.err
}

// hub is a forge that is found, with a token or without.
type hub struct {
	forge.Forge
	token  error
	closed int
}

func (h *hub) String() string                 { return "a hub" }
func (h *hub) HasToken(context.Context) error { return h.token }
func (h *hub) Open(context.Context) (forge.Opened, error) {
	return forge.Opened{Forge: h.Forge, Close: func() error { h.closed++; return nil }}, nil
}

// fixture is a pipeline on a store in memory, with what it was made of.
type fixture struct {
	*Pipeline
	queue    improve.Queue
	sessions *sessions
	cfg      improve.Config
	off      string
	said     []string
}

func newFixture(t *testing.T, patterns ...improve.Pattern) *fixture {
	t.Helper()
	b := &fixture{queue: memory.New().Queue(), sessions: &sessions{patterns: patterns, at: now}}
	p, err := New(Options{
		Queue: func(context.Context) (improve.Queue, error) { return b.queue, nil }, Sessions: b.sessions,
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") },
		Config: func(string) (improve.Config, error) { return b.cfg, nil }, Disabled: func() string { return b.off },
		Notify: func(text string) { b.said = append(b.said, text) }, Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Pipeline = p
	return b
}

func TestNew_WhatIsMissingIsSaid(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("no error without a queue")
	}
	queue := func(context.Context) (improve.Queue, error) { return improve.Queue{}, nil }
	forge := func(context.Context, string) (Forge, error) { return nil, nil }
	if _, err := New(Options{Queue: queue, Sessions: &sessions{}, Redact: strings.ToLower, Forge: forge}); err == nil || !strings.Contains(err.Error(), "key") {
		t.Errorf("without the key of a forge: %v", err)
	}
}

// TestR7_SessionsThatStopAtOnceStayUnderTheCaps: each was judged while none of the
// others was filed. What is over a cap waits for a person.
func TestR7_SessionsThatStopAtOnceStayUnderTheCaps(t *testing.T) {
	b := newFixture(t)
	zero := 0.0
	b.cfg = improve.Config{Enabled: true, Approval: "never"}
	b.cfg.Thresholds.Cooldown = &zero
	folder := t.TempDir()
	b.opt.Forge = func(ctx context.Context, _ string) (Forge, error) {
		return registry.Find(ctx, registry.Config{Kind: "local"}, registry.Options{Git: git.New(os.Environ()), Local: folder})
	}
	b.opt.Keys = func(context.Context) ([][]byte, error) { return [][]byte{bytes.Repeat([]byte{7}, 32)}, nil }
	type stop struct {
		f *Findings
		c improve.Case
		v improve.Verdict
	}
	var stops []stop
	for i := range 6 {
		f := &Findings{Project: project, Config: b.cfg}
		if err := b.loadContext(t.Context(), f, false); err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c := improve.Case{Pattern: pattern(i), Worthy: true, Project: project}
		v := b.Decide(t.Context(), f, c)
		if !v.Fire || v.State != improve.Queued {
			t.Fatalf("%+v", v)
		}
		stops = append(stops, stop{f, c, v})
	}
	n := map[improve.State]int{}
	for _, s := range stops {
		_, state, err := b.fileAutomatically(t.Context(), s.f, s.c, s.v)
		if err != nil {
			t.Fatal(err)
		}
		n[state]++
	}
	if n[improve.Queued] != 3 || n[improve.Awaiting] != 3 { // the daily cap
		t.Errorf("%v", n)
	}
}

func TestStopped_FilesOnlyWhereEveryGateIsOpen(t *testing.T) {
	b := newFixture(t, pattern(1))
	stopped := func(project string) Outcome {
		t.Helper()
		out, err := b.Stopped(t.Context(), improve.StoppedSession{Session: "s0", Project: project})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := stopped(""); out.ID != "" || !strings.Contains(out.Why, "no repository") {
		t.Errorf("without a repository: %+v", out)
	}
	if out := stopped(project); out.ID != "" || !strings.HasPrefix(out.Why, improve.GateEnabled) {
		t.Errorf("not enabled: %+v", out)
	}
	b.cfg.Enabled = true
	out := stopped(project)
	it, err := b.queue.Item(t.Context(), out.ID)
	if err != nil || out.State != improve.Awaiting || it.State != improve.Awaiting || it.ByHand {
		t.Errorf("enabled: %+v, %+v, %v", out, it, err)
	}
	if out := stopped(project); out.ID != "" || out.Why == "" {
		t.Errorf("again: %+v", out)
	}
	b.sessions.patterns = nil
	if out := stopped(project); out.ID != "" || out.Why == "" {
		t.Errorf("nothing to reflect on: %+v", out)
	}
	b.opt.Sessions = nil // whatever goes wrong in reading must not end the process
	if _, err := b.Stopped(t.Context(), improve.StoppedSession{}); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("got %v", err)
	}
}

func TestNew_APersonIsHeldOnlyByTheBindingGates(t *testing.T) {
	weak := pattern(1)
	weak.Severity, weak.Count = improve.Low, 1
	b := newFixture(t, weak)
	q := Query{Project: project}
	b.off = "AUTOMATION_DISABLED=1 is set"
	if _, err := b.New(t.Context(), q, "", false); err == nil || !strings.Contains(err.Error(), b.off) {
		t.Errorf("switched off: %v", err)
	}
	b.off = ""
	it, err := b.New(t.Context(), q, "", true)
	if err != nil || it.State != improve.Queued || !it.ByHand || b.sessions.asked.Project != project {
		t.Fatalf("%+v, %v", it, err)
	}
	if !slices.ContainsFunc(b.said, func(s string) bool {
		return strings.HasPrefix(s, "automation alone would not file this: ")
	}) {
		t.Errorf("of the other gates it says %q", b.said)
	}
	if _, err := b.New(t.Context(), q, "", false); err == nil || !strings.HasPrefix(err.Error(), improve.GateQueue) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := b.New(t.Context(), q, "9", false); !errors.Is(err, ErrNoCase) {
		t.Errorf("a number that there is not: %v", err)
	}
	b.sessions.patterns = nil
	if _, err := b.New(t.Context(), q, "", false); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing went wrong: %v", err)
	}
}

func TestFindings_ACaseIsChosenByNumberOrFingerprint(t *testing.T) {
	b := newFixture(t, pattern(1), improve.Pattern{Type: improve.Loop, Severity: improve.Medium, Count: 3, Fingerprint: "a1b2c3d4e5f60718"})
	f, err := b.Look(t.Context(), Query{Project: project, Names: []string{"x.jsonl"}})
	if err != nil || len(f.Cases) != 2 {
		t.Fatal(f, err)
	}
	if b.sessions.asked.Project != "" {
		t.Error("a named file was asked for its project")
	}
	for which, want := range map[string]string{"": f.Cases[0].Pattern.Fingerprint, "2": f.Cases[1].Pattern.Fingerprint, "a1b2c3": "a1b2c3d4e5f60718"} {
		if c, err := f.Choose(which); err != nil || c.Pattern.Fingerprint != want {
			t.Errorf("%q: %q, %v", which, c.Pattern.Fingerprint, err)
		}
	}
	for _, which := range []string{"a1b2c", "0", "3", "x"} {
		if _, err := f.Choose(which); !errors.Is(err, ErrNoCase) {
			t.Errorf("%q: %v", which, err)
		}
	}
}

func TestWhy_TellsOfTheForgeAndClosesIt(t *testing.T) {
	b := newFixture(t, pattern(1))
	found := &hub{token: errors.New("no token")}
	b.opt.Forge = func(context.Context, string) (Forge, error) { return found, nil }
	b.opt.Keys = func(context.Context) ([][]byte, error) { return [][]byte{make([]byte, 32)}, nil }
	reasons, where, err := b.Why(t.Context(), Query{Project: project})
	if err != nil || len(reasons) != 1 || reasons[0].Number != 1 || reasons[0].Fire || where != "a hub" || !strings.Contains(fmt.Sprint(b.said), "no token") {
		t.Errorf("%+v at %q, %q, %v", reasons, where, b.said, err)
	}
	found.token = nil
	b.opt.Keys = func(context.Context) ([][]byte, error) { return nil, errors.New("no key") }
	if _, _, err := b.Why(t.Context(), Query{Project: project}); err == nil || found.closed != 1 {
		t.Errorf("a forge that was opened in vain was closed %d times, %v", found.closed, err)
	}
	if _, where, err := b.Why(t.Context(), Query{Project: project, Offline: true}); err != nil || where != "" {
		t.Errorf("offline: %q, %v", where, err)
	}
}

func TestTakeSpool_EachFileOnceAndAlwaysToWait(t *testing.T) {
	b := newFixture(t)
	b.cfg = improve.Config{Enabled: true, Approval: "never"}
	dir := t.TempDir()
	spool := filepath.Join(dir, filepath.FromSlash(improve.SpoolFolder))
	request, err := os.ReadFile(filepath.Join("..", "testdata", "request.json"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(spool, 0o700), os.WriteFile(filepath.Join(spool, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if taken, err := b.TakeSpool(t.Context(), dir); err != nil || len(taken) != 0 {
		t.Errorf("without a folder: %v, %v", taken, err)
	}
	put("good.json", string(request))
	put("bad.json", "{")
	put("notes.txt", "no request")
	taken, err := b.TakeSpool(t.Context(), dir)
	if err != nil || len(taken) != 2 {
		t.Fatalf("%v, %v", taken, err)
	}
	for _, s := range taken {
		if (s.Name == "good.json") != (s.Err == nil && s.ID != "") {
			t.Errorf("%+v", s)
		}
	}
	items, err := b.queue.Items(t.Context())
	if err != nil || len(items) != 1 || items[0].State != improve.Awaiting || items[0].Project != dir {
		t.Errorf("%+v, %v", items, err)
	}
	put("good.json", string(request))
	if taken, err := b.TakeSpool(t.Context(), dir); err != nil || len(taken) != 1 || !errors.Is(taken[0].Err, improve.ErrFiled) {
		t.Errorf("the same again: %v, %v", taken, err)
	}
	// 002-31: an entry of our own lies there for others to see, and is no request to us.
	put(items[0].ID+".json", string(request))
	if taken, err := b.TakeSpool(t.Context(), dir); err != nil || len(taken) != 0 {
		t.Errorf("our own entry: %v, %v", taken, err)
	}
	for _, name := range []string{items[0].ID + ".json", "taken/good.json", "taken/good.2.json", "refused/bad.json", "notes.txt"} {
		if _, err := os.Stat(filepath.Join(spool, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
}

// pulls is a forge that knows one pull request.
type pulls struct {
	forge.Pulls
	pull forge.Pull
	err  error
}

func (p pulls) Pull(context.Context, int) (forge.Pull, error) { return p.pull, p.err }

func TestImpact_CountsFromTheMerge(t *testing.T) {
	b := newFixture(t, pattern(1))
	b.sessions.at = now.Add(-48 * time.Hour)
	it := improve.Item{
		ID: "workflow_20261110_101500_k3x9", Fingerprint: pattern(1).Fingerprint, Project: project, State: improve.Done, Created: now, Updated: now.Add(-72 * time.Hour),
		Evidence: []improve.Evidence{{Number: 9, Step: "pull request", Facts: map[string]string{"number": "4", "url": "https://forge.example/4"}}},
	}
	if err := b.queue.Add(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	pull := forge.Pull{Number: 4, URL: "https://forge.example/4"}
	for name, c := range map[string]struct {
		state  forge.State
		merged time.Time
		err    error
		token  error
		off    bool
		want   string
		before int // sessions
	}{
		"merged before the session": {state: forge.Merged, merged: now.Add(-60 * time.Hour), want: "merged"},
		"merged after it":           {state: forge.Merged, merged: now.Add(-time.Hour), want: "merged", before: 1},
		"merged, nobody says when":  {state: forge.Merged, want: "merged"},
		"still open":                {state: forge.Open, want: "open", before: 1},
		"the forge fails":           {state: forge.Merged, err: errors.New("down"), want: PullUnknown},
		"no token":                  {state: forge.Merged, token: errors.New("none"), want: PullUnknown},
		"offline":                   {state: forge.Merged, off: true, want: PullUnknown},
	} {
		pull.State, pull.MergedAt = c.state, c.merged
		found := &hub{Forge: forge.Forge{Pulls: pulls{pull: pull, err: c.err}}, token: c.token}
		b.opt.Forge = func(context.Context, string) (Forge, error) { return found, nil }
		all, err := b.Impact(t.Context(), Query{Project: project, Offline: c.off})
		if err != nil || len(all) != 1 || all[0].Pull != c.want || all[0].Before.Sessions != c.before || all[0].After.Sessions != 1-c.before {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		if opened := c.token == nil && !c.off; opened != (found.closed == 1) {
			t.Errorf("%s: closed %d times", name, found.closed)
		}
	}
	if all, err := b.Impact(t.Context(), Query{Project: "/another", Offline: true}); err != nil || len(all) != 0 {
		t.Errorf("of another project: %+v, %v", all, err)
	}
}

func TestFindItem_ByItsIDOrTheEndOfOne(t *testing.T) {
	q := memory.New().Queue()
	for _, id := range []string{"workflow_20261115_101500_k3x9", "workflow_20261115_101501_k3x9", "workflow_20261115_101502_abcd"} {
		if err := q.Add(t.Context(), improve.Item{ID: id, Fingerprint: id, Project: "/p", State: improve.Queued}); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]string{
		"workflow_20261115_101500_k3x9": "workflow_20261115_101500_k3x9", "abcd": "workflow_20261115_101502_abcd",
		"k3x9": "give more of it", "workflow_20261115_101502_abce": "did you mean workflow_20261115_101502_abcd?", "zzzz": "trimtab improve list",
	} {
		it, err := FindItem(t.Context(), q, id)
		if it.ID == want && err == nil {
			continue
		}
		if !errors.Is(err, improve.ErrNoItem) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", id, it.ID, err)
		}
	}
}
