// Package steertool declares the commands of the lineup as tools for a model: the
// flame_ tools of the frames, criterion_met, and every other command as it describes
// itself. Names, texts, schemas and checks of arguments are here once, for the MCP
// server and for our own agent. It runs nothing: Event returns the command that a
// call stands for, and the caller hands it to the session service.
//
//	for _, t := range steertool.FromCommands(engine.Commands()) {
//		offer(t.Name, t.Description, t.Schema())
//	}
//	in, err := t.Read(raw)
//	ev, err := t.Event(in)
//	_, out, err := sessions.Handle(ctx, id, ev)
package steertool
