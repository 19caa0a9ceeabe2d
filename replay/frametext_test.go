package replay_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/steer/frame"
)

// framed is a report in which every line of the text has something to say.
func framed() replay.FrameReport {
	peak := replay.Peak{Step: 9}
	peak.Side, peak.Confidence, peak.Threshold, peak.How = frame.Push, 55, 60, "mean"
	peak.Scores = []frame.Score{{Name: "context_switch", Score: 70, Enabled: true}, {Name: "duration", Score: 40, Enabled: true}, {Name: "complexity", Score: 99}}
	return replay.FrameReport{
		Session: "s1", Title: "fix\x1b it", Messages: 12, Steps: 1, Requests: 6, Tokens: 3400, Suggested: 2, Highest: []replay.Peak{peak},
		Boundaries: []replay.Boundary{
			{Kind: frame.Push, Step: 3, Frame: "f1", Goal: "the harbour\nand more", Reason: "another topic", Confidence: 71},
			{Kind: frame.Pop, Step: 8, Frame: "f1", Goal: "the harbour", Status: frame.Completed, Reason: "it is done", Confidence: 80},
		},
		Ways: []replay.FrameWay{
			{Name: "unfolded", Sent: 9000, Share: 1, Largest: 3400, Last: 3400, Bills: []replay.FrameBill{{Cache: "anthropic", Cost: 5000, Share: 1}}},
			{Name: "followed", Frames: 1, Popped: 1, Folds: 1, Sent: 4500, Share: .5, Largest: 2000, Last: 900, Promised: 4600, Kept: 4500, Short: 100, Bills: []replay.FrameBill{{Cache: "anthropic", Cost: 4000, Share: .8}}},
		},
		Faults: []string{"frame: broke"},
	}
}

func TestWriteFrames(t *testing.T) {
	var out strings.Builder
	if err := replay.WriteFrames(&out, "a.jsonl", 1, framed()); err != nil {
		t.Fatal(err)
	}
	want := `a.jsonl
  s1  fix␛ it
  12 messages, 1 step, 6 requests, about 3400 tokens, 1 damaged line left out
  step 3     push f1: the harbour … - another topic (71 %)
  step 8     pop  f1 as completed: the harbour - it is done (80 %)
  boundaries drawn by the heuristics: 2; suggestions, had nobody followed any: 2
  highest push 55 % at step 9, of 60 % (mean of context switch 70, duration 40)
            frames popped  tokens sent  share   largest      last  cost by anthropic  
  unfolded       0      0         9000  100 %      3400      3400         5000  100 % 
  followed       1      1         4500   50 %      2000       900         4000   80 % 
  followed: 1 fold kept 4500 tokens from the requests, 4600 were promised; 0 of 0 edits of files seen before were made unseen, 0 calls asked again for what was folded; at one moment 100 fewer than promised
  fault: frame: broke
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteFramesOfAnEmptyFile(t *testing.T) {
	var out strings.Builder
	if err := replay.WriteFrames(&out, "a.jsonl", 0, replay.FrameReport{Session: "s1"}); err != nil {
		t.Fatal(err)
	}
	want := "a.jsonl\n  s1  \n  0 messages, 0 steps, 0 requests, about 0 tokens\n  nothing was said in the main conversation of this file\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWriteFrameSum adds up, and leaves the reports as they are.
func TestWriteFrameSum(t *testing.T) {
	one, two := framed(), framed()
	two.Ways[1].Sent, two.Ways[1].Largest, two.Ways[1].Bills[0].Cost = 9000, 2500, 6000
	var out strings.Builder
	if err := replay.WriteFrameSum(&out, []replay.FrameReport{one, two}); err != nil {
		t.Fatal(err)
	}
	want := `all 2 files
            frames popped  tokens sent  share   largest      last  cost by anthropic  
  unfolded       0      0        18000  100 %      3400      3400        10000  100 % 
  followed       2      2        13500   75 %      2500       900        10000  100 % 
  followed: 2 folds kept 9000 tokens from the requests, 9200 were promised; 0 of 0 edits of files seen before were made unseen, 0 calls asked again for what was folded; at one moment 100 fewer than promised
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(framed().Ways, one.Ways); diff != "" {
		t.Errorf("a report was changed (-want +got):\n%s", diff)
	}
}
