// Package tool holds the tools of our own agent, as values.
//
// A Tool is what the model is told of it and a function that runs it. The tools
// here only look: read, list and search files of the project folder, and keep
// the agent's todo list. They never write a file, start a program or use the
// network, and they cannot reach outside the folder: every path is opened
// through os.Root, so neither ".." nor a symbolic link leads out of it.
//
// The same folder and input always give the same text. What does not fit is cut,
// and a last line in square brackets says so and how to get the rest. An error is
// written for the model: it says what to do instead.
//
//	folder, err := tool.Open(dir)
//	if err != nil {
//		return err
//	}
//	defer folder.Close()
//	tools := []tool.Tool{folder.Read(), folder.List(), folder.Search(), tool.TodoWrite(), tool.TodoRead(agent.Todos)}
//	text, err := tools[0].Call(ctx, json.RawMessage(`{"path": "README.md"}`))
//
// The list that todo_write writes is kept by the engine, which sees the completed
// call; the tool itself only checks it.
package tool
