package mode_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/steer/mode"
)

// TestD_TheTableOfBuiltInModes is the table of the specification: reminder every N;
// phases with their messages; research max/per topic/required; pairs that are a
// loop; criteria; messages in all.
func TestD_TheTableOfBuiltInModes(t *testing.T) {
	want := []string{
		"copywrite ✍️ 8 | discovery 15, research 20, ideation 25, synthesis 15, drafting 30 | 5/2/1 | 3 | hero_copy, value_props, cta, consensus | 105",
		"site-survey 🔍 10 | analyze 15, diagnose 12, research 15, rewrite 20 | 6/2/1 | 3 | hero_rewrite, value_prop_rewrite, cta_rewrite | 60",
		"idea-validation ✓ 10 | understand 10, research 20, stress-test 15, verdict 10 | 8/2/2 | 3 | verdict, reasoning, next_steps | 50",
		"ideation 💡 12 | scout 25, pattern 15, ideate 15, rank 10 | 15/3/5 | 4 | idea_list, evidence, next_steps | 70",
		"will-it-work ⚖️ 8 | define 8, evidence 20, debate 15, verdict 8 | 6/2/1 | 2 | verdict, confidence_level, key_factors | 45",
		"business-plan 📊 12 | problem-solution 15, market-analysis 20, business-model 15, gtm-financials 15, synthesis 10 | 10/2/3 | 3 | problem_statement, solution, market_size, business_model, projections, executive_summary | 80",
		"gtm-strategy 🚀 10 | audience 15, positioning 12, channels 18, tactics 15 | 8/2/2 | 3 | icp, positioning_statement, channel_plan, launch_timeline | 60",
		"custom ⚙️ 10 | discuss 30, synthesize 15, conclude 10 | 10/3/0 | 4 |  | 100",
	}
	var got []string
	for _, d := range mode.Sessions() {
		var phases, criteria []string
		for _, p := range d.Phases {
			phases = append(phases, fmt.Sprintf("%s %d", p.ID, p.Most))
		}
		for _, c := range d.Success {
			criteria = append(criteria, c.ID)
		}
		got = append(got, fmt.Sprintf("%s %s %d | %s | %d/%d/%d | %d | %s | %d", d.ID, d.Icon, d.Every, strings.Join(phases, ", "), d.Research, d.PerTopic, d.Needed, d.Loop.Similar, strings.Join(criteria, ", "), d.Most))
		if d.Loop.Window != 10 || d.Loop.Similarity != 0.7 || !*d.Loop.Enabled {
			t.Errorf("%s: loop %+v, want window 10 and threshold 0.7", d.ID, d.Loop)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestD_CopywritingIsTheSeeds holds the phases of the seed word by word.
func TestD_CopywritingIsTheSeeds(t *testing.T) {
	want := []string{
		"Understand audience, pain points, value proposition: audience_defined, pain_points_identified",
		"Gather competitive intelligence, market data: competitor_analysis, market_context",
		"Generate messaging angles, hooks, value props: multiple_angles, consensus_direction",
		"Combine best elements, resolve conflicts: unified_direction, key_messages",
		"Write actual copy sections: hero_copy, value_props, cta",
	}
	var got []string
	for _, p := range mode.Sessions()[0].Phases {
		var ids []string
		for _, c := range p.Exit {
			ids = append(ids, c.ID)
		}
		got = append(got, p.Focus+": "+strings.Join(ids, ", "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestSeed004_18_TheTextsAreTheSeeds: what the seed gives word for word stands first in
// ours.
func TestSeed004_18_TheTextsAreTheSeeds(t *testing.T) {
	begins := map[string]string{
		"copywrite": "Create compelling website copy through structured debate", "site-survey": "Analyze existing site, recommend improvements",
		"idea-validation": "Validate ideas against market/audience", "ideation": "Generate creative approaches", "will-it-work": "Stress-test ideas for feasibility",
		"business-plan": "Create business plan elements", "gtm-strategy": "Develop go-to-market strategy", "custom": "User-defined mode",
	}
	for _, d := range mode.Sessions() {
		if want := begins[d.ID]; want == "" || !strings.HasPrefix(d.Description, want) {
			t.Errorf("%s: %q", d.ID, d.Description)
		}
	}
	d := mode.Sessions()[0]
	instructions := "You are creating website copywriting. Focus on:\n- Clear, scannable headlines\n- Benefit-driven messaging\n- Emotional resonance with audience\n- Strong calls to action\n\nAvoid: jargon, generic claims, AI-sounding text\n"
	goal := "REMEMBER: Our goal is to create website copy that:\n- Resonates with the target audience\n- Differentiates from competitors\n- Drives action (signups, purchases, inquiries)\n\nFocus on WRITING, not endless research."
	if !strings.HasPrefix(d.Instructions, instructions) || d.Goal != goal {
		t.Errorf("%q\n%q", d.Instructions, d.Goal)
	}
}

// TestD_EveryModeHasWordsWorthReading looks that no prompt is missing, and that a
// verdict mode asks for its verdict in the words it must end in.
func TestD_EveryModeHasWordsWorthReading(t *testing.T) {
	for _, d := range mode.Sessions() {
		if len(d.Goal) < 100 || len(d.Instructions) < 300 || d.Description == "" {
			t.Errorf("%s: goal of %d bytes, instructions of %d, description %q", d.ID, len(d.Goal), len(d.Instructions), d.Description)
		}
		for _, p := range d.Phases {
			if p.Focus == "" {
				t.Errorf("%s/%s: no focus", d.ID, p.ID)
			}
		}
		for _, c := range d.Criteria() {
			if c.Description == "" {
				t.Errorf("%s/%s: no description", d.ID, c.ID)
			}
		}
	}
	for id, words := range map[string][]string{"idea-validation": {"GO", "NO-GO", "PIVOT"}, "will-it-work": {"YES", "NO", "MAYBE-IF", "confidence"}} {
		for _, d := range mode.Sessions() {
			for _, w := range words {
				if d.ID == id && (!strings.Contains(d.Instructions, w) || !strings.Contains(d.Phases[len(d.Phases)-1].Focus, w)) {
					t.Errorf("%s: nothing says that it ends in %s", id, w)
				}
			}
		}
	}
}

func TestD_TheOpeningSaysGoalWayAndHow(t *testing.T) {
	text := mode.Sessions()[0].Opening()
	for _, want := range []string{"Drives action", "5. Drafting (at most 30 messages)", "- cta: Call-to-action crafted", "[DONE: its id]", "5 at most, 2 on one topic", "Avoid: jargon"} {
		if !strings.Contains(text, want) {
			t.Errorf("the opening does not say %q:\n%s", want, text)
		}
	}
	if text := (mode.Definition{ID: "x", Entry: "Only this."}).Opening(); text != "Only this." {
		t.Errorf("a mode with an entry prompt alone opens with %q", text)
	}
}

// TestD_BuiltInModesHaveTheFormOfFiles writes each built-in mode as a file and reads
// it: the one definition holds them all.
func TestD_BuiltInModesHaveTheFormOfFiles(t *testing.T) {
	for _, d := range append(mode.BuiltIn()[1:], mode.Sessions()...) {
		d.ID = "my-" + d.ID
		raw, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got, problems := mode.Parse("m.json", raw)
		if len(problems) > 0 {
			t.Errorf("%s: %v", d.ID, problems)
			continue
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", d.ID, diff)
		}
	}
}

// TestSeed001_48_TheTextsOfTheModes holds the texts of the four modes to those of the
// seed, word for word.
func TestSeed001_48_TheTextsOfTheModes(t *testing.T) {
	want := map[string][2]string{
		"planning":    {"You are in PLANNING MODE. Before writing any code:\n1. Understand requirements\n2. Identify core problem\n3. Design architecture\n4. Consider edge cases\n5. Plan implementation\n6. Identify dependencies", "Remember: You are still in PLANNING MODE. Continue focusing on architectural design, systematic planning, and high-level considerations."},
		"research":    {"You are in RESEARCH MODE. Your goal is to thoroughly investigate:\n1. Current state and context\n2. Existing solutions\n3. Best practices\n4. Trade-offs\n5. Potential pitfalls", "Remember: You are still in RESEARCH MODE. Continue investigating thoroughly. Synthesize findings."},
		"code-review": {"You are in CODE REVIEW MODE. Focus on:\n1. Correctness and bugs\n2. Code quality\n3. Security\n4. Performance\n5. Maintainability\n6. Test coverage", "Remember: You are still in CODE REVIEW MODE. Maintain critical eye for code quality, security, and correctness."},
		"debugging":   {"You are in DEBUGGING MODE. Systematic approach:\n1. Reproduce issue\n2. Gather context\n3. Form hypotheses\n4. Test methodically\n5. Identify root cause\n6. Propose fixes", "Remember: You are still in DEBUGGING MODE. Stay systematic. Validate assumptions."},
		"normal":      {},
	}
	for _, d := range mode.BuiltIn() {
		if got := [2]string{d.Entry, d.Reminder}; got != want[d.ID] {
			t.Errorf("%s: %q", d.ID, got)
		}
	}
}
