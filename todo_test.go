package trimtab_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
)

// lines is a todo tool of a library user: each line of the result is an item.
type lines struct{}

func (lines) IsWrite(tool string) bool { return tool == "list" }

func (lines) Write(list []trimtab.Todo, _ trimtab.ToolCall, result string) []trimtab.Todo {
	if result == "same" {
		return list
	}
	var out []trimtab.Todo
	for line := range strings.Lines(result) {
		out = append(out, trimtab.Todo{Text: strings.TrimSpace(line), Status: trimtab.Pending})
	}
	return out
}

func TestTheEngineIsToldWhichToolsWriteTodos(t *testing.T) {
	for _, c := range []struct {
		name  string
		tools trimtab.TodoTools
		tool  string
		want  []trimtab.Todo
		wrote int
	}{
		{"no tools", nil, "TodoWrite", nil, 0},
		{"another tool", lines{}, "TodoWrite", nil, 0},
		{"items keep the step of their status", lines{}, "list", []trimtab.Todo{{Text: "b", Status: trimtab.Pending, Since: 1}, {Text: "c", Status: trimtab.Pending, Since: 2}}, 3},
	} {
		wrote := 0
		e := engineOf(t, trimtab.Config{Todos: c.tools}, probe{"count", func(turn trimtab.Turn, n int) (int, []trimtab.Action) {
			if turn.Todos.Wrote {
				wrote++
			}
			return n, nil
		}})
		s := trimtab.NewSession("s", time.Unix(0, 0))
		for _, result := range []string{"a\nb", "b\nc", "same"} {
			before := s.Todos
			shown := append([]trimtab.Todo(nil), before...)
			for _, m := range []trimtab.Message{
				{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "1", Name: c.tool}}},
				{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: "1", Text: result}}},
			} {
				s, _ = e.Step(s, trimtab.Said{Message: m}, time.Unix(0, 0))
			}
			if diff := cmp.Diff(shown, append([]trimtab.Todo(nil), before...)); diff != "" {
				t.Errorf("%s: the list of an earlier session changed:\n%s", c.name, diff)
			}
		}
		if diff := cmp.Diff(c.want, s.Todos); diff != "" || wrote != c.wrote {
			t.Errorf("%s: %d writes\n%s", c.name, wrote, diff)
		}
	}
}
