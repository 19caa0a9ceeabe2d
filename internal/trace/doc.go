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
//	tracer, end, err := trace.Start(cfg, getenv, version, log) // nil where nothing is asked for
//	defer end()                                                // sends what waits
//	g, err := gateway.New(gateway.Options{Tracer: tracer, …})
package trace
