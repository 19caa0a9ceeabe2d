package loop

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/trimtab/trimtab"
)

func says(text string) trimtab.Message {
	return trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text)
}

// alarms returns the numbers of the messages, from 1, at which a detector fires.
func alarms(d Detector, messages ...trimtab.Message) []int {
	var at []int
	for i, m := range messages {
		if d.See(m) != nil {
			at = append(at, i+1)
		}
	}
	return at
}

func seed(t testing.TB, cfg SeedConfig) Detector {
	t.Helper()
	rule, err := NewSeed(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return Start(rule)
}

func TestD3_ThreePairsAmongTheLastTenAreALoop(t *testing.T) {
	same, other := "We should define the audience first", "Pricing matters more than colours"
	for _, c := range []struct {
		name string
		said []string
		want []int
	}{
		{"three alike are three pairs", []string{same, same, same}, []int{3}},
		{"two alike are one", []string{same, same, other}, nil},
		{"pairs of different kinds add up", []string{same, other, same, other, "Ask the bakery about their ovens", "Ask the bakery about their ovens"}, []int{6}},
		{"words of three letters and fewer, case and punctuation do not count", []string{same, "We should... DEFINE, the (audience)! first?", "should define audience first or so it is"}, []int{3}},
		{"only the first twenty words count", []string{words20 + " ending one way or another", words20 + " finishing differently altogether", words20}, []int{3}},
		{"after an alarm the window starts afresh", []string{same, same, same, same, same, same}, []int{3, 6}},
		{"empty messages match nothing", []string{"", "", "", "a an the", "it is so", "..."}, nil},
		{"what is ten messages ago is forgotten", slices.Concat([]string{same}, distinct(8), []string{same, same}), nil},
		{"and what is nine ago is not", slices.Concat([]string{same}, distinct(7), []string{same, same}), []int{10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var messages []trimtab.Message
			for _, s := range c.said {
				messages = append(messages, says(s))
			}
			if got := alarms(seed(t, SeedConfig{}), messages...); !slices.Equal(got, c.want) {
				t.Errorf("fired at %v, want %v", got, c.want)
			}
		})
	}
}

const words20 = "alpha bravo charlie delta echoes foxtrot golfing hotel india juliet kilos limas mikes november oscars papas quebec romeo sierra tango"

func distinct(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("different%d thought%d about%d something%d", i, i, i, i))
	}
	return out
}

func TestD3_TheThresholdItselfIsNotAboveIt(t *testing.T) {
	a, b := "alpha bravo charlie delta", "alpha bravo charlie echoes" // 3 of 5
	if got := alarms(seed(t, SeedConfig{Similarity: 0.6, Most: 1}), says(a), says(b)); got != nil {
		t.Errorf("a similarity of 0.6 is above 0.6: fired at %v", got)
	}
	if got := alarms(seed(t, SeedConfig{Similarity: 0.59, Most: 1}), says(a), says(b)); !slices.Equal(got, []int{2}) {
		t.Errorf("a similarity of 0.6 is not above 0.59: fired at %v", got)
	}
}

func TestD1_InjectedAndSystemMessagesAreNeverCompared(t *testing.T) {
	text := "Remember: the goal is to write the page, not to research it"
	note := trimtab.Message{Role: trimtab.RoleUser, From: "focus", Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Ours, From: "focus"}}}
	system := trimtab.Say(trimtab.RoleSystem, trimtab.Host, text)
	host := trimtab.Say(trimtab.RoleUser, trimtab.Host, text)
	result := trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: text}}}
	for _, d := range All() {
		if got := alarms(d, slices.Repeat([]trimtab.Message{note, system, host, result}, 20)...); got != nil {
			t.Errorf("%s fired at %v", d.Name(), got)
		}
	}
	// Nor do they push what was said out of the window.
	between := slices.Concat([]trimtab.Message{says(text)}, slices.Repeat([]trimtab.Message{note, system}, 20), []trimtab.Message{says(text), says(text)})
	if got := alarms(seed(t, SeedConfig{}), between...); len(got) != 1 {
		t.Errorf("fired at %v; notes took the place of messages", got)
	}
}

// naive is the rule word for word as the specification has it.
type naive struct {
	cfg  SeedConfig
	last []map[string]bool
}

var punctuation = regexp.MustCompile(`[^\w\s]`)

func (n *naive) see(text string) bool {
	set := map[string]bool{}
	kept := 0
	for _, w := range strings.Fields(punctuation.ReplaceAllString(strings.ToLower(text), "")) {
		if len(w) > 3 && kept < 20 {
			set[w] = true
			kept++
		}
	}
	n.last = append(n.last, set)
	n.last = n.last[max(0, len(n.last)-n.cfg.Window):]
	pairs := 0
	for i := range n.last {
		for j := range i {
			if jaccard(n.last[i], n.last[j]) > n.cfg.Similarity {
				pairs++
			}
		}
	}
	if pairs < n.cfg.Most {
		return false
	}
	n.last = nil
	return true
}

func TestD3_FiresExactlyWhereTheSpecificationDoes(t *testing.T) {
	vocabulary := strings.Fields("we should write the headline, now! about bread; Bread warm morning bicycle courier the a it couldn't")
	rapid.Check(t, func(t *rapid.T) {
		cfg := SeedConfig{
			Similarity: rapid.SampledFrom([]float64{0.3, 0.5, 0.7, 1}).Draw(t, "similarity"),
			Window:     rapid.IntRange(2, 50).Draw(t, "window"), Most: rapid.IntRange(1, 6).Draw(t, "most"),
		}
		rule, err := NewSeed(cfg)
		if err != nil {
			t.Fatal(err)
		}
		d, want := Start(rule), &naive{cfg: cfg}
		for i := range rapid.IntRange(0, 120).Draw(t, "messages") {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 9).Draw(t, "text"), " ")
			if got, want := d.See(says(text)) != nil, want.see(text); got != want {
				t.Fatalf("message %d: fired %t, the specification says %t", i, got, want)
			}
		}
	})
}

func TestSettingsOutOfRangeAreNamed(t *testing.T) {
	for _, cfg := range []SeedConfig{{Similarity: 1.5}, {Window: 1}, {Window: 1001}, {Most: -1}} {
		if _, err := NewSeed(cfg); err == nil || !strings.Contains(err.Error(), "loopDetection: ") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	for _, cfg := range []ProgressConfig{{Window: 5}, {Repeats: -1}, {Errors: 1}, {Failures: 2}, {Replies: 1}, {Similarity: 0.2}} {
		if _, err := NewProgress(cfg); err == nil || !strings.Contains(err.Error(), "progress: ") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if s, err := NewSeed(SeedConfig{}); err != nil || s != defaultSeed() {
		t.Errorf("the defaults of the tags are not those of the code: %+v, %v", s, err)
	}
	if p, err := NewProgress(ProgressConfig{}); err != nil || p != defaultProgress() {
		t.Errorf("the defaults of the tags are not those of the code: %+v, %v", p, err)
	}
}
