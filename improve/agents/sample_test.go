package agents

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/transcript"
	reader "github.com/trimtab/trimtab/transcript/claude"
)

// The sample session is worth an improvement, and the reason is the fault of the
// sample project.
func TestTheSampleSessionIsWorthAnImprovement(t *testing.T) {
	s := sampled(t)
	file, err := os.Open(s.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := improve.NewReflector(improve.Options{Session: "sample", Redact: func(s string) string { return s }})
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range reader.Read(file, transcript.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if !r.See(item.Message) {
			t.Fatal("the sample counts as our own work")
		}
	}
	result, ok := r.Result(time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC))
	if !ok || !improve.Worthy(result.Patterns) {
		t.Fatalf("%v %+v", ok, result)
	}
	c, ok := improve.CaseOf(result, s.Project)
	if !ok {
		t.Fatal("no case")
	}
	req := c.Request(improve.Config{})
	if req.Pattern.Type != improve.ErrorPatterns || req.Pattern.Severity != improve.High || req.Type != "error_handling" {
		t.Errorf("%+v", req)
	}
	if !strings.Contains(req.Pattern.Samples[0].Excerpt, "ParseFloat") {
		t.Errorf("%+v", req.Pattern.Samples)
	}
	raw, err := os.ReadFile(s.Transcript)
	if err != nil || strings.Contains(string(raw), "{{dir}}") || !strings.Contains(string(raw), "soundings") {
		t.Error(err)
	}
}
