// Package gateway stands between an agent and its model and steers what passes.
//
// It reads each request, finds out which session it belongs to and whether it is
// a main turn, tells the engine what is new in it, and puts the session's notes
// into the body where they belong. Bytes outside a note reach the provider as
// the client wrote them. Replies go back as they come; a copy is read.
//
// It never edits a side call, the system prompt or the tools; it never logs a
// key or a body; and when anything in steering fails, the request goes out as it
// came.
//
//	g, err := gateway.New(gateway.Options{Service: sessions, History: store, Upstreams: upstreams})
//	err = http.Serve(listener, g)
package gateway
