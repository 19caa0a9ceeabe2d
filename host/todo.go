package host

// TodoTool says how a tool that writes a host's todo list spells its input.
type TodoTool struct {
	Name string   // of the tool
	List string   // the key of the whole list, or
	One  string   // AddTodo or ChangeTodo: the input is a single item
	Text []string // keys of the item's words, the first present wins
	ID   string   // the key of a single item's id
}

// What a tool does with a single item.
const (
	AddTodo    = "add"
	ChangeTodo = "change"
)

// FindTodoTool returns the todo tool of a name, whichever host's it is.
func FindTodoTool(name string) (TodoTool, bool) {
	for _, h := range table {
		for _, t := range h.Todos {
			if t.Name == name {
				return t, true
			}
		}
	}
	return TodoTool{}, false
}

// IsTodoTool reports whether a tool of this name writes a host's todo list.
func IsTodoTool(name string) bool { _, ok := FindTodoTool(name); return ok }

// TodoToolNames are the names of all of them.
func TodoToolNames() []string {
	var names []string
	for _, h := range table {
		for _, t := range h.Todos {
			names = append(names, t.Name)
		}
	}
	return names
}
