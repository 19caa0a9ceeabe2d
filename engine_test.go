package trimtab_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
)

// probe is an intervention made of a function.
type probe struct {
	name  string
	steer func(t trimtab.Turn, n int) (int, []trimtab.Action)
}

func (p probe) Name() string { return p.name }

func (p probe) Steer(t trimtab.Turn, n int) (int, []trimtab.Action) { return p.steer(t, n) }

func engineOf(t testing.TB, cfg trimtab.Config, probes ...probe) *trimtab.Engine {
	t.Helper()
	var lineup []trimtab.Steerer
	for _, p := range probes {
		lineup = append(lineup, trimtab.Use(p))
	}
	e, err := trimtab.New(cfg, lineup...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// at answers one kind of event with actions.
func at[E trimtab.Event](name string, acts ...trimtab.Action) probe {
	return probe{name, func(t trimtab.Turn, n int) (int, []trimtab.Action) {
		if _, ok := t.Event.(E); ok {
			return n + 1, acts
		}
		return n, nil
	}}
}

// stage is an engine with a session and a history.
type stage struct {
	*trimtab.Engine
	s       trimtab.Session
	history []trimtab.Message
	out     trimtab.Outcome
	now     time.Time
}

func on(e *trimtab.Engine) *stage {
	return &stage{Engine: e, s: trimtab.NewSession("s", start), now: start}
}

func (g *stage) do(events ...trimtab.Event) *stage {
	for _, ev := range events {
		if said, ok := ev.(trimtab.Said); ok {
			said.Message.ID = trimtab.MessageID(g.s.Seq + 1)
			g.history = append(g.history, said.Message)
			ev = said
		}
		g.s, g.out = g.Step(g.s, ev, g.now)
	}
	return g
}

func (g *stage) view() []string {
	var out []string
	for _, m := range g.s.View(g.history) {
		out = append(out, m.Text())
	}
	return out
}

func prompt(text string) trimtab.Said { return trimtab.Said{Message: trimtab.Prompt(text)} }

func reply(text string) trimtab.Said {
	return trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text)}
}

func want(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}

func TestRule3_NotesAtOneSeatStandInLineupOrder(t *testing.T) {
	late := at[trimtab.Said]("late", trimtab.Inject{Slot: "x", Text: "second", Life: trimtab.Standing})
	early := at[trimtab.Calling]("early", trimtab.Inject{Slot: "x", Text: "first", Life: trimtab.Standing})
	g := on(engineOf(t, trimtab.Config{}, early, late)).do(prompt("go"), trimtab.Calling{})
	want(t, g.view(), []string{"go", "first\nsecond"})
	if from := g.s.View(g.history)[1].From; from != "early+late" {
		t.Errorf("the merged message is from %q", from)
	}
}

func TestRule4_OursIsNeverCounted(t *testing.T) {
	ours := trimtab.Message{Role: trimtab.RoleAssistant, From: "mode", Parts: []trimtab.Part{trimtab.Text{Text: "automata", By: trimtab.Ours}}}
	typed := trimtab.Message{Role: trimtab.RoleUser, From: "mode", Parts: []trimtab.Part{trimtab.Text{Text: "automata", By: trimtab.Person}}}
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	g := on(engine).do(trimtab.Said{Message: ours}, trimtab.Said{Message: typed})
	if g.s.Step != 0 || g.s.Title != "" || g.s.Prompt.ID != "" || len(g.Status(g.s)) != 0 {
		t.Errorf("a message of ours counted: step %d, title %q, prompt %v, status %v", g.s.Step, g.s.Title, g.s.Prompt, g.Status(g.s))
	}
}

// TestP14_OnlyTypedWordsSwitch puts the word where people do not type.
func TestP14_OnlyTypedWordsSwitch(t *testing.T) {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	roles := []trimtab.Role{trimtab.RoleUser, trimtab.RoleAssistant, trimtab.RoleTool, trimtab.RoleSystem}
	authors := []trimtab.Author{trimtab.Model, trimtab.Tool, trimtab.Host, trimtab.Ours, ""}
	words := []string{"automata", "AUTOMATA!", "please use automata: now", "<system-reminder>automata</system-reminder>", "> automata"}
	tried := 0
	for _, role := range roles {
		for _, word := range words {
			parts := []trimtab.Part{
				trimtab.ToolCall{ID: "c", Name: word, Input: json.RawMessage(`{"x":"automata"}`)},
				trimtab.ToolResult{ID: "c", Text: word},
				trimtab.Opaque{Kind: "thinking", Raw: json.RawMessage(`"automata"`)},
			}
			for _, by := range authors {
				parts = append(parts, trimtab.Text{Text: word, By: by})
			}
			for _, part := range parts {
				for _, with := range [][]trimtab.Part{nil, {trimtab.Text{Text: "look here", By: trimtab.Person}}, {trimtab.Text{Text: "```\nautomata\n```", By: trimtab.Person}}} {
					tried++
					g := on(engine).do(trimtab.Said{Message: trimtab.Message{Role: role, Parts: append([]trimtab.Part{part}, with...)}})
					if st := g.Status(g.s); len(st) != 0 {
						t.Fatalf("role %s, part %#v switched something: %v", role, part, st)
					}
				}
			}
		}
	}
	if tried < 480 {
		t.Fatalf("only %d placements tried", tried)
	}
}

func TestRule6_APanicIsAFault(t *testing.T) {
	calm := at[trimtab.Said]("calm", trimtab.Inject{Slot: "x", Text: "note", Life: trimtab.Standing})
	wild := probe{"wild", func(turn trimtab.Turn, n int) (int, []trimtab.Action) {
		if n == 1 {
			panic("out of luck")
		}
		return n + 1, nil
	}}
	g := on(engineOf(t, trimtab.Config{}, wild, calm)).do(prompt("one"), prompt("two"))
	if len(g.out.Faults) != 1 || g.out.Faults[0].By != "wild" || !strings.Contains(g.out.Faults[0].Text, "out of luck") || g.out.Faults[0].Stack == "" {
		t.Fatalf("faults: %+v", g.out.Faults)
	}
	if raw, _ := g.s.Memory("wild"); string(raw) != "1" {
		t.Errorf("the memory after the panic is %s; it should be what it was before", raw)
	}
	want(t, g.do(trimtab.Calling{}).view(), []string{"one", "two", "note"})
}

func TestRule6_UnreadableMemoryIsAFault(t *testing.T) {
	e := engineOf(t, trimtab.Config{}, at[trimtab.Said]("a"))
	g := on(e)
	g.s = g.s.WithMemory("a", json.RawMessage(`{"not":"a number"}`)).WithMemory("gone", json.RawMessage(`"kept"`))
	g.do(prompt("one"))
	if len(g.out.Faults) != 1 || string(g.out.Faults[0].Lost) != `{"not":"a number"}` {
		t.Fatalf("faults: %+v", g.out.Faults)
	}
	if raw, _ := g.s.Memory("a"); string(raw) != "1" {
		t.Errorf("memory is %s, want a fresh start", raw)
	}
	if raw, _ := g.s.Memory("gone"); string(raw) != `"kept"` {
		t.Errorf("the memory of an intervention outside the lineup was lost: %s", raw)
	}
}

// spoilt is an intervention whose memory has no JSON form.
type spoilt struct{}

func (spoilt) Name() string { return "spoilt" }

func (spoilt) Steer(trimtab.Turn, float64) (float64, []trimtab.Action) { return math.NaN(), nil }

func TestRule6_MemoryWithoutAJSONFormDoesNotKeepTheSessionFromBeingStored(t *testing.T) {
	e, err := trimtab.New(trimtab.Config{}, trimtab.Use(spoilt{}), trimtab.Use(at[trimtab.Said]("a")))
	if err != nil {
		t.Fatal(err)
	}
	g := on(e).do(prompt("one"))
	var back trimtab.Session
	if err := json.Unmarshal([]byte(encode(t, g.s)), &back); err != nil {
		t.Fatal(err)
	}
	if raw, _ := back.Memory("a"); string(raw) != "1" {
		t.Errorf("the other memory came back as %s", raw)
	}
}

func TestRule8_EveryInjectionIsPriced(t *testing.T) {
	first := at[trimtab.Calling]("a", trimtab.Inject{Slot: "x", Text: strings.Repeat("n", 400), Life: trimtab.Once, Why: "because"})
	g := on(engineOf(t, trimtab.Config{}, first)).do(prompt(strings.Repeat("p", 4000)), trimtab.Calling{})
	c := g.out.Changes[0]
	if c.Kind != trimtab.Injected || c.Tokens != 100 || c.Lost != 0 || c.Why != "because" || c.By != "a" {
		t.Fatalf("change %+v", c)
	}
}

// TestH4_ThePriceIsWhatTheProviderCounted: a fold changes what was sent. What that cost
// is what the provider had kept and did not find again; where it counts nothing, about
// what stood behind the fold.
func TestH4_ThePriceIsWhatTheProviderCounted(t *testing.T) {
	counted := func(u *trimtab.Usage) trimtab.Said {
		m := reply(strings.Repeat("r", 400)).Message
		m.Usage = u
		return trimtab.Said{Message: m}
	}
	fold := probe{"b", func(turn trimtab.Turn, n int) (int, []trimtab.Action) {
		if _, ok := turn.Event.(trimtab.Resumed); ok {
			return n, []trimtab.Action{trimtab.Fold{Key: "k", First: trimtab.Ref{ID: "m1", Seq: 1}, Last: trimtab.Ref{ID: "m2", Seq: 2}, Text: "short"}}
		}
		return n, nil
	}}
	for name, c := range map[string]struct {
		before, after *trimtab.Usage
		want          int
	}{
		"counted":         {&trimtab.Usage{Input: 10, CacheWrite: 5000}, &trimtab.Usage{Input: 900, CacheRead: 4000}, 1000},
		"found again":     {&trimtab.Usage{Input: 10, CacheWrite: 5000}, &trimtab.Usage{Input: 900, CacheRead: 5000}, 0},
		"nothing counted": {nil, &trimtab.Usage{Input: 900}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			g := on(engineOf(t, trimtab.Config{}, fold)).do(prompt(strings.Repeat("p", 4000)), trimtab.Calling{}, counted(c.before), prompt("go on"), trimtab.Resumed{})
			if ch := g.out.Changes[0]; ch.Kind != trimtab.FoldedUp || ch.Lost != 1000 {
				t.Errorf("the fold was planned as %+v", ch)
			}
			if g = g.do(trimtab.Calling{}, counted(c.after)); g.s.Meter.Lost != c.want {
				t.Errorf("lost %d, want %d", g.s.Meter.Lost, c.want)
			}
		})
	}
}

func TestRule8_BudgetCapsTheShare(t *testing.T) {
	big := at[trimtab.Calling]("big", trimtab.Inject{Slot: "x", Text: strings.Repeat("n", 20_000), Life: trimtab.Standing})
	e := engineOf(t, trimtab.Config{Budget: 0.1}, big)
	g := on(e).do(prompt("short"), trimtab.Calling{})
	if c := g.out.Changes; len(c) != 1 || c[0].Kind != trimtab.Withheld || !strings.Contains(c[0].Why, "over budget") {
		t.Fatalf("changes %+v", c)
	}
	if g = on(e).do(prompt(strings.Repeat("p", 300_000)), trimtab.Calling{}); g.out.Changes[0].Kind != trimtab.Injected {
		t.Fatalf("a tenth of a long context was withheld: %+v", g.out.Changes)
	}
}

func TestP9_ARetryIsNotAStep(t *testing.T) {
	once := at[trimtab.Said]("a", trimtab.Inject{Slot: "x", Text: "once", Life: trimtab.Once})
	g := on(engineOf(t, trimtab.Config{}, once)).do(prompt("go"), trimtab.Calling{})
	first := g.view()
	want(t, g.do(trimtab.Calling{}, trimtab.Calling{}).view(), first)
	if g.s.Step != 0 || g.s.Made != 1 {
		t.Errorf("retries counted: step %d, notes %d", g.s.Step, g.s.Made)
	}
}

func TestP9_InjectThenRetractGivesBackTheOriginal(t *testing.T) {
	in := probe{"a", func(turn trimtab.Turn, n int) (int, []trimtab.Action) {
		switch turn.Event.(type) {
		case trimtab.Calling:
			return n, []trimtab.Action{trimtab.Inject{Slot: "x", Text: "note", Life: trimtab.Standing}}
		case trimtab.Stopping:
			return n, []trimtab.Action{trimtab.Retract{Slot: "x", Why: "done"}}
		}
		return n, nil
	}}
	g := on(engineOf(t, trimtab.Config{}, in)).do(prompt("go"), trimtab.Calling{}, reply("ok"))
	want(t, g.view(), []string{"go", "note", "ok"})
	want(t, g.do(trimtab.Stopping{}).view(), []string{"go", "ok"})
}

func TestOnceLeavesWithTheNextRequest(t *testing.T) {
	once := at[trimtab.Resumed]("a", trimtab.Inject{Slot: "x", Text: "once", Life: trimtab.Once})
	g := on(engineOf(t, trimtab.Config{}, once)).do(prompt("go"), trimtab.Resumed{}, trimtab.Calling{})
	want(t, g.view(), []string{"go", "once"})
	want(t, g.do(reply("ok"), prompt("more"), trimtab.Calling{}).view(), []string{"go", "ok", "more"})
}

// TestH2_ANoteWaitsForTheHost: it is due until the host has added it; from then on it
// stands in the host's history, and View does not show it once more. After the host lost
// it, it is due again.
func TestH2_ANoteWaitsForTheHost(t *testing.T) {
	g := on(engineOf(t, trimtab.Config{}, at[trimtab.Said]("a", trimtab.Inject{Slot: "x", Text: "note", Life: trimtab.Standing})))
	g.do(prompt("p"), trimtab.Calling{Travel: trimtab.Hosted})
	if n := g.s.Notes[0]; n.Seated() || len(g.out.Changes) > 0 {
		t.Errorf("it did not wait: %+v %+v", n, g.out.Changes)
	}
	g.do(trimtab.Calling{Travel: trimtab.Hosted, Hosted: []trimtab.Note{{By: "a", Slot: "x", Text: "note, as it was added"}}})
	if n := g.s.Notes[0]; !n.Hosted || !n.Fixed || n.Text != "note, as it was added" || len(g.out.Changes) != 1 || g.out.Changes[0].Kind != trimtab.Injected {
		t.Errorf("%+v %+v", n, g.out.Changes)
	}
	want(t, g.view(), []string{"p"})
	g.do(trimtab.Rewritten{Lost: []string{g.s.Notes[0].Seat.ID}})
	if n := g.s.Notes[0]; n.Seated() || n.Hosted || n.Fixed {
		t.Errorf("the host lost it: %+v", n)
	}
}

func TestM10_EmptyTextIsNotInjected(t *testing.T) {
	empty := at[trimtab.Said]("a", trimtab.Inject{Slot: "x", Place: trimtab.BeforePrompt, Life: trimtab.Kept})
	g := on(engineOf(t, trimtab.Config{}, empty)).do(prompt("go"), trimtab.Calling{})
	want(t, g.view(), []string{"go"})
	if g.s.Made != 0 {
		t.Error("an empty note was made")
	}
}

func TestFoldAndUnfold(t *testing.T) {
	fold := trimtab.Fold{Key: "f1", First: trimtab.Ref{ID: "m2", Seq: 2}, Last: trimtab.Ref{ID: "m3", Seq: 3}, Text: "summary", Why: "popped"}
	outer := trimtab.Fold{Key: "f2", First: trimtab.Ref{ID: "m1", Seq: 1}, Last: trimtab.Ref{ID: "m3", Seq: 3}, Text: "all of it"}
	cutting := trimtab.Fold{Key: "f3", First: trimtab.Ref{ID: "m3", Seq: 3}, Last: trimtab.Ref{ID: "m4", Seq: 4}, Text: "no"}
	p := probe{"frame", func(turn trimtab.Turn, n int) (int, []trimtab.Action) {
		ev, ok := turn.Event.(trimtab.Using)
		if !ok {
			return n, nil
		}
		return n, map[string][]trimtab.Action{
			"fold": {fold}, "outer": {outer}, "cut": {cutting}, "wild": {trimtab.Fold{Key: "w", First: trimtab.Ref{Seq: 9}, Last: trimtab.Ref{Seq: 2}, Text: "x"}},
			"unfold": {trimtab.Unfold{Key: "f1"}, trimtab.Unfold{Key: "f2"}},
		}[ev.Call.Name]
	}}
	use := func(name string) trimtab.Event { return trimtab.Using{Call: trimtab.ToolCall{Name: name}} }
	g := on(engineOf(t, trimtab.Config{}, p)).do(prompt("one"), reply("two"), prompt("three"), reply("four"), use("fold"))
	want(t, g.view(), []string{"one", "summary", "four"})
	if g.do(use("cut")); len(g.out.Faults) != 1 {
		t.Errorf("a fold across another's edge gave %+v", g.out)
	}
	if g.do(use("wild")); len(g.out.Faults) != 1 {
		t.Errorf("a fold of nothing gave %+v", g.out)
	}
	want(t, g.do(use("outer")).view(), []string{"all of it", "four"})
	want(t, g.do(use("unfold")).view(), []string{"one", "two", "three", "four"})
	if g.do(use("unfold")); len(g.out.Faults) != 2 {
		t.Errorf("unfolding nothing gave %+v", g.out)
	}
}

func TestAFoldNeverPartsAPair(t *testing.T) {
	fold := trimtab.Fold{Key: "f", First: trimtab.Ref{ID: "m1", Seq: 1}, Last: trimtab.Ref{ID: "m2", Seq: 2}, Text: "summary"}
	g := on(engineOf(t, trimtab.Config{}, at[trimtab.Using]("frame", fold)))
	call := trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: "call"}, trimtab.ToolCall{ID: "c", Name: "bash"}}}
	result := trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: "ok"}, trimtab.Text{Text: "result"}}}
	g.do(prompt("one"), trimtab.Said{Message: call}, trimtab.Said{Message: result}, trimtab.Using{})
	want(t, g.view(), []string{"one", "call", "result"})
}

// TestEveryActionReachesTheSurface shows the plumbing of the answers that later
// rooms give.
func TestEveryActionReachesTheSurface(t *testing.T) {
	acts := []trimtab.Action{
		trimtab.Reply{Text: "r"},
		trimtab.Notify{Text: "n"},
		trimtab.Pause{Why: "p"},
		trimtab.Continue{Text: "c", Why: "w"},
		trimtab.Enqueue{Kind: "improve", Data: json.RawMessage(`{}`)},
		trimtab.Deny{Why: "d"},
	}
	g := on(engineOf(t, trimtab.Config{}, at[trimtab.Stopping]("a", acts...))).do(trimtab.Stopping{})
	if len(g.out.Actions) != len(acts) {
		t.Fatalf("%d of %d actions arrived", len(g.out.Actions), len(acts))
	}
	for i, taken := range g.out.Actions {
		if encode(t, taken) != encode(t, trimtab.Taken{By: "a", Action: acts[i]}) {
			t.Errorf("action %d arrived as %+v", i, taken)
		}
	}
}

// A reset makes a new beginning for every intervention, also for one that does nothing
// at it: a seeded bug that kept their memories survived.
func TestAResetForgetsWhatInterventionsRemember(t *testing.T) {
	var had []int
	e := engineOf(t, trimtab.Config{}, probe{name: "counts", steer: func(_ trimtab.Turn, n int) (int, []trimtab.Action) {
		had = append(had, n)
		return n + 1, nil
	}})
	on(e).do(prompt("one"), prompt("two"), trimtab.Reset{}, prompt("three"))
	if want := []int{0, 1, 0, 1}; !slices.Equal(had, want) {
		t.Errorf("it remembered %v, want %v", had, want)
	}
}

func TestUnknownCommand(t *testing.T) {
	g := on(engineOf(t, trimtab.Config{})).do(trimtab.Asked{Command: "fly"})
	if r, err := g.out.Reply(); err != nil || !r.Failed || !strings.Contains(r.Text, `"fly"`) {
		t.Errorf("reply %+v, %v", r, err)
	}
}

func TestClockGoingBackwards(t *testing.T) {
	var seen []time.Time
	p := probe{"a", func(turn trimtab.Turn, n int) (int, []trimtab.Action) { seen = append(seen, turn.Now); return n, nil }}
	g := on(engineOf(t, trimtab.Config{}, p)).do(prompt("one"))
	g.now = start.Add(-time.Hour)
	g.do(prompt("two"))
	if !seen[1].Equal(start) || len(g.out.Faults) != 1 {
		t.Errorf("time went to %v, faults %v", seen[1], g.out.Faults)
	}
}

func TestInvalidUTF8IsAFault(t *testing.T) {
	g := on(engineOf(t, trimtab.Config{})).do(prompt("caf\xe9"))
	if len(g.out.Faults) != 1 || g.s.Seq != 1 {
		t.Errorf("faults %v, messages %d", g.out.Faults, g.s.Seq)
	}
}

func TestLineupRefusesTwoOfAName(t *testing.T) {
	if _, err := trimtab.New(trimtab.Config{}, trimtab.Use(at[trimtab.Said]("a")), trimtab.Use(at[trimtab.Said]("a"))); err == nil {
		t.Error("two interventions of one name were taken")
	}
	if _, err := trimtab.New(trimtab.Config{Travel: "maybe"}); err == nil || !strings.Contains(err.Error(), "travel") {
		t.Errorf("a bad setting gave %v", err)
	}
}

func TestCheckID(t *testing.T) {
	for _, id := range []string{"a", "claude:eac2f056-132a", "2026.11_x@y"} {
		if err := trimtab.CheckID(id); err != nil {
			t.Error(err)
		}
	}
	for _, id := range []string{"", "../x", "a..b", "a/b", `a\b`, "-a", ".a", "a b", "a\x00", strings.Repeat("a", 129), "ä"} {
		if trimtab.CheckID(id) == nil {
			t.Errorf("%q was taken", id)
		}
	}
}

func TestMeterLearnsFromUsage(t *testing.T) {
	g := on(engineOf(t, trimtab.Config{}))
	for i := range 20 {
		m := trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "ok")
		m.Usage = &trimtab.Usage{Input: 5000 + i*1000} // 2,000 bytes are 1,000 tokens here, behind 5,000 of system prompt
		g.do(prompt(strings.Repeat("x", 1998)), trimtab.Calling{}, trimtab.Said{Message: m})
	}
	if got := g.s.Meter.Tokens(2000); got < 950 || got > 1050 {
		t.Errorf("2,000 bytes are told as %d tokens, want about 1,000", got)
	}
}

func ExampleEngine_Step() {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		panic(err)
	}
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	s := trimtab.NewSession("demo", now)
	s, _ = engine.Step(s, trimtab.Asked{Command: "mode", Args: []string{"planning"}}, now)
	message := trimtab.Prompt("add a login page")
	message.ID = "m1"
	s, _ = engine.Step(s, trimtab.Said{Message: message}, now)
	s, out := engine.Step(s, trimtab.Calling{}, now)
	fmt.Println(out.Changes[0].By, out.Changes[0].Why)
	for _, m := range s.View([]trimtab.Message{message}) {
		fmt.Println(strings.SplitN(m.Text(), "\n", 2)[0])
	}
	// Output:
	// mode first prompt in PLANNING
	// You are in PLANNING MODE. Before writing any code:
	// add a login page
}
