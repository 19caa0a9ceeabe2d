package replay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/replay/cache"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/frame"
	"github.com/trimtab/trimtab/steer/todo"
)

// tape is a session that is being recorded.
type tape struct {
	events []trimtab.Event
	at     time.Time
	calls  int
}

func newTape() *tape { return &tape{at: start} }

func (r *tape) say(m trimtab.Message) *tape {
	r.at = r.at.Add(5 * time.Second)
	m.At = r.at
	r.events = append(r.events, trimtab.Said{Message: m})
	return r
}

func (r *tape) prompt(text string) *tape { return r.say(trimtab.Prompt(text)) }

func (r *tape) frame(words ...string) *tape {
	r.events = append(r.events, trimtab.Asked{Command: "frame", Args: words})
	return r
}

// work is so many rounds of a tool, each of so many bytes.
func (r *tape) work(rounds, size int) *tape {
	for range rounds {
		r.calls++
		id := fmt.Sprintf("c%d", r.calls)
		input, _ := json.Marshal(map[string]string{"command": id})
		r.say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: "bash", Input: input}}})
		r.say(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: strings.Repeat("x", size)}}})
	}
	return r
}

func (r *tape) play() iter.Seq2[trimtab.Event, error] {
	return func(yield func(trimtab.Event, error) bool) {
		for _, ev := range r.events {
			if !yield(ev, nil) {
				return
			}
		}
	}
}

func info() trimtab.Info { return trimtab.Info{ID: "s", Host: "claude", Created: start} }

func frames(t *testing.T, r *tape, opt replay.FrameOptions) replay.FrameReport {
	t.Helper()
	report, err := replay.Frames(info(), r.play(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Faults) > 0 {
		t.Errorf("faults: %q", report.Faults)
	}
	return report
}

func TestFramesThatWereAskedForAreFoldedAndPriced(t *testing.T) {
	r := newTape().prompt("build a parser").work(2, 400).frame("push", "read tabs").work(20, 2000).frame("pop", "completed", "it reads tabs").work(20, 400)
	got := frames(t, r, replay.FrameOptions{})
	unfolded, asked := got.Ways[0], got.Ways[1]
	if unfolded.Name != "unfolded" || asked.Name != "asked" || got.Ways[2].Name != "followed" {
		t.Fatalf("ways %+v", got.Ways)
	}
	if got.Steps != 42 || got.Requests != 42 || unfolded.Folds != 0 || asked.Popped != 1 || asked.Frames != 2 {
		t.Errorf("%d steps, %d requests, %+v", got.Steps, got.Requests, asked)
	}
	// Behind the pop, 20 requests lack 20 rounds of 500 tokens each, but for the summary.
	if less := unfolded.Sent - asked.Sent; less < 20*20*490 || asked.Share >= 0.6 {
		t.Errorf("folding kept %d tokens back; sent %d of %d", less, asked.Sent, unfolded.Sent)
	}
	if asked.Last >= unfolded.Last/3 || asked.Largest > unfolded.Largest {
		t.Errorf("last request %d of %d, largest %d", asked.Last, unfolded.Last, asked.Largest)
	}
	for i, b := range asked.Bills {
		if b.Cost >= unfolded.Bills[i].Cost || b.Share >= 1 || b.Read <= 0 || b.Read >= 1 {
			t.Errorf("%s: %+v of %+v", b.Cache, b, unfolded.Bills[i])
		}
	}
}

func TestF5_FoldsKeepWhatTheyPromise(t *testing.T) {
	r := newTape().prompt("build a parser").work(6, 900).frame("push", "read tabs").prompt("tabs first").work(9, 1200).
		frame("push", "measure").work(5, 700).frame("pop", "failed", "too slow").work(3, 500).frame("pop").work(5, 600).frame("unfold", "f2").work(2, 100).frame("fold", "f2").work(4, 400)
	for _, ancestors := range []string{"fold", "keep"} {
		got := frames(t, r, replay.FrameOptions{Frames: frame.Config{Ancestors: ancestors}})
		w := got.Ways[1]
		if w.Folds < 3 || w.Kept < w.Promised || w.Promised <= 0 || w.Short > 0 {
			t.Errorf("ancestors %s: %d folds kept %d, promised %d, at worst %d fewer", ancestors, w.Folds, w.Kept, w.Promised, w.Short)
		}
	}
}

var payback = regexp.MustCompile(`are now seen as (\d+); that pays back after (\d+) request`)

// The reply to a pop says after how many requests the fold has paid for itself.
// The simulator, which knows nothing of frames, must agree, but for what the
// reply leaves out: the client's mark went with the last message of the frame,
// so the summary is paid in full once before it is kept; and the frame context
// in front of it, which no mark stood behind, is sent anew with it.
func TestF5_AFoldPaysBackWhenItSaidItWould(t *testing.T) {
	checked := 0
	for _, provider := range cache.Known() {
		provider.Least = 0
		for _, size := range []int{60, 200, 1000, 4000} {
			for _, summary := range []int{20, 400, 2000} {
				f := newFold(t, provider, size, summary)
				f.cost(0, false)
				if f.promised == 0 {
					continue // not folded: it would not pay
				}
				checked++
				left := float64(f.text+f.context) + provider.Prices.Write*float64(f.context)
				left += provider.Prices.Write * float64(provider.Block) / cache.TokenBytes // only whole blocks are kept
				if with, without := f.cost(f.promised, false), f.cost(f.promised, true); with > without+left {
					t.Errorf("%s, rounds of %d, summary of %d: after %d requests %.0f folded, %.0f open, %.0f left out", provider.Name, size, summary, f.promised, with, without, left)
				}
				// With all of it counted, it has paid back for good.
				late := f.promised + int(left/(0.1*float64(f.saved))) + 1
				if with, without := f.cost(late, false), f.cost(late, true); with > without {
					t.Errorf("%s, rounds of %d, summary of %d: even after %d requests %.0f folded, %.0f open", provider.Name, size, summary, late, with, without)
				}
			}
		}
	}
	if checked < 12 {
		t.Errorf("only %d folds were looked at", checked)
	}
}

// fold is a session with one frame that is popped.
type fold struct {
	engine                         *trimtab.Engine
	provider                       cache.Provider
	size, summary                  int
	promised, text, context, saved int // requests; tokens
}

func newFold(t *testing.T, p cache.Provider, size, summary int) *fold {
	t.Helper()
	frames, err := frame.New(frame.Config{Ancestors: "keep"}, frame.Autonomy{Level: "manual"})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := trimtab.New(trimtab.Config{Travel: "append"}, trimtab.Use(frames))
	if err != nil {
		t.Fatal(err)
	}
	return &fold{engine: engine, provider: p, size: size, summary: summary}
}

// cost is what the session costs with so many more rounds behind the pop, folded
// or opened again at once.
func (f *fold) cost(more int, open bool) float64 {
	r := newTape().prompt("build a parser").work(4, 300).frame("push", "read tabs").work(10, f.size).frame("pop", "completed", strings.Repeat("y", f.summary))
	if open {
		r.frame("unfold", "f2")
	}
	r.work(more, 300)
	play := cache.Play{Engine: f.engine, Provider: f.provider, System: 8000, Watch: func(s cache.Step) {
		reply, err := s.Outcome.Reply()
		if found := payback.FindStringSubmatch(reply.Text); err == nil && found != nil {
			f.text, _ = strconv.Atoi(found[1])
			f.promised, _ = strconv.Atoi(found[2])
			f.saved = 10*(f.size+20)/cache.TokenBytes - f.text
		}
		for _, n := range s.Session.Notes {
			f.context = max(f.context, len(n.Text)/cache.TokenBytes+1)
		}
	}}
	return play.Run(info(), r.events).Cost(f.provider.Prices)
}

func TestBoundariesAreThoseOfTheHeuristics(t *testing.T) {
	r := newTape().prompt("build a parser for tabs").work(12, 400).prompt("now translate every error page").work(12, 400)
	low := 20
	got := frames(t, r, replay.FrameOptions{Autonomy: frame.Autonomy{Push: &low}})
	if len(got.Boundaries) == 0 || got.Suggested == 0 {
		t.Fatalf("boundaries %+v, %d suggestions", got.Boundaries, got.Suggested)
	}
	b := got.Boundaries[0]
	if b.Kind != frame.Push || b.Frame != "f2" || b.Goal != "now translate every error page" || b.Step != 12 || b.Confidence < 20 || b.Reason == "" || len(b.Scores) != 4 {
		t.Errorf("%+v", b)
	}
	if w := got.Ways[2]; w.Frames != len(got.Boundaries)+1 {
		t.Errorf("%d frames, %d boundaries", w.Frames, len(got.Boundaries))
	}
	if w := got.Ways[1]; w.Frames != 1 || w.Sent != got.Ways[0].Sent {
		t.Errorf("nobody asked, and yet %+v", w)
	}
}

func TestHowNearTheThresholdsWereIsTold(t *testing.T) {
	got := frames(t, newTape().prompt("build a parser").work(30, 400), replay.FrameOptions{})
	if len(got.Boundaries) != 0 || len(got.Highest) != 2 {
		t.Fatalf("%+v", got)
	}
	push, pop := got.Highest[0], got.Highest[1]
	if push.Side != frame.Push || pop.Side != frame.Pop || push.Threshold != 70 || push.Confidence == 0 || push.Step == 0 || push.Missing == "" {
		t.Errorf("%+v", got.Highest)
	}
}

// An export says when its session ended. Played again, it begins at its beginning.
func TestTheTimeOfAnExportIsNotItsEnd(t *testing.T) {
	r := newTape().prompt("build a parser").work(12, 400)
	late := info()
	late.Updated = start.Add(48 * time.Hour)
	got, err := replay.Frames(late, r.play(), replay.FrameOptions{})
	if err != nil || len(got.Faults) > 0 {
		t.Errorf("%v, %q", err, got.Faults)
	}
	// The reminder comes at step 8 and moves at step 12; by then the prefix is cold.
	slow := newTape().prompt("build a parser")
	for range 13 {
		slow.at = slow.at.Add(10 * time.Minute)
		slow.work(1, 400)
	}
	engine, err := steer.New(steer.Config{Steering: trimtab.Config{Travel: "tail"}, Todo: todo.Config{Timing: "fixed"}})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := replay.Run(engine, late, slow.play(), replay.Prices{})
	if err != nil || len(plain.Faults) > 0 || len(plain.Notes) < 2 || plain.Lost != 0 {
		t.Errorf("%v, %q, %d notes, %d tokens of a cold prefix given up", err, plain.Faults, len(plain.Notes), plain.Lost)
	}
}

func TestBadPoliciesAndRecordingsAreRefused(t *testing.T) {
	over := 101
	if _, err := replay.Frames(info(), newTape().play(), replay.FrameOptions{Autonomy: frame.Autonomy{Push: &over}}); err == nil || !strings.Contains(err.Error(), "pushThreshold") {
		t.Errorf("a threshold of 101: %v", err)
	}
	torn := errors.New("torn")
	bad := func(yield func(trimtab.Event, error) bool) { yield(nil, torn) }
	if _, err := replay.Frames(info(), bad, replay.FrameOptions{}); !errors.Is(err, torn) {
		t.Errorf("a torn recording: %v", err)
	}
	got := frames(t, newTape(), replay.FrameOptions{})
	if got.Messages != 0 || len(got.Ways) != 3 || got.Ways[2].Share != 0 {
		t.Errorf("nothing recorded: %+v", got)
	}
}
