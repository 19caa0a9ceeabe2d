package frame

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// big is a tree with more to tell than any budget holds.
func big() Memory {
	long := strings.Repeat("wörter und mehr ", 300)
	m := Memory{Active: "f3", Next: 30}
	m.Frames = []Frame{
		{ID: "f1", Goal: "root " + long, Status: InProgress, Held: &Work{Said: "rootsaid"}},
		{ID: "f2", Parent: "f1", Goal: "middle", Status: InProgress, Held: &Work{Said: "middlesaid"}},
		{ID: "f3", Parent: "f2", Goal: "parse tabs quickly", Criteria: long, Status: InProgress},
	}
	for i := 4; i <= 30; i++ {
		m.Frames = append(m.Frames, Frame{ID: fmt.Sprintf("f%d", i), Parent: "f2", Goal: fmt.Sprintf("sibling %d", i), Status: Completed, Summary: long})
	}
	m.Frames[5].Summary = "this one knows how to parse tabs quickly" // f6
	m.Frames[6].Status = Planned                                     // f7
	return m
}

func TestF4_TheBudgetHolds(t *testing.T) {
	for _, b := range []Budget{{}, {Total: 100}, {Total: 1000, Ancestors: 900, Siblings: 900}, {Ancestors: 1, Siblings: 1, Current: 1, Overhead: 1}} {
		d, err := New(Config{Budget: b}, Autonomy{})
		if err != nil {
			t.Fatal(err)
		}
		text := d.context(big())
		if n := tokens(len(text)); n > d.cfg.Budget.Total+20 { // line breaks and the count of what is left out
			t.Errorf("%+v: %d tokens", d.cfg.Budget, n)
		}
		if !utf8.ValidString(text) {
			t.Errorf("%+v: cut inside a letter", b)
		}
		// Of the default budget, every cut falls into the long prose.
		for line := range strings.Lines(text) {
			if cut, ok := strings.CutSuffix(strings.TrimSpace(line), "…"); ok && !strings.HasSuffix(cut, "mehr") && !strings.HasSuffix(cut, "und") && !strings.HasSuffix(cut, "wörter") && b == (Budget{}) {
				t.Errorf("%+v: not cut at a word: %q", b, cut)
			}
		}
	}
}

func TestF4_MostRelevantFirstPrintedFromTheRoot(t *testing.T) {
	d, err := New(Config{}, Autonomy{})
	if err != nil {
		t.Fatal(err)
	}
	text := d.context(big())
	order := []string{"→ f1 root", "→ f2 middle", "middlesaid", "✓ f6 sibling 6", "✓ f30 sibling 30", "→ f3 (active) parse tabs quickly"}
	at := 0
	for _, want := range order {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("%q does not follow in:\n%s", want, text)
		}
		at += i
	}
	for _, not := range []string{"sibling 4\n", "sibling 7"} { // old and unrelated; planned
		if strings.Contains(text, not) {
			t.Errorf("%q is told:\n%s", not, text)
		}
	}
	if !strings.Contains(text, "more finished frames") {
		t.Error("what is left out is not counted")
	}
}

func TestF4_TheParentIsServedBeforeTheRoot(t *testing.T) {
	d, err := New(Config{Budget: Budget{Ancestors: 20}}, Autonomy{})
	if err != nil {
		t.Fatal(err)
	}
	text := d.context(big())
	if !strings.Contains(text, "middlesaid") || strings.Contains(text, "rootsaid") {
		t.Errorf("20 tokens for the frames above tell:\n%s", text)
	}
}

func TestCutsFallBetweenWords(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"one two three", 13, "one two three"},
		{"one two three", 12, "one two…"},
		{"one two three", 10, "one two…"},
		{"one two three", 9, "one…"},
		{"onetwothree", 8, "onetw…"},
		{"one", 2, ""},
		{"ääää", 6, "ä…"},
	} {
		if got := short(c.in, c.n); got != c.want || len(got) > c.n {
			t.Errorf("short(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
