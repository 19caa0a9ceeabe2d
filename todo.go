package trimtab

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Todo is an item of the agent's own list.
type Todo struct {
	ID     string     `json:"id,omitempty"`
	Text   string     `json:"text"`
	Status TodoStatus `json:"status"`
	Since  int        `json:"since,omitempty"` // the step at which it got this status
}

// TodoStatus is the state of an item, in the words most hosts share.
type TodoStatus string

// The statuses that steering looks at; others are kept as the host wrote them.
const (
	Pending    TodoStatus = "pending"
	InProgress TodoStatus = "in_progress"
	Completed  TodoStatus = "completed"
)

// Todos is the agent's list as last written.
type Todos struct {
	Items []Todo
	Wrote bool // this very event completed a write
}

// Open returns the items that are pending or in progress.
func (t Todos) Open() []Todo {
	var open []Todo
	for _, it := range t.Items {
		if it.Status == Pending || it.Status == InProgress {
			open = append(open, it)
		}
	}
	return open
}

//go:embed todo.json
var todoTools []byte

// todoTool says how a host's todo tool spells its input.
type todoTool struct {
	Host string   `json:"host"`
	List string   `json:"list"` // the key of the whole list, or
	One  string   `json:"one"`  // "add" or "change" for a single item
	Text []string `json:"text"` // keys of the item's words, the first present wins
	ID   string   `json:"id"`   // the key of a single item's id
}

// todoTable is the one place that knows the hosts' todo tools.
var todoTable = sync.OnceValue(func() map[string]todoTool {
	table := map[string]todoTool{}
	if err := json.Unmarshal(todoTools, &table); err != nil {
		panic("todo.json: " + err.Error())
	}
	return table
})

// IsTodoWrite reports whether a tool of this name writes a host's todo list.
func IsTodoWrite(name string) bool { _, ok := todoTable()[name]; return ok }

const maxTodos, maxTodoText = 200, 500

// writeTodos returns the list after a completed call of a tool, and whether that
// was a todo write. A write in a form that it cannot read leaves the list alone.
func writeTodos(items []Todo, call ToolCall, result string, step int) (out []Todo, wrote bool) {
	tool, wrote := todoTable()[call.Name]
	var input map[string]json.RawMessage
	if !wrote || json.Unmarshal(call.Input, &input) != nil {
		return items, wrote
	}
	switch {
	case tool.List != "":
		var list []map[string]any
		if json.Unmarshal(input[tool.List], &list) != nil {
			return items, true
		}
		for _, m := range list[:min(len(list), maxTodos)] {
			out = append(out, tool.item(m))
		}
	case tool.One == "add":
		it := tool.item(decode(input))
		it.ID = createdID(result, len(items)+1)
		out = append(slices.Clone(items), it)
		out = out[max(0, len(out)-maxTodos):]
	default:
		out = tool.change(items, decode(input))
	}
	for i := range out {
		out[i].Since = since(items, out[i], step)
	}
	return out, true
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

func (tool todoTool) item(m map[string]any) Todo {
	it := Todo{Status: Pending, ID: word(m["id"])}
	for _, k := range tool.Text {
		if it.Text = Clip(word(m[k]), maxTodoText); it.Text != "" {
			break
		}
	}
	if s := word(m["status"]); s != "" {
		it.Status = status(s)
	}
	return it
}

// change applies an update of one item: its status, its words, or its removal.
func (tool todoTool) change(items []Todo, m map[string]any) []Todo {
	id := word(m[tool.ID])
	i := slices.IndexFunc(items, func(t Todo) bool { return t.ID == id })
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
	if text := Clip(word(m[tool.Text[0]]), maxTodoText); text != "" {
		out[i].Text = text
	}
	return out
}

var taskNumber = regexp.MustCompile(`#(\d+)`)

// createdID is the id that the tool reports for a new item, else its number.
func createdID(result string, n int) string {
	if m := taskNumber.FindStringSubmatch(Clip(result, 200)); m != nil {
		return m[1]
	}
	return strconv.Itoa(n)
}

// since is the step from which an item has had its status without a break.
func since(old []Todo, it Todo, step int) int {
	for _, o := range old {
		if o.Text == it.Text && o.Status == it.Status {
			return o.Since
		}
	}
	return step
}

func status(s string) TodoStatus {
	s = strings.ToLower(Clip(s, 40))
	switch s {
	case "in-progress", "inprogress", "active", "doing":
		return InProgress
	case "done", "complete":
		return Completed
	case "todo", "open", "not_started":
		return Pending
	}
	return TodoStatus(s)
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
