// Package tool holds the tools of our own agent, as values.
//
// A Tool is what the model is told of it and a function that runs it. Some only
// look: read, list and search files of the project folder, and keep the agent's
// todo list. Three change things, and say beforehand what a person is to be asked:
// write and edit change files, bash runs a command. None of those for files can
// reach outside the folder: every path is opened through os.Root, so neither ".."
// nor a symbolic link leads out of it. What a command can reach is for Confine to
// say. A tool never asks anybody itself, and never decides that it may run.
//
// For those that look, the same folder and input always give the same text. What
// does not fit is cut, and a last line in square brackets says so and how to get the
// rest. An error is written for the model: it says what to do instead.
//
//	folder, err := tool.Open(dir)
//	if err != nil {
//		return err
//	}
//	defer folder.Close()
//	tools := []tool.Tool{folder.Read(), folder.List(), folder.Search(), tool.TodoWrite(), tool.TodoRead(agent.Todos)}
//	tools = append(tools, folder.Changes()...)
//	bash, err := folder.Bash(tool.BashOptions{Config: cfg, Environ: os.Environ(), Confine: box.ConfineAs})
//	…
//	text, err := tools[0].Call(ctx, json.RawMessage(`{"path": "README.md"}`))
//
// A file must have been read, in the session that WithSession names, and be as it
// was then, before write or edit changes it.
//
// The list that todo_write writes is kept by the engine, which sees the completed
// call; the tool itself only checks it.
package tool
