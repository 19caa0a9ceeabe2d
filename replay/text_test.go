package replay_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab/replay"
)

func TestWriteReport(t *testing.T) {
	note := replay.Note{Step: 9, By: "todo", Slot: "reminder", Why: "8 steps \x1b[2Jwithout it", Tokens: 1, Sent: 20, Cost: 25, Ended: 12, Because: "written"}
	rep := replay.Report{Session: "s1", Title: "Fix it", Messages: 1, Steps: 30, Tokens: 4000, Notes: []replay.Note{note}}
	var b strings.Builder
	if err := replay.WriteReport(&b, "a.jsonl", 2, rep); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{
		"a.jsonl\n  s1  Fix it\n", "1 message, 30 steps, about 4000 tokens, 2 damaged lines left out\n",
		"step 9     + todo/reminder: 8 steps ", "(1 token in 20 requests, cost 25)\n", "step 12    - todo/reminder: written\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}

func TestWriteDifference(t *testing.T) {
	d := replay.Difference{Both: 2, Only: []replay.Note{{Step: 3, By: "todo", Slot: "a"}}, Other: []replay.Note{{Step: 4, By: "mode", Slot: "b"}}, Added: -5, Lost: 7, Cost: 3}
	var b strings.Builder
	if err := replay.WriteDifference(&b, d, replay.Report{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 in common, 1 only here, 1 only there\n", "here  step 3     todo/a", "there step 4     mode/b", "there: 0 notes", "adds -5 tokens, gives up +7 of cached prefix, costs +3\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}
