package host_test

import (
	"reflect"
	"testing"

	"github.com/trimtab/trimtab/host"
)

func TestEveryRowIsFoundByItsNameAndNoOther(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range host.All() {
		if h.Name == "" || seen[h.Name] {
			t.Errorf("a row is called %q, as another is or as none may be", h.Name)
		}
		seen[h.Name] = true
		if got, ok := host.Find(h.Name); !ok || got.Name != h.Name {
			t.Errorf("Find(%q) = %q, %v", h.Name, got.Name, ok)
		}
	}
	if _, ok := host.Find("nobody"); ok {
		t.Error("a host that is in no row was found")
	}
	for _, name := range []string{"claude", "codex", "opencode", "gemini", "qwen", "goose", "pi", "trimtab"} {
		if !seen[name] {
			t.Errorf("no row for %s", name)
		}
	}
}

// A tool that two hosts call alike is read in one way: the engine is not told whose
// call it is.
func TestTodoToolsOfOneNameAreSpelledAlike(t *testing.T) {
	for _, h := range host.All() {
		for _, tool := range h.Todos {
			first, ok := host.FindTodoTool(tool.Name)
			if !ok || !reflect.DeepEqual(first, tool) {
				t.Errorf("%s of %s is %v; another host's is %v", tool.Name, h.Name, tool, first)
			}
			if (tool.List == "") == (tool.One == "") || len(tool.Text) == 0 || tool.One == host.ChangeTodo && tool.ID == "" {
				t.Errorf("%s of %s cannot be read: %v", tool.Name, h.Name, tool)
			}
		}
	}
	if host.IsTodoTool("Write") {
		t.Error("Write is no todo tool")
	}
}

// What is half written in a row would fail only on the machine of somebody who has
// that host.
func TestPartsOfARowFitTogether(t *testing.T) {
	for _, h := range host.All() {
		if (len(h.Hooks.Events) > 0) != (h.Install.File != "") {
			t.Errorf("%s has hooks without a file for them, or the file without hooks", h.Name)
		}
		if (len(h.Hooks.Events) > 0) != (h.Hooks.Answer != host.AnswerNone) {
			t.Errorf("%s has hooks without a form of answers, or the form without hooks", h.Name)
		}
		if len(h.Hooks.Events) > 0 && len(h.Launch.Upstream) == 0 && h.Hooks.Answer != host.AnswerNotes { // a plugin tells where a request goes
			t.Errorf("%s: a hook cannot tell whether the host's requests go through a gateway", h.Name)
		}
		if h.Launch.Command != "" && len(h.Requests.Known) == 0 {
			t.Errorf("%s can be started, but its requests are not known", h.Name)
		}
		if len(h.Sessions) > 0 && len(h.Private) == 0 {
			t.Errorf("%s keeps sessions in a place that other agents may read", h.Name)
		}
		kinds := map[host.HookKind]bool{}
		for _, e := range h.Hooks.Events {
			if e.Kind == host.HookNone || kinds[e.Kind] || e.Kind.String() == "" {
				t.Errorf("%s: %s is of no kind of its own", h.Name, e.Name)
			}
			kinds[e.Kind] = true
		}
		for _, s := range h.Requests.Side {
			if s.Why == "" {
				t.Errorf("%s: a side call has no reason", h.Name)
			}
		}
	}
}
