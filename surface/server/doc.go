// Package server is the HTTP server that trimtab serve and trimtab run start: the
// gateway, and beside it health, readiness, metrics, the management API and MCP. It
// listens on loopback only, answers requests only under this machine's own names, the
// gateway's only at an address that a client was given, and lets replies finish before
// it shuts down. It steers nothing itself and opens no store.
//
//	l, err := server.Listen(ctx, "127.0.0.1:8787")
//	s, err := server.New(server.Options{
//		Gateway: g, Metrics: &g.Stats, Sessions: sessions, Store: store,
//		Hosts: server.AllowedHosts(l.Addr()), Known: clients.Known,
//	})
//	err = s.Serve(ctx, l)
package server
