// Package front serves HTTP/1.1 to the programs of this machine, cheaper than
// the server of net/http does: one goroutine a connection, no second one for each
// request that watches whether the client hangs up, no timers and deadlines while
// requests are short, and a reply in as few writes as it can be.
//
// Requests are read by http.ReadRequest and held to the same checks as there, and
// replies are what net/http would send, so any http.Handler works. A client that
// hangs up ends the context of its request, a moment later than it would there.
//
// It speaks neither TLS nor HTTP/2, hands no connection over (http.Hijacker), and
// has no limit on connections: it is meant for loopback.
//
//	s := &front.Server{Handler: h, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 5 * time.Minute}
//	go func() { end <- s.Serve(listener) }()
//	err := s.Shutdown(ctx) // replies under way finish
package front
