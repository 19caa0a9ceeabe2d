package sse

import "bytes"

// Sink takes what a Reader finds.
type Sink interface {
	// Event is one event of a stream; data is valid until it returns.
	Event(name string, data []byte)

	// Document is a whole reply that was no stream, or as much of it as came.
	Document(doc []byte)

	// Long is an event or a document that was too long to keep. The name is the
	// event's, if it had one.
	Long(name string)
}

// Reader takes a reply apart.
type Reader struct {
	Max    int  // the longest event or document
	Whole  bool // it is a document in any case; else its first byte tells
	To     Sink
	mode   mode
	line   []byte // the beginning of a line whose end has not come
	data   []byte
	name   []byte
	last   string // the name of the event before
	fields bool   // data has a line
	feeds  bool   // lines end with line feeds, as they do from all but very old servers
	long   bool   // the line, event or document under way is too long
}

type mode uint8

const (
	unsure mode = iota
	stream
	document
)

// Write takes the next bytes.
func (r *Reader) Write(p []byte) {
	if r.mode == unsure {
		if p = r.sniff(p); len(p) == 0 {
			return
		}
	}
	if r.mode == document {
		r.hold(&r.line, p)
		return
	}
	for {
		k := bytes.IndexByte(p, '\n')
		if k < 0 {
			r.hold(&r.line, p)
			return
		}
		r.feeds = true
		if len(r.line) == 0 && k <= r.Max {
			r.lines(p[:k])
		} else {
			r.hold(&r.line, p[:k])
			r.lines(r.line)
			r.line = r.line[:0]
		}
		p = p[k+1:]
	}
}

// sniff decides by the first byte that is no white space and no byte order mark.
func (r *Reader) sniff(p []byte) []byte {
	for i, c := range p {
		switch c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
			continue
		case '{', '[':
			r.mode = document
		default:
			r.mode = stream
		}
		if r.Whole {
			r.mode = document
		}
		return p[i:]
	}
	return nil
}

// hold appends to what is kept, as long as it is not too long.
func (r *Reader) hold(dst *[]byte, p []byte) {
	if len(*dst)+len(p) > r.Max {
		r.long = true
		p = p[:max(0, min(len(p), r.Max-len(*dst)))]
	}
	*dst = append(*dst, p...)
}

// lines takes a line without its end. A lone carriage return ends a line too.
func (r *Reader) lines(p []byte) {
	p = bytes.TrimSuffix(p, []byte{'\r'})
	for {
		k := bytes.IndexByte(p, '\r')
		if k < 0 {
			break
		}
		r.take(p[:k])
		p = p[k+1:]
	}
	r.take(p)
}

// take takes one line: a field of the event under way, or its end.
func (r *Reader) take(line []byte) {
	if len(line) == 0 {
		r.dispatch()
		return
	}
	field, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(field) {
	case "data":
		if r.fields {
			r.hold(&r.data, []byte{'\n'})
		}
		r.fields = true
		r.hold(&r.data, value)
	case "event":
		r.name = append(r.name[:0], value[:min(len(value), 256)]...)
	}
}

func (r *Reader) dispatch() {
	if string(r.name) != r.last { // most events have the name of the one before
		r.last = string(r.name)
	}
	switch {
	case r.long:
		r.To.Long(r.last)
	case r.fields:
		r.To.Event(r.last, r.data)
	}
	if cap(r.data) > keep {
		r.data = nil
	}
	r.data, r.name, r.fields, r.long = r.data[:0], r.name[:0], false, false
}

const keep = 64 << 10 // a buffer that grew beyond this is given back

// Close ends the reply.
func (r *Reader) Close() {
	if r.mode != document {
		for k := bytes.IndexByte(r.line, '\r'); k >= 0 && !r.feeds; k = bytes.IndexByte(r.line, '\r') {
			r.take(r.line[:k])
			r.line = r.line[k+1:]
		}
		return
	}
	if r.long {
		r.To.Long("")
		return
	}
	r.To.Document(r.line)
}
