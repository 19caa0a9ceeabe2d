package impact

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

var at = time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)

// command is one that was run in a session and what it said; "" for one that succeeded.
type command struct{ line, said string }

// session reflects on one, a day before the change or after it.
func session(t *testing.T, n int, after bool, commands ...command) improve.Result {
	t.Helper()
	r, err := improve.NewReflector(improve.Options{Session: fmt.Sprint("s", n), Redact: strings.Clone, Exposure: true})
	if err != nil {
		t.Fatal(err)
	}
	when := at.Add(-24 * time.Hour)
	if after {
		when = at.Add(24 * time.Hour)
	}
	say := func(m trimtab.Message) { m.At = when; r.See(m) }
	say(trimtab.Prompt("how long does the parcel take?"))
	for i, c := range commands {
		id := fmt.Sprint("c", i)
		say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: "Bash", Input: []byte(fmt.Sprintf(`{"command": %q}`, c.line))}}})
		say(trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: c.said, Failed: c.said != ""}}})
	}
	say(trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "So long."))
	result, ok := r.Result(when)
	if !ok {
		t.Fatal("no result")
	}
	return result
}

// trouble is the pattern of a type that sessions show together.
func trouble(t *testing.T, kind string, results []improve.Result) improve.Pattern {
	t.Helper()
	for _, m := range improve.Merge(results) {
		if m.Type == kind {
			return m.Pattern
		}
	}
	t.Fatalf("no %s", kind)
	return improve.Pattern{}
}

const eta = "python3 -m parcel eta 1h30m"

// TestR26_AFailureInOtherWordsIsTheSameFailure: the command that failed still fails. That
// its message was reworded is no improvement.
func TestR26_AFailureInOtherWordsIsTheSameFailure(t *testing.T) {
	var all []improve.Result
	for n := range 3 {
		all = append(all, session(t, n, false, command{eta, "ValueError: invalid literal for int(): '1h30m'"}, command{eta, "ValueError: invalid literal for int(): '1h30m'"}))
	}
	judge := ByRule(trouble(t, improve.ErrorPatterns, all))
	for n := range 3 {
		all = append(all, session(t, 10+n, true, command{"cd /tmp && python3 -m parcel eta 2h", "parcel: sorry, that is no time we can read"}))
	}
	got := improve.ImpactOf(judge, at, all)
	if got.Before != (improve.Period{All: 3, Sessions: 3, With: 3, Count: 6}) || got.After != (improve.Period{All: 3, Sessions: 3, With: 3, Count: 3}) {
		t.Errorf("%+v", got)
	}
	if told := Tell(got); told.Verdict != NotHelped || told.Text != "it did not help: 3 of 3 sessions before, 3 of 3 after" {
		t.Errorf("%+v", told)
	}
}

// TestR26_OnlySessionsWithTheOccasionCount: one that never ran the command says nothing of
// whether it was mended.
func TestR26_OnlySessionsWithTheOccasionCount(t *testing.T) {
	var all []improve.Result
	for n := range 4 {
		all = append(all, session(t, n, false, command{eta, "ValueError: no"}, command{eta, "ValueError: no"}))
	}
	judge := ByRule(trouble(t, improve.ErrorPatterns, all))
	for n := range 20 {
		all = append(all, session(t, 10+n, true, command{"ls", ""}, command{"python3 -m other", ""}))
	}
	if got := improve.ImpactOf(judge, at, all); got.After != (improve.Period{All: 20}) || Tell(got).Verdict != TooFew {
		t.Errorf("%+v: %s", got, Tell(got))
	}
	for n := range 5 {
		all = append(all, session(t, 50+n, true, command{eta, ""}))
	}
	got := improve.ImpactOf(judge, at, all)
	if got.After != (improve.Period{All: 25, Sessions: 5}) || Tell(got).Verdict != Helped {
		t.Errorf("%+v: %s", got, Tell(got))
	}
}

// A check may fail for any reason: only the same one counts.
func TestR26_AnotherFailureOfACheckIsAnotherTrouble(t *testing.T) {
	const want = "--- FAIL: TestDepth: depth.go:12: a decimal comma is refused"
	var all []improve.Result
	for n := range 3 {
		all = append(all, session(t, n, false, command{"go test ./...", want}, command{"go test ./...", want}))
	}
	judge := ByRule(trouble(t, improve.ErrorPatterns, all))
	occasion, count := judge.Judge(session(t, 9, true, command{"go test ./...", "undefined: sail in mast.go"}))
	if !occasion || count != 0 {
		t.Errorf("another failure: %v, %d", occasion, count)
	}
	occasion, count = judge.Judge(session(t, 9, true, command{"go test ./...", "--- FAIL: TestDepth: depth.go:14: a decimal comma is still refused"}))
	if !occasion || count != 1 {
		t.Errorf("the same in other words: %v, %d", occasion, count)
	}
}

func TestR26_WhatCountsAsAnOccasion(t *testing.T) {
	exposed := func(change func(*improve.Exposure)) improve.Result {
		e := &improve.Exposure{Tools: map[string]bool{}, Commands: map[string]int{}, Paths: map[string]bool{}}
		change(e)
		return improve.Result{Exposure: e, Metrics: improve.Metrics{UserMessages: 1, AssistantMessages: 1}}
	}
	of := func(kind, about, tool string) improve.Judge {
		return ByRule(improve.Pattern{Type: kind, Context: improve.Context{improve.KeyAbout: about, improve.KeyTool: tool}, Fingerprint: "x"})
	}
	for _, c := range []struct {
		name  string
		judge improve.Judge
		in    improve.Result
		want  bool
	}{
		{"a rejected command, and commands were run", of(improve.SaidNo, "no to git push", "Bash"), exposed(func(e *improve.Exposure) { e.Tools["Bash"] = true }), true},
		{"a rejected command, and none was run", of(improve.SaidNo, "no to git push", "Bash"), exposed(func(e *improve.Exposure) { e.Tools["Read"] = true }), false},
		{"a guessed path, and the right one was read", of(improve.GuessedPath, ".golangci.yml", "Read"), exposed(func(e *improve.Exposure) { e.Paths[".golangci.yaml"] = true }), true},
		{"a guessed path, and others were read", of(improve.GuessedPath, ".golangci.yml", "Read"), exposed(func(e *improve.Exposure) { e.Paths["main.go"] = true }), false},
		{"a rule of a linter that was not run", of(improve.LintRule, "errcheck", "Bash"), exposed(func(e *improve.Exposure) { e.Changed = true }), false},
		{"a rule of a linter that was run", of(improve.LintRule, "errcheck", "Bash"), exposed(func(e *improve.Exposure) { e.Linted = true }), true},
		{"an unproved end where nothing was changed", of(improve.Unproved, "x", ""), exposed(func(*improve.Exposure) {}), false},
		{"a stop too soon", of(improve.PrematureStop, "x", ""), exposed(func(*improve.Exposure) {}), true},
		{"nothing is known", of(improve.PrematureStop, "x", ""), improve.Result{}, false},
	} {
		if got, n := c.judge.Judge(c.in); got != c.want || n != 0 {
			t.Errorf("%s: %v, %d", c.name, got, n)
		}
	}
}

// TestR26_TheVerdictSaysHowSureItIs
func TestR26_TheVerdictSaysHowSureItIs(t *testing.T) {
	for _, c := range []struct {
		a, m, b, n int
		want       Verdict
		text       string
	}{
		{3, 4, 0, 2, TooFew, "too few to tell: 3 of 4 sessions before, 0 of 2 after"},
		{3, 4, 0, 0, TooFew, "too few to tell: 3 of 4 sessions before, 0 of 0 after; no session since had the occasion"},
		{8, 10, 1, 12, Helped, "it helped: 8 of 10 sessions before, 1 of 12 after; that would be chance in 0.1 % of cases"},
		{3, 3, 3, 3, NotHelped, "it did not help: 3 of 3 sessions before, 3 of 3 after"},
		{3, 3, 1, 1, TooFew, "too few to tell: 3 of 3 sessions before, 1 of 1 after"},
		{8, 10, 6, 12, NotSure, "not sure: 8 of 10 sessions before, 6 of 12 after; that may be chance, as in 15.6 % of cases"},
	} {
		got := Tell(improve.Impact{Before: improve.Period{With: c.a, Sessions: c.m}, After: improve.Period{With: c.b, Sessions: c.n}})
		if got.Verdict != c.want || got.Text != c.text {
			t.Errorf("%d/%d and %d/%d: %s %q", c.a, c.m, c.b, c.n, got.Verdict, got.Text)
		}
	}
}
