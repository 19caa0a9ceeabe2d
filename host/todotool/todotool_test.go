package todotool_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/todotool"
)

func TestEachHostsWayToWriteAListIsRead(t *testing.T) {
	old := []trimtab.Todo{{ID: "1", Text: "a", Status: trimtab.Pending}, {ID: "2", Text: "b", Status: trimtab.InProgress}}
	item := func(id, text string, s trimtab.TodoStatus) trimtab.Todo {
		return trimtab.Todo{ID: id, Text: text, Status: s}
	}
	for _, c := range []struct {
		name, tool, input, result string
		want                      []trimtab.Todo
	}{
		{"claude, a list", "TodoWrite", `{"todos":[{"content":"x","status":"in_progress"},{"content":"y"}]}`, "", []trimtab.Todo{item("", "x", trimtab.InProgress), item("", "y", trimtab.Pending)}},
		{"claude, one more", "TaskCreate", `{"subject":"c"}`, "Task #7 created", append(old[:2:2], item("7", "c", trimtab.Pending))},
		{"claude, one more without a number", "TaskCreate", `{"description":"c"}`, "", append(old[:2:2], item("3", "c", trimtab.Pending))},
		{"claude, a change", "TaskUpdate", `{"taskId":"1","status":"completed"}`, "", []trimtab.Todo{item("1", "a", trimtab.Completed), old[1]}},
		{"claude, a change by number", "TaskUpdate", `{"taskId":2,"subject":"B"}`, "", []trimtab.Todo{old[0], item("2", "B", trimtab.InProgress)}},
		{"claude, one less", "TaskUpdate", `{"taskId":"1","status":"deleted"}`, "", old[1:]},
		{"claude, a change of none", "TaskUpdate", `{"taskId":"9","status":"deleted"}`, "", old},
		{"codex", "update_plan", `{"plan":[{"step":"x","status":"done"}]}`, "", []trimtab.Todo{item("", "x", trimtab.Completed)}},
		{"opencode", "todowrite", `{"todos":[{"id":"i","content":"x","status":"DOING"}]}`, "", []trimtab.Todo{item("i", "x", trimtab.InProgress)}},
		{"gemini", "write_todos", `{"todos":[{"description":"x","status":"cancelled"}]}`, "", []trimtab.Todo{item("", "x", "cancelled")}},
		{"crush", "todos", `{"todos":[{"content":"x"}]}`, "", []trimtab.Todo{item("", "x", trimtab.Pending)}},
		{"our own, and qwen", "todo_write", `{"todos":[]}`, "", nil},
		{"no object", "TodoWrite", `[]`, "", old},
		{"no list", "TodoWrite", `{"todos":1}`, "", old},
		{"no todo tool", "Bash", `{"todos":[]}`, "", old},
	} {
		given := append([]trimtab.Todo(nil), old...)
		got := todotool.Tools{}.Write(given, trimtab.ToolCall{Name: c.tool, Input: json.RawMessage(c.input)}, c.result)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if diff := cmp.Diff(old, given); diff != "" {
			t.Errorf("%s changed the list that it was given:\n%s", c.name, diff)
		}
	}
}
