package improve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/improve"
)

// TestSeed002_05_ContextKeepsTheTypesOfItsValues, within bounds, from a file of another
// tool to the JSON of the queue and back.
func TestSeed002_05_ContextKeepsTheTypesOfItsValues(t *testing.T) {
	data, err := os.ReadFile("testdata/request.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := improve.ParseRequest(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(improve.Context{"tool": "bash", "commands": []any{"ls", "grep", "awk"}}, r.Pattern.Context); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	in := func(context string) improve.Context {
		t.Helper()
		r, err := improve.ParseRequest([]byte(`{"issue_title": "x", "source_pattern": {"type": "loop", "context": ` + context + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		return r.Pattern.Context
	}
	got := in(`{"n": 12345678901234567890, "f": 1.5, "yes": true, "none": null, "deep": {"list": [1, {"a": "b"}]}}`)
	raw, err := json.Marshal(improve.Request{Context: got})
	var back improve.Request
	if err == nil {
		err = json.Unmarshal(raw, &back)
	}
	if diff := cmp.Diff(got, back.Context); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	want := improve.Context{
		"n": json.Number("12345678901234567890"), "f": json.Number("1.5"), "yes": true, "none": nil,
		"deep": map[string]any{"list": []any{json.Number("1"), map[string]any{"a": "b"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// Bounds: a text, a list, a whole value, and how deep it is.
	long := in(`{"text": "` + strings.Repeat("x", 5000) + `", "list": [` + strings.Repeat("1,", 99) + `1], "large": ["` + strings.Repeat(strings.Repeat("y", 450)+`","`, 30) + `"], "deep": ` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`)
	if n := len(long.Text("text")); n > 510 {
		t.Errorf("a text of %d bytes", n)
	}
	if l, ok := long["list"].([]any); !ok || len(l) != 50 {
		t.Errorf("a list of %d: %T", len(l), long["list"])
	}
	if s, ok := long["large"].(string); !ok || len(s) > 510 {
		t.Errorf("%T of %d bytes", long["large"], len(long.Text("large")))
	}
	if s := long.Text("deep"); strings.Count(s, "[") > 45 || len(s) > 510 {
		t.Errorf("deep: %s", s)
	}
	if long.Text("missing") != "" {
		t.Error("what is not there has a text")
	}
	// The blacklist looks into lists, too.
	c, _ := improve.CaseOf(seedResult(), "/p")
	c.Pattern.Context = improve.Context{"commands": []any{"rotate the password"}}
	if v := improve.Decide(enabled(), c, improve.Situation{Now: start, Forge: improve.NotFiled}); v.Fire || !strings.Contains(fmt.Sprint(v.No()), "authentication") {
		t.Errorf("it fires: %s", v.No())
	}
}

// TestSeed002_09_TheContractsHaveTheSeedsKeys: those of ReflectionResult, ReflectionPattern,
// ReflectionMetrics and ImprovementRequest (002-02 to 002-10, 002-13 to 002-17, 002-30).
func TestSeed002_09_TheContractsHaveTheSeedsKeys(t *testing.T) {
	r := seedResult()
	r.Priority, r.Metrics.DurationMinutes = improve.PriorityHigh, new(28)
	r.Patterns[0].Samples = []improve.Sample{{Excerpt: "ls"}}
	c, ok := improve.CaseOf(r, "/p")
	if !ok {
		t.Fatal("no case")
	}
	req := c.Request(enabled())
	if req.Context["session_id"] != "test_session" {
		t.Errorf("context %v", req.Context)
	}
	for name, e := range map[string]struct {
		value any
		keys  string
	}{
		"result":  {r, "session_id timestamp patterns metrics suggestions automation_priority"},
		"pattern": {r.Patterns[0], "type severity count suggestion context samples"},
		"metrics": {r.Metrics, "total_messages user_messages assistant_messages tool_uses session_duration_minutes"},
		"request": {req, "issue_title issue_description priority improvement_type source_pattern context estimated_complexity max_components max_lines_of_code requires_security_review"},
	} {
		raw, err := json.Marshal(e.value)
		var got map[string]any
		if err == nil {
			err = json.Unmarshal(raw, &got)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range strings.Fields(e.keys) {
			if _, ok := got[k]; !ok {
				t.Errorf("%s has no %s: %s", name, k, raw)
			}
		}
	}
	words := fmt.Sprint(improve.Low, improve.Medium, improve.High, improve.Critical, improve.PriorityNone, improve.PriorityLow, improve.PriorityMedium, improve.PriorityHigh,
		improve.Tooling, improve.PatternWork, improve.Performance, improve.ErrorHandling, improve.Workflow, improve.Simple, improve.MediumEffort, improve.Complex,
		improve.RepeatedTool, improve.ErrorPatterns, improve.Frustration, improve.LongSession)
	for _, w := range strings.Fields("low medium high critical none tooling pattern performance error_handling workflow simple complex repeated_tool_use error_patterns user_frustration long_session") {
		if !strings.Contains(words, w) {
			t.Errorf("there is no word %s", w)
		}
	}
}

// TestSeed002_28_TheFurtherGatesCanBeOpened: with the caps at their most, no blacklist and no
// cooldown, what is worthy fires each time, but never twice for the same trouble.
func TestSeed002_28_TheFurtherGatesCanBeOpened(t *testing.T) {
	cfg := enabled()
	cfg.DailyCap, cfg.WeeklyCap, cfg.Blacklist, cfg.Thresholds.Cooldown = new(100), new(500), []string{}, new(0.0)
	c, _ := improve.CaseOf(seedResult(), "/p")
	c.Pattern.Context = improve.Context{"about": "the password"}
	var past []improve.Item
	for n := range 20 {
		past = append(past, improve.Item{ID: fmt.Sprint(n), Fingerprint: fmt.Sprint(n), Project: "/p", Created: start})
	}
	if v := improve.Decide(cfg, c, improve.Situation{Now: start, Past: past, Forge: improve.NotFiled}); !v.Fire {
		t.Error(v.No())
	}
	past = append(past, improve.Item{ID: "same", Fingerprint: c.Pattern.Fingerprint, Project: "/p", Created: start})
	if v := improve.Decide(cfg, c, improve.Situation{Now: start, Past: past, Forge: improve.NotFiled}); v.Fire {
		t.Error("the same is filed twice")
	}
}
