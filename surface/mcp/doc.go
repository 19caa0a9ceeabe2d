// Package mcp lets an agent steer its own session: it offers the commands of the
// lineup as tools of the Model Context Protocol, the session, its journal and its
// frames as resources, and the modes as prompts, over stdio and over HTTP.
//
// It is thin: it finds the session that a call is about, hands the call to the one
// service as a command of the model, and encodes the answer. What a tool says in the
// name of the model never passes as a person's word, so a tool can do nothing that
// only a person may. Tools that only look change and record nothing.
//
//	server, err := mcp.New(mcp.Options{Service: sessions, Archive: store, Folder: dir})
//	…
//	err = server.Run(ctx, os.Stdin, os.Stdout)
//
// or, beside other handlers on loopback:
//
//	h, err := server.Handler(mcp.HTTPOptions{Token: token, Hosts: hosts, Done: ctx.Done()})
//	mux.Handle("/mcp", h)
//
// Which session a call is about is found, in this order, by the id that was
// passed, by what the host tells of its session, or as the newest one of the
// folder; every answer says which it was and how it was found.
package mcp
