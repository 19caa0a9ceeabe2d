package focus_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/focus"
	"github.com/trimtab/trimtab/steer/mode"
)

// table is a controller with a session in a mode, and a message count.
type table struct {
	testing.TB
	focus.Focus
	m   focus.Memory
	seq int
}

func enter(t testing.TB, id string, own ...mode.Definition) *table {
	t.Helper()
	return enterWith(t, focus.Config{}, id, own...)
}

func enterWith(t testing.TB, cfg focus.Config, id string, own ...mode.Definition) *table {
	t.Helper()
	d, err := focus.New(cfg, append(own, mode.Sessions()...)...)
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{TB: t, Focus: d}
	tb.m, _ = d.Enter(focus.Memory{}, id)
	if tb.m.At() != id {
		t.Fatalf("not in %s: %+v", id, tb.m)
	}
	return tb
}

// say lets somebody speak and returns what comes of it as "type priority action".
func (tb *table) say(who, text string) []string {
	m := trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text)
	m.Parts = []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model, From: who}}
	if who == "person" {
		m = trimtab.Prompt(text)
	}
	return tb.take(m)
}

func (tb *table) take(m trimtab.Message) []string {
	tb.seq++
	next, list := tb.Process(tb.m, m, trimtab.Ref{ID: trimtab.MessageID(tb.seq), Seq: tb.seq})
	tb.m = next
	var out []string
	for _, iv := range list {
		out = append(out, fmt.Sprintf("%s %s %s", iv.Type, iv.Priority, iv.Action))
		if iv.Message == "" || iv.Why == "" {
			tb.Errorf("an intervention without words: %+v", iv)
		}
	}
	return out
}

func (tb *table) progress() focus.Progress {
	p, _ := tb.Progress(tb.m)
	return p
}

func (tb *table) met() []string {
	ids := []string{}
	for _, k := range tb.progress().Met {
		ids = append(ids, k.ID)
	}
	return ids
}

func (tb *table) ask(args ...string) trimtab.Reply {
	next, acts := tb.Steer(trimtab.Turn{Event: trimtab.Asked{Command: "focus", Args: args}}, tb.m)
	tb.m = next
	for _, a := range acts {
		if r, ok := a.(trimtab.Reply); ok {
			return r
		}
	}
	tb.Fatalf("focus %v: no reply", args)
	return trimtab.Reply{}
}

func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

func TestD1_InterventionsComeHighToLow(t *testing.T) {
	tb := enter(t, "tiny", mode.Definition{
		ID: "tiny", Name: "Tiny", Goal: "Be done.", Every: 1, Most: 1, Research: 1,
		Phases:  []mode.Phase{{ID: "talk"}, {ID: "synthesis"}},
		Success: []mode.Criterion{{ID: "a"}},
	})
	got := tb.say("", "[DONE: a]\n[RESEARCH: one thing]\n[RESEARCH: another thing]")
	same(t, "one message that does it all", got, []string{
		"force_synthesis high transition_phase", "success_check high pause", "research_limit medium inject_message",
	})
}

func TestD1_OnlyWhatIsSaidIsJudged(t *testing.T) {
	tb := enter(t, "copywrite")
	tag := "[DONE: cta] [RESEARCH: x]\n\n## Hero copy\n\n" + strings.Repeat("words ", 30)
	for name, m := range map[string]trimtab.Message{
		"ours":             {Role: trimtab.RoleUser, From: "mode", Parts: []trimtab.Part{trimtab.Text{Text: tag, By: trimtab.Ours, From: "mode"}}},
		"ours, as a reply": {Role: trimtab.RoleAssistant, From: "moderator", Parts: []trimtab.Part{trimtab.Text{Text: tag, By: trimtab.Model}}},
		"system":           trimtab.Say(trimtab.RoleSystem, trimtab.Model, tag),
		"host":             trimtab.Say(trimtab.RoleUser, trimtab.Host, tag),
		"nobody's":         trimtab.Say(trimtab.RoleUser, "", tag),
		"a tool's text":    trimtab.Say(trimtab.RoleTool, trimtab.Tool, tag),
		"a result":         {Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: tag}}},
		"beside a call":    {Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: tag, By: trimtab.Tool}, trimtab.Text{Text: tag, By: trimtab.Host}, trimtab.Opaque{Kind: "thinking", Raw: json.RawMessage(`"[DONE: cta]"`)}}},
	} {
		tb.take(m)
		if met := tb.met(); len(met) > 0 || tb.progress().Research > 0 {
			t.Fatalf("%s marked %v, research %d", name, met, tb.progress().Research)
		}
	}
	if n := tb.progress().Total; n != 1 { // the reply that holds others' words is one all the same
		t.Errorf("%d messages were counted", n)
	}
}

func TestD2_EveryModeRemindsAtItsFrequency(t *testing.T) {
	for _, d := range mode.Sessions() {
		tb := enter(t, d.ID)
		for i := 1; i <= 3*d.Every; i++ {
			got := strings.Join(tb.say("", fmt.Sprintf("message number %d of many", i*7919)), " ")
			if due := i%d.Every == 0; strings.Contains(got, "goal_reminder") != due {
				t.Errorf("%s: message %d: %q", d.ID, i, got)
			}
		}
	}
}

func TestD3_TheSecondLoopInAPhaseForcesSynthesis(t *testing.T) {
	tb := enter(t, "copywrite")
	var got []string
	for range 6 {
		got = append(got, tb.say("skeptic", "The audience values freshness and locality above convenience, always.")...)
	}
	same(t, "two loops", got, []string{"loop_detected high inject_message", "force_synthesis high transition_phase"})
	if p := tb.progress(); p.Phase != "synthesis" || p.Loops != 2 {
		t.Errorf("got %s with %d loops", p.Phase, p.Loops)
	}
}

func TestD3_WorkThatComesToNothingIsSeenWhereItIsAskedFor(t *testing.T) {
	tb := enterWith(t, focus.Config{Detector: "progress"}, "copywrite")
	fired := 0
	for i := range 11 {
		id := fmt.Sprint("c", i)
		got := tb.take(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: "bash", Input: json.RawMessage(`{"command":"make site"}`)}}})
		got = append(got, tb.take(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: "error: no template called home", Failed: true}}})...)
		fired += strings.Count(strings.Join(got, " "), "loop_detected")
	}
	if fired != 1 {
		t.Errorf("the loop was told %d times", fired)
	}
}

func TestD5_NoPhaseMovesTwiceAtOneMessage(t *testing.T) {
	tb := enter(t, "copywrite")
	tb.say("", "[RESEARCH: bread]")
	got := tb.say("", "[DONE: audience_defined] [DONE: pain_points_identified] [DONE: competitor_analysis] [DONE: market_context]")
	same(t, "first", got, []string{"phase_transition medium transition_phase"})
	same(t, "second", tb.say("", "on we go"), []string{"phase_transition medium transition_phase"})
	same(t, "third", tb.say("", "and on"), nil)
	if p := tb.progress(); p.Phase != "ideation" {
		t.Errorf("in %s", p.Phase)
	}
}

func TestD6_WhereItGoes(t *testing.T) {
	want := map[string]string{
		"copywrite": "synthesis", "site-survey": "rewrite", "idea-validation": "verdict", "ideation": "rank",
		"will-it-work": "verdict", "business-plan": "synthesis", "gtm-strategy": "tactics", "custom": "synthesize",
	}
	for id, phase := range want {
		tb := enter(t, id)
		for range 12 {
			tb.say("", "Again and again the same words about customers and their wishes.")
		}
		if got := tb.progress().Phase; got != phase {
			t.Errorf("%s: forced to %s, want %s", id, got, phase)
		}
	}
}

func TestD8_WhoAgreesIsCounted(t *testing.T) {
	tb := enter(t, "copywrite")
	if r := tb.ask("agents", "skeptic", "pragmatist", "analyst", "advocate", "contrarian"); r.Failed {
		t.Fatal(r.Text)
	}
	has := func(id string) bool { return strings.Contains(" "+strings.Join(tb.met(), " ")+" ", " "+id+" ") }
	tb.say("analyst", "[PROPOSAL] We write for those who live near.")
	tb.ask("to", "ideation")
	tb.say("skeptic", "[PROPOSAL] Warm bread at seven.")
	tb.say("skeptic", "[PROPOSAL] Warm bread at eight.")
	if has("multiple_angles") {
		t.Error("one author's proposals are several angles")
	}
	tb.say("advocate", "advocate: [PROPOSAL] The bread bike.")
	if !has("multiple_angles") {
		t.Error("two proposals of two authors are not several angles")
	}
	tb.say("skeptic", "[AGREEMENT] fine\n\n[DONE: consensus_direction] all of us agree\n\n## Consensus direction\n\n"+strings.Repeat("We all agree. ", 10))
	tb.say("skeptic", "[AGREEMENT] once more")
	tb.say("analyst", "There is no [AGREEMENT] yet, and `[AGREEMENT]` is only a tag.")
	if p := tb.progress(); p.Support != 0.4 || has("consensus_direction") {
		t.Errorf("support %v of two in five; met: %v", p.Support, tb.met())
	}
	tb.say("analyst", "**[AGREEMENT]** the figures bear it out")
	if p := tb.progress(); p.Support != 0.6 || !has("consensus_direction") || has("consensus") {
		t.Errorf("support %v of three in five; met: %v", p.Support, tb.met())
	}
	got := tb.say("skeptic", "[DISAGREEMENT] on second thought, no")
	same(t, "an agreement that falls apart", got, []string{"success_check low inject_message"})
	if p := tb.progress(); has("consensus_direction") || p.Support != 0.4 || p.Opposition != 0.2 || len(p.Undone) != 1 {
		t.Errorf("support %v, opposition %v, met: %v", p.Support, p.Opposition, tb.met())
	}
	tb.say("person", "[AGREEMENT] I like it")
	if p := tb.progress(); len(p.Undone) != 1 || p.Undone[0].Stale != "3 of 5 stand behind the newest proposal so far" {
		t.Errorf("undone: %+v", p.Undone)
	}
	if p := tb.progress(); p.Support != 4.0/7 || has("consensus_direction") {
		t.Errorf("two agents, and a person who counts double: support %v, met: %v", p.Support, tb.met())
	}
	tb.say("pragmatist", "[AGREEMENT] let us go")
	same(t, "something newer is no reproach", tb.say("contrarian", "[PROPOSAL] Say nothing of bread at all."), nil)
	tb.say("skeptic", "[AGREEMENT] P5: bold")
	if p := tb.progress(); len(p.Undone) != 0 || has("consensus_direction") {
		t.Errorf("undone: %+v", p.Undone)
	}
	tb.say("analyst", "[AGREEMENT] P5: it is short")
	if !has("consensus_direction") {
		t.Errorf("three agents and a person: support %v, met: %v", tb.progress().Support, tb.met())
	}
}

// What was agreed in a phase that lies behind stays agreed, on what it was agreed on:
// a proposal of another phase opens the consensus anew, and nothing else.
func TestD8_WhatWasAgreedInAnEarlierPhaseStaysAgreed(t *testing.T) {
	tb := enter(t, "copywrite")
	tb.ask("agents", "skeptic", "advocate", "analyst")
	tb.ask("to", "ideation")
	tb.say("skeptic", "[PROPOSAL] Lead with the proof.")
	tb.say("advocate", "[AGREEMENT] P1: the proof it is\n[PROPOSAL] Lead with the smell.")
	tb.say("skeptic", "[AGREEMENT] P2: and I did propose the proof")
	tb.ask("to", "drafting")
	tb.say("analyst", "[PROPOSAL] A button that says what it does.")
	if p := tb.progress(); p.Phase != "drafting" || len(p.Undone) != 0 {
		t.Fatalf("in %s, undone: %+v", p.Phase, p.Undone)
	}
	tb.say("advocate", "[AGREEMENT] P3: it is clear")
	for _, k := range tb.progress().Met {
		want := map[string]string{"consensus": "button", "consensus_direction": "smell", "multiple_angles": "smell"}[k.ID]
		if !strings.Contains(k.Text, want) {
			t.Errorf("%s rests on %q", k.ID, k.Text)
		}
	}
	same(t, "met", tb.met(), []string{"multiple_angles", "consensus_direction", "consensus"})
}

func TestD8_NobodySpeaksForAnother(t *testing.T) {
	tb := enter(t, "copywrite")
	tb.ask("agents", "skeptic", "analyst", "advocate")
	tb.say("skeptic", "skeptic: [PROPOSAL] Warm bread.\nanalyst: [AGREEMENT] yes\nadvocate: [AGREEMENT] yes\nperson: [AGREEMENT] yes")
	if p := tb.progress(); p.Support > 0.34 {
		t.Errorf("one speaker made a majority: %v", p.Support)
	}
}

func TestD8_APersonsWordOutweighsTheRule(t *testing.T) {
	tb := enter(t, "copywrite")
	tb.ask("agents", "a", "b")
	if r := tb.ask("met", "consensus", "I", "decide"); r.Failed {
		t.Error(r.Text)
	}
	if r := tb.ask("met", "nosuch"); !r.Failed || !strings.Contains(r.Text, "hero_copy") {
		t.Errorf("an unknown criterion: %+v", r)
	}
	same(t, "met", tb.met(), []string{"consensus"})
}

func TestD8_ABodyOf80Characters(t *testing.T) {
	for n, want := range map[int]int{79: 0, 80: 1} {
		tb := enter(t, "copywrite")
		tb.say("", "## Call to Action ##\n\n"+strings.Repeat("ä", n))
		if got := len(tb.met()); got != want {
			t.Errorf("a body of %d characters: %d criteria met", n, got)
		}
	}
}

// TestD9_OneShotsFireOnceInAPhase plays random sessions and looks that each one-shot
// comes once at most between two moves, and that all lists stay bounded.
func TestD9_OneShotsFireOnceInAPhase(t *testing.T) {
	lines := []string{
		"[DONE: audience_defined] x", "[DONE: pain_points_identified] y", "[DONE: hero_copy] a.go", "[DONE: value_props] b", "[DONE: cta] c", "[DONE: consensus] d",
		"[RESEARCH: bread]", "[RESEARCH: bikes]", "[PROPOSAL] one", "[AGREEMENT]", "[DISAGREEMENT]", "the same words over and over again here", "something else entirely", "- a\n- b\n- c\n- d\n- e",
		"## Key messages\n" + strings.Repeat("message ", 12), "[DONE: competitor_analysis] [DONE: market_context]",
	}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		tb := enter(t, mode.Sessions()[seed%8].ID)
		fired := map[string]int{}
		for range 400 {
			var got []string
			switch rng.IntN(8) {
			case 0:
				id := fmt.Sprint("c", tb.seq)
				tool := []string{"WebSearch", "Edit", "bash"}[rng.IntN(3)]
				got = tb.take(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: tool, Input: json.RawMessage(`{"query":"bread","file_path":"a.go","command":"make"}`)}}})
				got = append(got, tb.take(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Failed: rng.IntN(3) == 0}}})...)
			case 1:
				if rng.IntN(20) == 0 {
					tb.ask([]string{"next", "back"}[rng.IntN(2)])
					fired = map[string]int{}
				}
			default:
				got = tb.say([]string{"a", "b", "c"}[rng.IntN(3)], lines[rng.IntN(len(lines))])
			}
			for _, g := range got {
				name, _, _ := strings.Cut(g, " ")
				switch {
				case strings.HasSuffix(g, "transition_phase"):
					fired = map[string]int{} // it belongs to the phase that is over
				case name == "loop_detected", name == "force_synthesis", g == "success_check high pause":
					if fired[name]++; fired[name] > 1 {
						t.Fatalf("seed %d: %s fired again in %s", seed, g, tb.progress().Phase)
					}
				}
			}
		}
		raw, err := json.Marshal(tb.m)
		if err != nil || len(raw) > 64<<10 {
			t.Errorf("seed %d: the memory takes %d bytes (%v)", seed, len(raw), err)
		}
	}
}

// TestD10_ProgressIsTheSameAfterARestart stores and loads the memory at every
// message of a session and looks that nothing comes out otherwise.
func TestD10_ProgressIsTheSameAfterARestart(t *testing.T) {
	whole, cut := enter(t, "copywrite"), enter(t, "copywrite")
	for i := range 120 {
		text := fmt.Sprintf("message %d about bread\n[RESEARCH: topic %d]", i%7, i%3)
		if i%11 == 0 {
			text += "\n[DONE: audience_defined] a\n[DONE: pain_points_identified] b"
		}
		raw, err := json.Marshal(cut.m)
		if err != nil {
			t.Fatal(err)
		}
		cut.m = focus.Memory{}
		if err := json.Unmarshal(raw, &cut.m); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprint("message ", i), cut.say("a", text), whole.say("a", text))
	}
	if diff := cmp.Diff(whole.progress(), cut.progress()); diff != "" {
		t.Errorf("(-whole +cut)\n%s", diff)
	}
}

// TestProcessLeavesTheOldMemoryAlone runs two futures from one memory.
func TestProcessLeavesTheOldMemoryAlone(t *testing.T) {
	tb := enter(t, "copywrite")
	for i := range 30 {
		tb.say("a", fmt.Sprintf("[PROPOSAL] %d\n[RESEARCH: thing %d]\n[DONE: cta] f%d.go", i, i, i))
	}
	before, err := json.Marshal(tb.m)
	if err != nil {
		t.Fatal(err)
	}
	keep := tb.m
	for i := range 30 {
		tb.say("b", fmt.Sprintf("[DISAGREEMENT]\n[RESEARCH: thing %d]\n[DONE: hero_copy] x", i))
		tb.ask("unmet", "cta")
		tb.ask("agents", "a", "b", "c")
	}
	after, err := json.Marshal(keep)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("the old memory changed:\n%s", diff)
	}
}

func TestABadSettingIsNamed(t *testing.T) {
	if _, err := focus.New(focus.Config{Detector: "magic"}); err == nil || !strings.Contains(err.Error(), "focus: detector: magic is not allowed; give seed or progress or both") {
		t.Errorf("got %v", err)
	}
}

// TestAModeThatLostItsPhaseGoesOn takes up a session whose mode file was changed.
func TestAModeThatLostItsPhaseGoesOn(t *testing.T) {
	tb := enter(t, "copywrite")
	tb.m.Phase = "gone"
	tb.say("", "hello there")
	if p := tb.progress(); p.Phase != "discovery" {
		t.Errorf("in %q", p.Phase)
	}
	tb.m.Mode = "nosuch"
	same(t, "an unknown mode", tb.say("", "hello"), nil)
}

// TestOnItsOwnInAnEngine uses the room as a library does, without its siblings.
func TestOnItsOwnInAnEngine(t *testing.T) {
	d, err := focus.New(focus.Config{}, mode.Sessions()...)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(d))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	s := trimtab.NewSession("s", now)
	s, out := engine.Step(s, trimtab.Asked{Command: "focus", Args: []string{"start", "copywrite"}}, now)
	if r, err := out.Reply(); err != nil || r.Failed {
		t.Fatal(r, err)
	}
	for word := range strings.FieldsSeq("audience freshness delivery evening neighbour breakfast bicycle doorstep") {
		s, _ = engine.Step(s, trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, word)}, now)
	}
	s, out = engine.Step(s, trimtab.Calling{}, now)
	if len(out.Changes) != 1 || out.Changes[0].Slot != "goal" || out.Changes[0].By != "focus" {
		t.Errorf("got %+v", out.Changes)
	}
	if st := engine.Status(s); len(st) != 1 || st[0].Text != "Discovery 8/15 (1 of 5), 0/4 met" {
		t.Errorf("status %+v", st)
	}
}

// TestD8_ATestThatFailsAgain undoes what it showed, with no file changed, and is
// told once however often it goes back and forth.
func TestD8_ATestThatFailsAgain(t *testing.T) {
	tb := enter(t, "fix", mode.Definition{ID: "fix", Name: "Fix", Goal: "g", Success: []mode.Criterion{{ID: "tests_pass", Check: "make test"}, {ID: "reviewed"}}})
	run := func(failed bool) []string {
		id := fmt.Sprint("c", tb.seq)
		tb.take(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: "bash", Input: json.RawMessage(`{"command":"make test"}`)}}})
		return tb.take(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: "ran", Failed: failed}}})
	}
	same(t, "it never ran well", run(true), nil)
	same(t, "nothing is met", tb.met(), []string{})
	run(false)
	same(t, "it ran well", tb.met(), []string{"tests_pass"})
	same(t, "it fails", run(true), []string{"success_check low inject_message"})
	same(t, "nothing is met any longer", tb.met(), []string{})
	if u := tb.progress().Undone; len(u) != 1 || u[0].Stale != "make test failed" {
		t.Errorf("undone: %+v", u)
	}
	same(t, "it runs well again", run(false), nil)
	same(t, "and counts", tb.met(), []string{"tests_pass"})
	same(t, "it fails again, and that was said", run(true), nil)
	same(t, "but it does not count", tb.met(), []string{})
}
