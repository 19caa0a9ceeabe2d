// Package sse takes a reply apart as it comes: into the events of a stream, or
// into one document. However the bytes are cut into pieces, the same events come
// out. An event counts only once the blank line behind it has come, so a stream
// that was cut never shows its last event.
//
// It keeps at most one event or one document, up to a limit, and starts nothing.
//
//	r := sse.Reader{Max: 1 << 20, To: sink}
//	r.Write(p)
//	r.Close()
package sse
