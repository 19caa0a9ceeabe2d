package welcome_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab/surface/welcome"
)

var sample = welcome.Look{
	Since: time.Date(2026, 10, 20, 9, 0, 0, 0, time.UTC), Sessions: 1041, Played: 40, Steps: 5452,
	Agents:  []welcome.Agent{{Name: "claude", Program: "/bin/claude", Sessions: 1040, Takes: true}, {Name: "opencode", Program: "/bin/opencode", Takes: true}, {Name: "codex", Sessions: 1}},
	Do:      []string{"1. Have the agent run \"mise run test:ci\" before it ends: reported red in 3 sessions of this and the other project."},
	Would:   []welcome.Said{{Kind: "unproved finish", Count: 1600, Sessions: 1000}, {Kind: "loop", Count: 6, Sessions: 5}},
	Example: &welcome.Example{Kind: "loop", Step: 102, Title: strings.Repeat("a long title ", 20), File: "x.jsonl", Text: strings.Repeat("Before the next attempt say in one sentence what the cause is. ", 20)},
}

// What init shows fits on a terminal of 80 columns, and of fewer where it can, within one
// screen.
func TestALookFitsOnAScreen(t *testing.T) {
	for _, width := range []int{80, 100} {
		var b strings.Builder
		if err := sample.Text(&b, welcome.Layout{Width: width, Zone: time.UTC}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		for _, line := range lines {
			if utf8.RuneCountInString(line) > width {
				t.Errorf("%d columns: %q", width, line)
			}
		}
		if len(lines) > 32 {
			t.Errorf("%d lines:\n%s", len(lines), &b)
		}
	}
}

// Hooks are installed for those that get a yes and no others, and then it is said how to go
// on; without one nothing is said.
func TestOnlyAYesInstalls(t *testing.T) {
	for _, c := range []struct {
		yes  []string
		want string
	}{{nil, ""}, {[]string{"opencode"}, "Start opencode as"}, {[]string{"claude", "opencode"}, "Start claude or opencode as"}} {
		var b strings.Builder
		var asked, installed []string
		err := sample.Offer(&b, func(question string) bool {
			asked = append(asked, question)
			for _, name := range c.yes {
				if strings.Contains(question, name+"?") {
					return true
				}
			}
			return false
		}, func(host string) error { installed = append(installed, host); return nil })
		if err != nil || len(asked) != 2 || strings.Join(installed, " ") != strings.Join(c.yes, " ") || !strings.Contains(b.String(), c.want) || c.want == "" && b.Len() > 0 {
			t.Errorf("%q: asked %q, installed %q, said %q, %v", c.yes, asked, installed, &b, err)
		}
	}
	broken := errors.New("read-only")
	if err := sample.Offer(&strings.Builder{}, func(string) bool { return true }, func(string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
