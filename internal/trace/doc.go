// Package trace sends the main turns of a gateway to a collector, as spans of
// OpenTelemetry with the names of its GenAI conventions.
//
// It speaks OTLP over HTTP in its JSON form and nothing else. Spans wait in a
// queue of limited size and leave in batches; a collector that is slow or down
// costs spans, and never a request. What was said, and keys, are in no span: a
// gateway.Trace has neither.
//
// It never reads the environment or a file, changes no request, and records no
// turn whose client says that its own trace is not recorded.
//
//	to, err := trace.Find(cfg, getenv)
//	if err != nil || to.URL == "" {
//		return err // nothing is asked for
//	}
//	x, err := trace.New(trace.Options{Target: to, Version: version, Log: log})
//	g, err := gateway.New(gateway.Options{Tracer: x, …})
//	…
//	err = x.Close(ctx) // sends what waits
package trace
