package improve_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// TestR25_APersonsWordsAreNotSentUnseen: with nobody who approves, what a person said to an
// agent stays out of the request; with a preview it is in it.
func TestR25_APersonsWordsAreNotSentUnseen(t *testing.T) {
	const words = "I told you twice that my neighbour Bertha must not hear of this"
	for _, kind := range []string{improve.Frustration, improve.SaidNo, improve.Interrupted, improve.ReportedRed, improve.SameCorrection, improve.PrematureStop} {
		c := improve.Case{Pattern: improve.Pattern{
			Type: kind, Severity: improve.High, Count: 3, Fingerprint: "f", Samples: []improve.Sample{{Session: "s", Message: "m7", Excerpt: words}}, Context: improve.Context{},
		}}
		if kind == improve.SameCorrection {
			c.Pattern.Context = improve.Context{improve.KeyAbout: words, improve.KeySignature: words}
		}
		for state, quoted := range map[improve.State]bool{improve.Queued: false, improve.Awaiting: true} {
			it := improve.NewItem("workflow_20261115_101500_k3x9", c, improve.Config{}, improve.Verdict{Fire: true, State: state}, time.Time{})
			text := fmt.Sprint(it.Request)
			if strings.Contains(text, "Bertha") != quoted || !strings.Contains(text, "m7") {
				t.Errorf("%s, %s: %s", kind, state, text)
			}
		}
		if c.Pattern.Samples[0].Excerpt != words {
			t.Errorf("%s: the pattern itself was changed", kind)
		}
	}
}
