package improve_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

func TestR6_TheDefaultsAreTheSeedsButDisabled(t *testing.T) {
	got, err := improve.Config{}.Fill()
	if err != nil {
		t.Fatal(err)
	}
	want := improve.Config{
		Thresholds:  improve.Thresholds{Severity: "medium", Count: 2, Cooldown: new(1.0)},
		Constraints: improve.Constraints{Concurrent: 2, Lines: 200, Components: 3},
		Forge:       improve.ForgeConfig{Issues: new(true), Branches: new(true), Pulls: new(true), Manual: new(true)},
		Approval:    "always", DailyCap: new(3), WeeklyCap: new(10), Worker: "auto", OnTrigger: "tell", StopWait: new(400), Reviewer: "same", Form: "own",
		Blacklist: []string{"authentication", "payments", "migrations", "deployment", "personal data"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := (improve.Config{Constraints: improve.Constraints{Lines: -1}}).Fill(); err == nil || !strings.Contains(err.Error(), "max_lines_per_improvement") {
		t.Errorf("got %v", err)
	}
}

func TestR6_EveryKeyOfTheProjectsFileIsHonoured(t *testing.T) {
	data, err := os.ReadFile("testdata/automation_config.json")
	if err != nil {
		t.Fatal(err)
	}
	got, problems := improve.Config{Approval: "always"}.Overlay(data)
	want := improve.Config{
		Enabled:     true,
		Thresholds:  improve.Thresholds{Severity: "high", Count: 4, Cooldown: new(0.5)},
		Constraints: improve.Constraints{Concurrent: 1, Lines: 150, Components: 2},
		Forge:       improve.ForgeConfig{Issues: new(true), Branches: new(false), Pulls: new(false), Manual: new(true)},
		Approval:    "always",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
		t.Errorf("%q (-want +got):\n%s", problems, diff)
	}
}

func TestR6_WhatIsWrongInTheProjectsFileIsNamedAndTheRestCounts(t *testing.T) {
	base := improve.Config{Thresholds: improve.Thresholds{Count: 7}}
	got, problems := base.Overlay([]byte(`{
		"automation_enabled": "yes", "automaton": 1, "approval": "never", "blacklist": [], "daily_cap": 99,
		"trigger_thresholds": {"min_pattern_severity": "dreadful", "min_pattern_count": 0, "cooldown_hours": null, "more": {}},
		"workflow_constraints": [1], "github_integration": {"auto_create_prs": false}}`))
	want := []string{
		"approval: a project may not set this; set it in your own settings",
		`automation_enabled: "yes" is not allowed; give true or false`,
		"automaton: there is no such key",
		"blacklist: a project may not set this; set it in your own settings",
		"daily_cap: a project may not set this; set it in your own settings",
		"trigger_thresholds.cooldown_hours: null is not allowed; give a number from 0 to 8760",
		`trigger_thresholds.min_pattern_count: 0 is not allowed; give a whole number from 1 to 1000000`,
		`trigger_thresholds.min_pattern_severity: "dreadful" is not allowed; give low or medium or high or critical`,
		"trigger_thresholds.more: there is no such key",
		"workflow_constraints: [1] is not allowed; give an object",
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Enabled || got.Approval != "" || got.Thresholds.Count != 7 || *got.Forge.Pulls {
		t.Errorf("got %+v", got)
	}
	for _, bad := range []string{"", "[]", "null", "{", `{"a":1}x`, strings.Repeat(" ", improve.MaxProjectFile+1)} {
		if got, problems := base.Overlay([]byte(bad)); len(problems) != 1 || cmp.Diff(base, got) != "" {
			t.Errorf("%.20q: %q, %+v", bad, problems, got)
		}
	}
}

func FuzzOverlay(f *testing.F) {
	f.Add([]byte(`{"automation_enabled": true, "trigger_thresholds": {"min_pattern_count": 2.0}}`))
	f.Add([]byte("// x\n{\"workflow_constraints\": {\"max_lines_per_improvement\": 1e400}}"))
	f.Add([]byte(`{"github_integration": {"auto_create_prs": null}, "automation_enabled": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, problems := improve.Config{}.Overlay(data)
		if _, err := got.Fill(); err != nil || len(problems) > 20 || got.Approval != "" || got.Blacklist != nil || got.DailyCap != nil {
			t.Errorf("%q gives %+v, %q, %v", data, got, problems, err)
		}
	})
}

func TestR9_ARequestOfTheSeedsFormIsRead(t *testing.T) {
	data, err := os.ReadFile("testdata/request.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := improve.ParseRequest(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.Title != "Improve repeated tool use handling" || got.Priority != improve.High || got.Type != "tooling" || got.Complexity != "medium" || got.MaxLines != 200 ||
		got.Pattern.Count != 5 || got.Pattern.Fingerprint == "" || got.Pattern.Context.Text("commands") != `["ls","grep","awk"]` || got.Context["session_id"] != "test_session" {
		t.Errorf("got %+v", got)
	}
	if want := []improve.Sample{{Excerpt: "ls -la"}, {Excerpt: "grep -r x"}}; cmp.Diff(want, got.Pattern.Samples) != "" {
		t.Errorf("samples %+v", got.Pattern.Samples)
	}
}

func TestR9_WhatIsWrongInARequestIsNamed(t *testing.T) {
	const pattern = `"source_pattern": {"type": "loop"}`
	for in, says := range map[string]string{
		"":                     "it is missing",
		"[]":                   "not a JSON object",
		`{"issue_title": "x"}`: "source_pattern: it is missing",
		`{"issue_title": "x", "source_pattern": null}`:                                           "source_pattern: null is not allowed",
		`{` + pattern + `}`:                                                                      "no issue_title",
		`{"issue_title": "x", "source_pattern": {"count": 2}}`:                                   "no source_pattern.type",
		`{"issue_title": 3, ` + pattern + `}`:                                                    "issue_title: 3 is not allowed; give text",
		`{"issue_title": "x", "priority": "urgent", ` + pattern + `}`:                            `priority: "urgent" is not allowed; give low or`,
		`{"issue_title": "x", "improvement_type": "magic", ` + pattern + `}`:                     "improvement_type",
		`{"issue_title": "x", "estimated_complexity": "?", ` + pattern + `}`:                     "estimated_complexity",
		`{"issue_title": "x", "max_lines_of_code": 0, ` + pattern + `}`:                          "max_lines_of_code: 0 is not allowed; give a whole number from 1",
		`{"issue_title": "x", "requires_security_review": "no", ` + pattern + `}`:                "requires_security_review",
		`{"issue_title": "x", "context": [], ` + pattern + `}`:                                   "context",
		`{"issue_title": "x", "source_pattern": {"type": "loop", "count": "many"}}`:              "source_pattern.count",
		`{"issue_title": "x", "source_pattern": {"type": "loop", "samples": [1]}}`:               "source_pattern.samples",
		`{"issue_title": "` + strings.Repeat("x", 201) + `", ` + pattern + `}`:                   "issue_title",
		`{"issue_title": "x", "z": "` + strings.Repeat("x", improve.MaxSpoolFile) + `"}`:         trimtab.ErrTooLarge.Error(),
		`{"issue_title": "x", "source_pattern": {"type": "loop", "severity": "low"}, "x": 1}...`: "not a JSON object",
	} {
		if got, err := improve.ParseRequest([]byte(in)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.80s: %v, %+v", in, err, got)
		}
	}
}

func TestR9_AForeignRequestDoesNotChooseItsFingerprint(t *testing.T) {
	read := func(extra string) improve.Request {
		r, err := improve.ParseRequest([]byte(`{"issue_title": "x", "source_pattern": {"type": "error_patterns", "suggestion": "do 1", ` + extra + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b := read(`"fingerprint": "mine"`), read(`"count": 3`)
	if a.Pattern.Fingerprint != b.Pattern.Fingerprint || a.Pattern.Fingerprint == "mine" || !a.SecurityReview {
		t.Errorf("got %+v", a)
	}
}

func FuzzParseRequest(f *testing.F) {
	if data, err := os.ReadFile("testdata/request.json"); err == nil {
		f.Add(data)
	}
	f.Add([]byte(`{"issue_title": "x", "source_pattern": {"type": "loop", "samples": [{"excerpt": "a"}, "b", null], "context": {"a": {"b": 1}}}}`))
	f.Add([]byte(`{"issue_title": "\u001b[31m\n", "source_pattern": {"type": "L"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := improve.ParseRequest(data)
		if err != nil {
			return
		}
		if r.Title == "" || len(r.Title) > 200 || strings.ContainsAny(r.Title, "\n\x1b") || r.Pattern.Type == "" || r.Priority.Rank() == 0 || r.MaxLines < 1 || len(r.Pattern.Fingerprint) != 16 {
			t.Errorf("%q gives %+v", data, r)
		}
	})
}
