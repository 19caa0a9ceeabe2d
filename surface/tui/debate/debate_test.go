package debate_test

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/tui/debate"
	"github.com/trimtab/trimtab/surface/tui/page"
)

// begin starts a debate on the demo model. The options can take it up again.
func begin(t *testing.T, lines <-chan string) (*deliberate.Debate, deliberate.Options) {
	t.Helper()
	store := memory.New()
	var cfg steer.Config
	off := false
	cfg.Todo.Enabled = &off
	engine, err := steer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	goal, err := deliberate.NewGoal(mode.Sessions())
	if err != nil {
		t.Fatal(err)
	}
	cast, err := deliberate.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	opt := deliberate.Options{
		Service: session.New(engine, store, session.Options{Clock: func() time.Time { return now }}), History: store, Goal: goal, Lines: lines,
		Model: func(context.Context, string) (llm.Model, error) { return deliberate.NewPlayer(0), nil },
		Cost:  func(string, trimtab.Usage) (float64, bool) { return 0, true },
	}
	d, err := deliberate.Begin(t.Context(), opt, deliberate.Plan{ID: "d", Mode: "copywrite", Brief: "A landing page for a bakery that delivers by bike", Model: "demo", Cast: cast})
	if err != nil {
		t.Fatal(err)
	}
	return d, opt
}

// until runs a debate to the message of a number, and shows it on a board.
func until(t *testing.T, d *deliberate.Debate, b *debate.Board, seq int) {
	t.Helper()
	for ev, err := range d.Run(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		b.Take(ev)
		if _, ok := ev.(deliberate.Speaking); ok && len(d.Table().Said) >= seq {
			return
		}
	}
}

func TestBoard_WhoSpeaksPhasesCriteriaAndVotes(t *testing.T) {
	d, _ := begin(t, nil)
	b := debate.NewBoard(d, page.Plain())
	until(t, d, b, 36)
	top := []string{
		"copywrite  A landing page for a bakery that delivers by bike                     115893 tokens, $0.00",
		"✓ Discovery  ✓ Research  ✓ Ideation  ✓ Synthesis  ▸ Drafting 5/30 [#-------]",
		"✓ hero_copy  ☐ value_props  ☐ cta  ✓ consensus",
	}
	got := b.Top(100)
	if i := strings.Index(got[0], "tokens"); i > 0 { // what the demo's words weigh is not the point
		got[0], top[0] = got[0][:50], top[0][:50]
	}
	if diff := cmp.Diff(top, got); diff != "" {
		t.Errorf("top:\n%s", diff)
	}
	bottom := strings.Join(b.Bottom(140), "\n")
	for _, want := range []string{
		`\[#+-*\] P1 by \w+, \d+ % for, \d+ % against: agreed: Lead with the`,
		`\[##########\] P2 by \w+, 100 % for`, `P3 by \w+, \d+ % for, \d+ % against: agreed: Hero copy`,
		"nobody changed sides", "shared words", `speaks \(`, ", then ",
	} {
		if !regexp.MustCompile(want).MatchString(bottom) {
			t.Errorf("no %q in\n%s", want, bottom)
		}
	}
}

func TestBoard_ADebateThatIsTakenUpLooksTheSame(t *testing.T) {
	d, opt := begin(t, nil)
	live := debate.NewBoard(d, page.Plain())
	until(t, d, live, 37)
	again, err := deliberate.Resume(t.Context(), opt, "d")
	if err != nil {
		t.Fatal(err)
	}
	resumed := debate.NewBoard(again, page.Plain())
	if diff := cmp.Diff(live.Top(100), resumed.Top(100)); diff != "" {
		t.Errorf("top:\n%s", diff)
	}
	if diff := cmp.Diff(live.Bottom(140)[:4], resumed.Bottom(140)[:4]); diff != "" {
		t.Errorf("votes and meters:\n%s", diff)
	}
}

func TestBoard_FitsAnyWidth(t *testing.T) {
	d, _ := begin(t, nil)
	b := debate.NewBoard(d, page.Dark())
	until(t, d, b, 30)
	for _, width := range []int{1, 10, 20, 40, 79, 200} {
		for _, line := range append(b.Top(width), b.Bottom(width)...) {
			if n := ansi.StringWidth(line); n > width {
				t.Errorf("a line of %d cells on a screen of %d: %q", n, width, line)
			}
		}
	}
}

// TestPlain_NothingThatATerminalObeys goes out, whoever said it.
func TestPlain_NothingThatATerminalObeys(t *testing.T) {
	const evil = "a\x1b[2Jb\u202ec\x07\nd"
	for _, ev := range []deliberate.Event{
		deliberate.Spoke{Utterance: deliberate.Utterance{Seq: 1, By: "skeptic", Text: evil}},
		deliberate.Missed{Who: "skeptic", Why: evil},
		deliberate.Looking{Request: deliberate.Request{Topic: evil}},
		deliberate.Noticed{Text: evil},
		deliberate.Faulted{Fault: trimtab.Fault{Text: evil}},
		deliberate.Steered{Change: trimtab.Change{By: evil, Slot: evil, Why: evil}},
		deliberate.Moved{To: deliberate.Phase{Name: evil}},
		deliberate.Ticked{Criterion: deliberate.Criterion{ID: evil}},
		deliberate.Voted{Proposal: deliberate.Proposal{By: evil}},
		deliberate.Paused{Why: evil},
	} {
		line := debate.Plain(ev)
		if line == "" || strings.ContainsAny(line, "\x1b\x07\n\u202e") {
			t.Errorf("%T: %q", ev, line)
		}
	}
	for _, ev := range []deliberate.Event{deliberate.Delta{}, deliberate.Measured{}, deliberate.Speaking{}, deliberate.Found{}, deliberate.Spoke{}} {
		if line := debate.Plain(ev); line != "" {
			t.Errorf("%T: %q", ev, line)
		}
	}
}

// TestShow_StaysUntilTheReaderLeaves: the document is on the page when the debate is over,
// and Show gives back the last event.
func TestShow_StaysUntilTheReaderLeaves(t *testing.T) {
	lines := make(chan string, 4)
	d, _ := begin(t, lines)
	keys, w := io.Pipe()
	defer w.Close()
	go func() {
		for { // before the end it is a letter of a line that is never sent
			if _, err := io.WriteString(w, "q"); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	var out strings.Builder
	last, err := debate.Show(t.Context(), d, debate.Options{Lines: lines, In: keys, Out: &out, Env: []string{"TERM=xterm-256color"}})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(last) != fmt.Sprint(deliberate.Ended{Reason: deliberate.Success}) {
		t.Errorf("the last event is %#v", last)
	}
}
