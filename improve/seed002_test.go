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
