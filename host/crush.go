package host

// crush is Crush, of which only the todo tool is known.
var crush = Host{
	Name:  "crush",
	Todos: []TodoTool{{Name: "todos", List: "todos", Text: []string{"content"}}},
}
