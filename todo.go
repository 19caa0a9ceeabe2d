package trimtab

import "slices"

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

// TodoTools knows the tools with which agents write their lists. The engine knows
// no host: it is told in Config.Todos, by host/todotool or by your own. It must be
// pure and may not panic, as Engine.Step is and does not: a journal replays to the same lists only with the same
// tools.
type TodoTools interface {
	// IsWrite reports whether a tool of this name writes a todo list.
	IsWrite(tool string) bool
	// Write returns the list after a completed call of such a tool. It leaves the
	// list that it is given as it is; a call that it cannot read changes nothing.
	Write(list []Todo, call ToolCall, result string) []Todo
}

// isTodoWrite reports whether a tool writes a todo list.
func (e *Engine) isTodoWrite(tool string) bool {
	return e.cfg.Todos != nil && e.cfg.Todos.IsWrite(tool)
}

// writeTodos takes the list after a completed call of a todo tool. An item keeps the
// step from which it has had its status without a break.
func (p *pass) writeTodos(call ToolCall, result string) {
	list := slices.Clone(p.cfg.Todos.Write(p.s.Todos, call, result)) // it may be the one that it was given
	for i, it := range list {
		list[i].Since = p.s.Step
		if k := slices.IndexFunc(p.s.Todos, func(old Todo) bool { return old.Text == it.Text && old.Status == it.Status }); k >= 0 {
			list[i].Since = p.s.Todos[k].Since
		}
	}
	p.s.Todos = list
}
