package toolset_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/toolset"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/steer/steertool"
	"github.com/trimtab/trimtab/store/memory"
)

func sessions(t *testing.T) *session.Service {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	service := session.New(engine, memory.New(), session.Options{})
	if _, err := service.Begin(t.Context(), trimtab.Info{ID: "s1", Host: trimtab.OwnHost}); err != nil {
		t.Fatal(err)
	}
	return service
}

func names(tools []tool.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

func TestASetHasTheToolsOfOurAgent(t *testing.T) {
	dir := t.TempDir()
	folder, err := tool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	set, err := toolset.New(toolset.Options{Folder: folder, Dir: dir, Service: sessions(t), Sandbox: sandbox.Config{Mode: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"read", "list", "search", "write", "edit", "bash", "bash_job", "web_fetch", "todo_write", "todo_read", "flame_push", "flame_pop", "flame_plan", "flame_activate", "flame_status",
		"flame_autonomy_config", "flame_should_push", "flame_should_pop", "flame_auto_suggest", "flame_autonomy_stats", "criterion_met",
	}
	if got := names(set.Tools()); !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
	for _, each := range set.Tools() {
		if !json.Valid(each.Schema) || each.Description == "" || each.ReadOnly == slices.Contains([]string{"write", "edit", "bash"}, each.Name) {
			t.Errorf("%+v", each.Tool)
		}
	}
	if more, faults := set.More(t.Context()); more != nil || faults != nil || set.Servers() != nil {
		t.Errorf("%v, %v from no servers", more, faults)
	}
	if kind := set.Sandbox().Kind; kind != sandbox.None {
		t.Error(kind)
	}
	if err := set.Close(); err != nil {
		t.Error(err)
	}
}

// TestSeed003_40_SteeringChangesTheSessionOfTheCall, with the calls that the seed of
// frames shows, and what the model gets wrong it is told.
func TestSeed003_40_SteeringChangesTheSessionOfTheCall(t *testing.T) {
	service := sessions(t)
	ctx := tool.WithSession(t.Context(), "s1")
	call := func(name, input string) (string, error) {
		t.Helper()
		tools := toolset.Steering(service)
		i := slices.Index(names(tools), name)
		if i < 0 {
			t.Fatalf("there is no %s", name)
		}
		return tools[i].Call(ctx, json.RawMessage(input))
	}
	for _, c := range []struct{ name, input, want string }{
		{"flame_push", `{"goal": "the harbour"}`, "the harbour"},
		{"flame_plan", `{"goals": ["the quay"]}`, "the quay"},
		{"flame_status", `{}`, "the harbour"},
		{"flame_status", ``, "the quay"},
		{"flame_pop", `{"status": "completed", "summary": "It is built."}`, ""},
		{"flame_autonomy_config", `{"level": "auto", "pushThreshold": 80}`, "**Push Threshold:** 80%"},
		{"flame_should_push", `{"potentialGoal": "Fix authentication bug", "recentMessages": 20, "recentFileChanges": ["src/auth/login.ts", "src/auth/token.ts"], "errorCount": 2}`, "# Push Heuristic Evaluation"},
		{"flame_should_pop", `{"successSignals": ["tests passing", "build succeeded"], "tokenCount": 50000, "contextLimit": 100000}`, "# Pop Heuristic Evaluation"},
		{"flame_auto_suggest", `{"enable": true, "showHistory": true}`, "suggestions in the model's context: true"},
		{"flame_autonomy_stats", `{}`, "# Autonomy Statistics"},
	} {
		text, err := call(c.name, c.input)
		if err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %q, %v", c.name, c.input, text, err)
		}
	}
	for _, c := range []struct{ name, input, want string }{
		{"flame_push", `{}`, "flame_push: goal is missing"},
		{"flame_push", `{"goal": "x", "gaol": 1}`, `flame_push: there is no argument "gaol"`},
		{"flame_pop", `{"status": "won"}`, "give one of completed, failed, blocked"},
		{"flame_activate", `{"id": "f99"}`, "flame_activate: "},
		{"criterion_met", `{"id": "c", "evidence": "e"}`, "criterion_met: "},
	} {
		if text, err := call(c.name, c.input); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %q, %v; want %q", c.name, c.input, text, err, c.want)
		}
	}
	ctx = tool.WithSession(context.Background(), "unknown")
	if _, err := call("flame_status", ``); err == nil {
		t.Error("a session that does not exist was steered")
	}
}

// TestOneDeclarationForAllSurfaces: what the model of our own chat reads of a tool is
// what agents of other hosts read.
func TestOneDeclarationForAllSurfaces(t *testing.T) {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	others := map[string]steertool.Tool{}
	for _, each := range steertool.FromCommands(engine.Commands()) {
		others[each.Name] = each
	}
	for _, each := range toolset.Steering(sessions(t)) {
		schema, err := json.Marshal(others[each.Name].Schema())
		if err != nil || each.Description != others[each.Name].Description || string(each.Schema) != string(schema) {
			t.Errorf("%s: %q %s", each.Name, each.Description, each.Schema)
		}
	}
}

func inMode(memory string) trimtab.Session {
	var s trimtab.Session
	if memory == "" {
		return s
	}
	return s.WithMemory("mode", []byte(memory))
}

// TestSeed001_57_AModeExcludesTools: a mode that only looks takes writing away and not
// running, and a setting turns that off.
func TestSeed001_57_AModeExcludesTools(t *testing.T) {
	modes := append(mode.BuiltIn(), mode.Definition{ID: "survey", Name: "SURVEY", Tools: []string{"search"}})
	read, write, criterion := llm.Tool{Name: "read", ReadOnly: true}, llm.Tool{Name: "write"}, llm.Tool{Name: steertool.CriterionMet, ReadOnly: true}
	for _, c := range []struct {
		memory string
		tool   llm.Tool
		want   string
	}{
		{"", write, ""},
		{`{"mode":"normal"}`, write, ""},
		{`{"mode":"unheard-of"}`, write, ""},
		{`not JSON`, write, ""},
		{`{"mode":"planning"}`, read, ""},
		{`{"mode":"planning"}`, write, "PLANNING"},
		{`{"mode":"code-review"}`, llm.Tool{Name: "edit"}, "CODE REVIEW"},
		{`{"mode":"code-review"}`, llm.Tool{Name: "bash"}, ""},
		{`{"mode":"survey"}`, read, "SURVEY"},
		{`{"mode":"survey"}`, llm.Tool{Name: "search", ReadOnly: true}, ""},
		{`{"mode":"survey"}`, llm.Tool{Name: "flame_pop", ReadOnly: true}, ""},
		{`{"mode":"survey"}`, llm.Tool{Name: "todo_write", ReadOnly: true}, ""},
		{"", criterion, "NORMAL"},
		{`{"mode":"survey"}`, criterion, "SURVEY"},
		{`{"mode":"survey","focus":{"goal":1}}`, criterion, ""},
	} {
		p := toolset.Policy{Modes: modes}
		if got := p.ExcludedBy(inMode(c.memory), c.tool); got != c.want || !p.Offer(inMode(c.memory), c.tool) || (p.Refuse(inMode(c.memory), c.tool) == "") != (got == "") {
			t.Errorf("%s %s: excluded by %q; want %q", c.memory, c.tool.Name, got, c.want)
		}
	}
	free := toolset.Policy{Modes: modes, Free: true}
	if free.Refuse(inMode(`{"mode":"planning"}`), write) != "" || free.Refuse(inMode(`{"mode":"survey"}`), read) != "" || free.Refuse(inMode(""), criterion) == "" {
		t.Error("a policy without restrictions refuses a tool, or takes criteria where there are none")
	}
	only := toolset.Policy{Modes: modes, ReadOnly: true}
	if only.Offer(inMode(""), write) || only.Offer(inMode(`{"mode":"code-review"}`), llm.Tool{Name: "bash"}) || !only.Offer(inMode(""), read) {
		t.Error("a policy that only reads offers a tool that writes, or none that reads")
	}
}
