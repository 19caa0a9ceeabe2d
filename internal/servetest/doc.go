// Package servetest tries what stands around a gateway together with a real one: callers with
// keys of their own, the management API, the metrics and their board. It holds only tests,
// and nothing imports it; a package of surface may not know its siblings, not even in its
// tests, so what they are together is shown here.
//
//	go test ./internal/servetest
package servetest
