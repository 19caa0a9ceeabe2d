// Package todotool reads the todo lists that agents write with their own tools, by the
// rows of package host. The engine takes it as data:
//
//	engine, err := trimtab.New(trimtab.Config{Todos: todotool.Tools{}}, lineup...)
//
// It is pure: the same calls always give the same list.
package todotool

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
)

// Tools are the todo tools of all hosts.
type Tools struct{}

var _ trimtab.TodoTools = Tools{}

const maxTodos, maxTodoText = 200, 500

// IsWrite reports whether a tool of this name writes a host's todo list.
func (Tools) IsWrite(tool string) bool { return host.IsTodoTool(tool) }

// Write returns the list after a completed call of a tool. A write in a form that it
// cannot read, and a tool that is none, leave the list alone.
func (Tools) Write(items []trimtab.Todo, call trimtab.ToolCall, result string) []trimtab.Todo {
	tool, ok := host.FindTodoTool(call.Name)
	var input map[string]json.RawMessage
	if !ok || json.Unmarshal(call.Input, &input) != nil {
		return items
	}
	switch {
	case tool.List != "":
		return readList(tool, items, input[tool.List])
	case tool.One == host.AddTodo:
		it := item(tool, decode(input))
		it.ID = createdID(result, len(items)+1)
		out := append(slices.Clone(items), it)
		return out[max(0, len(out)-maxTodos):]
	}
	return change(tool, items, decode(input))
}

// readList returns the list of a tool that writes all of it at once.
func readList(tool host.TodoTool, items []trimtab.Todo, raw json.RawMessage) []trimtab.Todo {
	var list []map[string]any
	if json.Unmarshal(raw, &list) != nil {
		return items
	}
	var out []trimtab.Todo
	for _, m := range list[:min(len(list), maxTodos)] {
		out = append(out, item(tool, m))
	}
	return out
}

func decode(input map[string]json.RawMessage) map[string]any {
	m := map[string]any{}
	for k, raw := range input {
		var v any
		if json.Unmarshal(raw, &v) == nil {
			m[k] = v
		}
	}
	return m
}

func item(tool host.TodoTool, m map[string]any) trimtab.Todo {
	it := trimtab.Todo{Status: trimtab.Pending, ID: word(m["id"])}
	for _, k := range tool.Text {
		if it.Text = trimtab.Clip(word(m[k]), maxTodoText); it.Text != "" {
			break
		}
	}
	if s := word(m["status"]); s != "" {
		it.Status = status(s)
	}
	return it
}

// change applies an update of one item: its status, its words, or its removal.
func change(tool host.TodoTool, items []trimtab.Todo, m map[string]any) []trimtab.Todo {
	id := word(m[tool.ID])
	i := slices.IndexFunc(items, func(t trimtab.Todo) bool { return t.ID == id })
	out := slices.Clone(items)
	if id == "" || i < 0 {
		return out
	}
	if word(m["status"]) == "deleted" {
		return slices.Delete(out, i, i+1)
	}
	if s := word(m["status"]); s != "" {
		out[i].Status = status(s)
	}
	if text := trimtab.Clip(word(m[tool.Text[0]]), maxTodoText); text != "" {
		out[i].Text = text
	}
	return out
}

var taskNumber = regexp.MustCompile(`#(\d+)`)

// createdID is the id that the tool reports for a new item, else its number.
func createdID(result string, n int) string {
	if m := taskNumber.FindStringSubmatch(trimtab.Clip(result, 200)); m != nil {
		return m[1]
	}
	return strconv.Itoa(n)
}

func status(s string) trimtab.TodoStatus {
	s = strings.ToLower(trimtab.Clip(s, 40))
	switch s {
	case "in-progress", "inprogress", "active", "doing":
		return trimtab.InProgress
	case "done", "complete":
		return trimtab.Completed
	case "todo", "open", "not_started":
		return trimtab.Pending
	}
	return trimtab.TodoStatus(s)
}

func word(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
