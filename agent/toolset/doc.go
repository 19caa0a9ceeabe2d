// Package toolset puts together what our own agent may use: the tools for files and
// commands, the todo list, the commands of steering, and the tools of MCP servers. It
// also decides which of them a session's mode lets the model see. It asks nobody and
// runs no model.
//
//	set, err := toolset.New(toolset.Options{Folder: folder, Dir: dir, Environ: os.Environ(), Service: sessions})
//	if err != nil {
//		return err
//	}
//	defer set.Close()
//	policy := toolset.Policy{Modes: modes}
//	a := agent.New(sessions, model, agent.Options{History: store, Tools: set.Tools(), More: set.More, Offer: policy.Offer})
package toolset
