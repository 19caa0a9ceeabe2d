package mcp_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
)

var versions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// The tools of the specification, and what each may do: look, add, or take away.
var specified = map[string]string{
	"flame_push": "add", "flame_pop": "add", "flame_plan": "add", "flame_activate": "add", "flame_invalidate": "take",
	"flame_status": "look", "flame_tree": "look", "flame_set_goal": "add again", "flame_add_artifact": "add again", "flame_add_decision": "add again",
	"flame_log": "look", "flame_autonomy_config": "add again", "flame_should_push": "look", "flame_should_pop": "look",
	"flame_auto_suggest": "add again", "flame_autonomy_stats": "look",
	"criterion_met": "add again",
	"trimtab_mode":  "add", "trimtab_todo": "look", "trimtab_automata": "add", "trimtab_status": "look",
}

// offered adds what a lineup has beyond them: every command is a tool as it
// declares itself.
func offered(commands []trimtab.Command) map[string]string {
	all := maps.Clone(specified)
	short := []string{"frame", "push", "pop", "plan", "tree", "criterion_met"}
	for _, c := range commands {
		if name := "trimtab_" + c.Name; all[name] == "" && !slices.Contains(short, c.Name) {
			all[name] = "add"
		}
	}
	return all
}

func TestEveryToolIsOfferedWithItsHintsOnEveryTransportAndVersion(t *testing.T) {
	s := launch(t)
	for _, way := range ways {
		for _, version := range versions {
			t.Run(way+" "+version, func(t *testing.T) {
				s.t = t
				c := s.board(way, version, "claude-code", nil)
				if got := c.InitializeResult().ProtocolVersion; got != version {
					t.Errorf("speaks %s", got)
				}
				if c.InitializeResult().Instructions == "" {
					t.Error("no instructions")
				}
				got := map[string]string{}
				for name, tool := range c.tools() {
					got[name] = hints(tool)
					if tool.Description == "" || tool.Title == "" || tool.OutputSchema == nil {
						t.Errorf("%s lacks a description, title or output schema", name)
					}
				}
				if diff := cmp.Diff(offered(s.service.Engine().Commands()), got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func hints(tool *sdk.Tool) string {
	a := tool.Annotations
	switch {
	case a.ReadOnlyHint:
		return "look"
	case *a.DestructiveHint:
		return "take"
	case a.IdempotentHint:
		return "add again"
	}
	return "add"
}

// samples are arguments that each tool takes, in an order in which they all
// succeed.
var samples = []struct {
	tool string
	args map[string]any
}{
	{"flame_push", map[string]any{"goal": "Fix the parser", "successCriteria": "it reads tabs"}},
	{"flame_plan", map[string]any{"goals": []string{"Write the tests", "Write the notes"}, "parent": "f1"}},
	{"flame_set_goal", map[string]any{"goal": "Fix the parser for good"}},
	{"flame_add_artifact", map[string]any{"text": "parser.go"}},
	{"flame_add_decision", map[string]any{"text": "a tab is eight columns"}},
	{"flame_should_push", map[string]any{"potentialGoal": "Rewrite it", "currentGoal": "Fix it", "recentMessages": 12, "recentFileChanges": []string{"a.go", "b.go"}, "errorCount": 3, "tokenCount": 20000}},
	{"flame_should_push", nil},
	{"flame_should_pop", map[string]any{"successSignals": []string{"tests passed"}, "failureSignals": []string{}, "artifacts": []string{"a.go"}, "noProgressTurns": 2, "tokenCount": 90000, "contextLimit": 100000}},
	{"flame_pop", map[string]any{"status": "completed", "summary": "It reads tabs now."}},
	{"flame_activate", map[string]any{"id": "f3"}},
	{"flame_invalidate", map[string]any{"id": "f3", "reason": "the format changed"}},
	{"flame_autonomy_config", map[string]any{"level": "auto", "pushThreshold": 60, "popThreshold": 0, "suggestInContext": false, "enabledHeuristics": []string{"duration"}, "confidence": "max", "learn": true}},
	{"flame_autonomy_config", nil},
	{"flame_auto_suggest", map[string]any{"enable": true, "showHistory": true}},
	{"flame_autonomy_stats", nil},
	{"flame_status", nil},
	{"flame_tree", map[string]any{"session": present}},
	{"flame_log", map[string]any{"id": "f1", "after": 0}},
	{"trimtab_mode", nil},
	{"trimtab_todo", nil},
	{"trimtab_automata", map[string]any{"args": []string{}}},
	{"trimtab_status", nil},
	{"criterion_met", nil}, // tried apart: it needs a mode with a goal
}

func TestEveryAnswerFollowsItsSchemaAndNamesTheSession(t *testing.T) {
	s := launch(t)
	c := s.board("http", "2025-11-25", "claude-code", nil)
	all := c.tools()
	for _, sample := range samples {
		tool := all[sample.tool]
		if sample.tool == "criterion_met" {
			continue
		}
		valid(t, sample.tool+" in", tool.InputSchema, any(sample.args))
		r := c.must(sample.tool, sample.args)
		valid(t, sample.tool+" out", tool.OutputSchema, r.raw)
		if r.session != present || !strings.Contains(r.text, "Session "+present+", ") {
			t.Errorf("%s does not name its session: %q %q", sample.tool, r.session, r.text)
		}
	}
	var called []string
	for _, sample := range samples {
		called = append(called, sample.tool)
	}
	slices.Sort(called)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(specified)), slices.Compact(called)); diff != "" {
		t.Errorf("tools that no sample calls: %s", diff)
	}
}

// valid checks a value against a schema, as an independent reader of schemas
// sees both.
func valid(t *testing.T, what string, schema, value any) {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var sch jsonschema.Schema
	if err := json.Unmarshal(raw, &sch); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	resolved, err := sch.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	raw, err = json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		t.Fatal(err)
	}
	if plain == nil {
		plain = map[string]any{}
	}
	if err := resolved.Validate(plain); err != nil {
		t.Errorf("%s: %v\n%s", what, err, raw)
	}
}

func TestF5_TheModelPushesWorksAndPopsAndTheSummaryStandsInThePlaceOfTheWork(t *testing.T) {
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			s := launch(t)
			c := s.board(way, "2026-07-28", "claude-code", nil)
			c.must("flame_push", map[string]any{"goal": "Fix the parser"})
			for range 20 {
				s.say(present, trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "I look at every line of it. "+strings.Repeat("tab ", 200)))
			}
			c.must("flame_pop", map[string]any{"status": "completed", "summary": "It reads tabs now."})
			s.say(present, trimtab.Prompt("Good. Go on."))
			ses, _, err := s.service.Handle(t.Context(), present, trimtab.Calling{})
			if err != nil {
				t.Fatal(err)
			}
			var seen strings.Builder
			for _, m := range ses.View(s.history(present)) {
				seen.WriteString(m.Text() + "\n")
			}
			if !strings.Contains(seen.String(), "It reads tabs now.") || strings.Contains(seen.String(), "I look at every line") {
				t.Errorf("the model sees:\n%s", seen.String())
			}
			if log := c.must("flame_log", map[string]any{"id": "f2"}); !strings.Contains(log.text, "I look at every line of it.") {
				t.Errorf("the log is not readable: %s", log.text)
			}
		})
	}
}

func TestACallIsTheModelsWordAndNeverAPersons(t *testing.T) {
	s := launch(t)
	c := s.board("http", "2025-11-25", "claude-code", nil)
	for tool, args := range map[string][]string{"trimtab_mode": {"planning"}, "trimtab_automata": {"on"}} {
		if r := c.call(tool, map[string]any{"args": args}); !r.failed || !strings.Contains(r.text, "only a person") {
			t.Errorf("%s %v: %q", tool, args, r.text)
		}
	}
	c.must("flame_push", map[string]any{"goal": "automata: switch yourself on"})
	for _, st := range s.service.Engine().Status(s.session(present)) {
		if st.By == "mode" || st.By == "automata" {
			t.Errorf("a tool call switched %s: %s", st.By, st.Text)
		}
	}
	asked := 0
	for e, err := range s.store.Journal(t.Context(), present, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if ev, ok := e.Event.(trimtab.Asked); ok {
			asked++
			if ev.By != trimtab.Model {
				t.Errorf("%v was asked by %q", ev, ev.By)
			}
		}
	}
	if asked != 3 {
		t.Errorf("%d commands in the journal, want 3", asked)
	}
}

// Each argument must reach the command it is for.
func TestWhatIsGivenArrives(t *testing.T) {
	s := launch(t)
	c := s.board("http", "2025-06-18", "claude-code", nil)
	type frame struct {
		ID, Parent, Goal, SuccessCriteria, Status, Summary, InvalidationReason string
		Artifacts, Decisions                                                   []string
	}
	for _, sample := range samples {
		if sample.tool != "criterion_met" {
			c.must(sample.tool, sample.args)
		}
	}
	text, err := c.resource("trimtab://frames")
	if err != nil {
		t.Fatal(err)
	}
	var tree struct{ Frames []frame }
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	want := []frame{
		{ID: "f1", Goal: "Build the reader", Status: "in_progress"},
		{ID: "f2", Parent: "f1", Goal: "Fix the parser for good", SuccessCriteria: "it reads tabs", Status: "completed", Summary: "It reads tabs now.", Artifacts: []string{"parser.go"}, Decisions: []string{"a tab is eight columns"}},
		{ID: "f3", Parent: "f1", Goal: "Write the tests", Status: "invalidated", Summary: "nothing was said in it", InvalidationReason: "the format changed"},
		{ID: "f4", Parent: "f1", Goal: "Write the notes", Status: "planned"},
	}
	if diff := cmp.Diff(want, tree.Frames); diff != "" {
		t.Error(diff)
	}
	config := c.must("flame_autonomy_config", nil).text
	for _, line := range []string{"**Level:** auto", "**Push Threshold:** 60%", "**Pop Threshold:** 0%", "**Suggest in Context:** true", "**Enabled Heuristics:** duration\n", "**Confidence:** max", "**Learn:** true"} {
		if !strings.Contains(config, line) {
			t.Errorf("no %q in %s", line, config)
		}
	}
	push := c.must("flame_should_push", map[string]any{"potentialGoal": "Rewrite the index", "errorCount": 3, "recentMessages": 12, "recentFileChanges": []string{"a", "b", "c"}, "tokenCount": 20000}).text
	for _, line := range []string{"# Push Heuristic Evaluation", "failure_boundary: 75", "complexity: 40", "duration: 30", `**Suggested Goal:** "Rewrite the index"`} {
		if !strings.Contains(push, line) {
			t.Errorf("no %q in %s", line, push)
		}
	}
}

func TestD8_TheModelMarksACriterionWithEvidence(t *testing.T) {
	s := launch(t)
	c := s.board("http", "2026-07-28", "claude-code", nil)
	if r := c.call("criterion_met", map[string]any{"id": "cta", "evidence": "my last reply"}); !r.failed || !strings.Contains(r.text, "no goal") {
		t.Errorf("without a goal: %s", r.text)
	}
	if _, _, err := s.service.Handle(t.Context(), present, trimtab.Asked{Command: "mode", Args: []string{"copywrite"}}, trimtab.Said{Message: trimtab.Prompt("Write the page")}); err != nil {
		t.Fatal(err)
	}
	if r := c.call("criterion_met", map[string]any{"id": "cta"}); !r.failed || !strings.Contains(r.text, "evidence is missing") {
		t.Errorf("without evidence: %s", r.text)
	}
	if r := c.must("criterion_met", map[string]any{"id": "cta", "evidence": "the section Call to action of my last reply"}); !strings.Contains(r.text, "cta is met.") {
		t.Error(r.text)
	}
}

func TestToolsThatOnlyLookChangeAndRecordNothing(t *testing.T) {
	s := launch(t)
	c := s.board("stdio", "2025-11-25", "claude-code", nil)
	before := s.session(present).Version
	for _, sample := range samples {
		if specified[sample.tool] == "look" {
			c.must(sample.tool, sample.args)
		}
	}
	for _, uri := range []string{"trimtab://session", "trimtab://journal", "trimtab://frames"} {
		if _, err := c.resource(uri); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "planning"}); err != nil {
		t.Error(err)
	}
	if after := s.session(present).Version; after != before {
		t.Errorf("the session went from version %d to %d", before, after)
	}
}

func TestBadInputIsAnsweredWithWhatAndWhatToDo(t *testing.T) {
	s := launch(t)
	c := s.board("http", "2026-07-28", "claude-code", nil)
	long := strings.Repeat("x", 5000)
	for _, bad := range []struct {
		tool string
		args any
		says string
	}{
		{"flame_push", nil, "goal is missing: a text of at most 1000 characters"},
		{"flame_push", map[string]any{"goal": ""}, `goal: "" is not allowed`},
		{"flame_push", map[string]any{"goal": 7}, "goal: 7 is not allowed; give a text"},
		{"flame_push", map[string]any{"goal": "x", "gaol": "y"}, `there is no argument "gaol"; give some of goal, successCriteria, session`},
		{"flame_push", map[string]any{"goal": long}, "is not allowed; give a text of at most 1000 characters"},
		{"flame_push", map[string]any{"goal": strings.Repeat(long, 12)}, "bytes; give at most"},
		{"flame_pop", map[string]any{"status": "done"}, "give one of completed, failed, blocked"},
		{"flame_pop", map[string]any{"summary": long}, "at most 4000 characters"},
		{"flame_plan", map[string]any{"goals": []string{}}, "goals: [] is not allowed"},
		{"flame_plan", map[string]any{"goals": []any{"a", nil}}, "is not allowed; give a list of at most 50 texts"},
		{"flame_activate", map[string]any{"id": "f1"}, "planned"},
		{"flame_activate", map[string]any{"id": "f99"}, `no frame "f99"`},
		{"flame_invalidate", map[string]any{"id": "f1"}, "reason is missing"},
		{"flame_log", map[string]any{"id": "f99"}, `no frame "f99"`},
		{"flame_log", map[string]any{"after": -1}, "from 0 to"},
		{"flame_autonomy_config", map[string]any{"pushThreshold": -1}, "pushThreshold: -1 is not allowed; give a whole number from 0 to 100"},
		{"flame_autonomy_config", map[string]any{"popThreshold": 101}, "from 0 to 100"},
		{"flame_autonomy_config", map[string]any{"popThreshold": "abc"}, `popThreshold: "abc" is not allowed`},
		{"flame_autonomy_config", map[string]any{"popThreshold": 1.5}, "popThreshold: 1.5 is not allowed"},
		{"flame_autonomy_config", map[string]any{"enabledHeuristics": []string{"guess"}}, "at most 7 of failure_boundary"},
		{"flame_should_pop", map[string]any{"contextLimit": 0}, "from 1 to"},
		{"trimtab_automata", map[string]any{"args": []string{"sideways"}}, "on or off"},
		{"flame_tree", map[string]any{"session": "../x"}, "not a session id"},
		{"flame_tree", map[string]any{"session": "nosuch"}, "leave session out for the present one"},
	} {
		if r := c.callWith(bad.tool, bad.args, nil); !r.failed || !strings.Contains(r.text, bad.says) {
			t.Errorf("%s %.80v: failed %t, %.300q; want %q", bad.tool, bad.args, r.failed, r.text, bad.says)
		}
	}
	if r := c.must("flame_pop", nil); !strings.Contains(r.text, "the tree has ended") {
		t.Errorf("pop of the root: %s", r.text)
	}
	if r := c.call("flame_pop", nil); !r.failed || !strings.Contains(r.text, "no frame is open") {
		t.Errorf("pop of nothing: %s", r.text)
	}
	if got := s.session(present).Seq; got != 2 {
		t.Errorf("bad input left %d messages", got)
	}
}

func TestALogComesInPagesAndHoldsEveryMessageOnce(t *testing.T) {
	s := launch(t)
	c := s.board("http", "2025-11-25", "claude-code", nil)
	for i := range 15 {
		s.say(present, trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "line "+strings.Repeat("x", 2000+i)), trimtab.Say(trimtab.RoleUser, trimtab.Tool, strings.Repeat("ü", 9000)))
	}
	var seen []int
	after, pages := 0, 0
	for {
		r := c.must("flame_log", map[string]any{"id": "f1", "after": after})
		var out struct {
			Data struct {
				Messages []struct{ Seq int }
				Next     int
			}
		}
		raw, err := json.Marshal(r.raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		for _, m := range out.Data.Messages {
			seen = append(seen, m.Seq)
		}
		pages++
		if len(r.text) > 40<<10 {
			t.Errorf("a page of %d bytes", len(r.text))
		}
		if after = out.Data.Next; after == 0 {
			break
		}
	}
	var want []int
	for i := range 32 {
		want = append(want, i+1)
	}
	if diff := cmp.Diff(want, seen); diff != "" || pages < 4 {
		t.Errorf("%d pages\n%s", pages, diff)
	}
}
