// Package mcp is the client of the MCP servers that a person names in the config:
// it makes their tools tools of our own agent, named mcp__server__tool.
//
// A server is started, or connected to, when its tools are first asked for. One
// that does not start, or dies, is a fault that is told and not the end of a chat;
// it is started again when it is next needed, a few times. A call is never made
// twice. Every call is asked for, unless the server says that the tool only reads
// and the config trusts the server. What a server says is data: it is limited in
// size and time, and nothing in it switches anything.
//
//	client, err := mcp.New(cfg, mcp.Options{Environ: os.Environ(), Dir: dir, Version: version})
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	a := agent.New(service, model, agent.Options{More: client.Tools, Permit: ask, …})
package mcp
