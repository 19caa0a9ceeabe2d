package deliberate_test

import (
	"testing"

	"github.com/trimtab/trimtab/steer/mode"
)

// BenchmarkFiveAgentsAHundredMessagesEach is a debate of 500 turns on the demo model,
// with nothing that ends it early.
func BenchmarkFiveAgentsAHundredMessagesEach(b *testing.B) {
	off := false
	long := mode.Definition{
		ID: "long", Name: "Long", Goal: "talk", Every: 8, Most: 490, Loop: mode.Loop{Enabled: &off},
		Phases: []mode.Phase{{ID: "talk", Most: 400}, {ID: "synthesis"}}, Success: []mode.Criterion{{ID: "never", Check: "false"}},
	}
	b.ReportAllocs()
	for b.Loop() {
		r := newHarness(b, long)
		r.plan.Mode, r.opt.MaxTokens = "long", 1_000_000_000
		d := r.begin()
		for _, err := range d.Run(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
		}
		if n := d.Table().Turns; n < 495 {
			b.Fatalf("%d turns", n)
		}
	}
}
