package front

import (
	"bytes"
)

// hosts looks at the lines of a head while it is read, for those that name the
// host: http.ReadRequest takes them out, and does not tell whether there were any.
type hosts struct {
	on    bool
	lines int
	part  []byte // of a line whose end has not come
	last  bool   // the line before was one
	count int
	value []byte // of the first
}

func (h *hosts) start() {
	if cap(h.part)+cap(h.value) > readSize { // a connection may last
		h.part, h.value = nil, nil
	}
	*h = hosts{on: true, part: h.part[:0], value: h.value[:0]}
}

func (h *hosts) stop() { h.on = false }

// feed takes what was read, until the head is over.
func (h *hosts) feed(b []byte) {
	for h.on && len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			h.part = append(h.part, b...)
			return
		}
		line := b[:i]
		if len(h.part) > 0 {
			h.part = append(h.part, line...)
			line, h.part = h.part, h.part[:0]
		}
		h.line(bytes.TrimSuffix(line, []byte{'\r'}))
		b = b[i+1:]
	}
}

// line takes a line without its end.
func (h *hosts) line(line []byte) {
	h.lines++
	switch {
	case h.lines == 1: // the request itself
	case len(line) == 0:
		h.on = false
	case line[0] == ' ' || line[0] == '\t': // the line before goes on
		if h.last && h.count == 1 {
			h.value = append(append(h.value, ' '), bytes.Trim(line, " \t")...)
			h.value = append(h.value[:0], bytes.Trim(h.value, " \t")...)
		}
	default:
		const name = "host:"
		h.last = len(line) >= len(name) && (line[0] == 'H' || line[0] == 'h') && bytes.EqualFold(line[:len(name)], []byte(name))
		if h.last {
			if h.count++; h.count == 1 {
				h.value = append(h.value, bytes.Trim(line[len(name):], " \t")...)
			}
		}
	}
}

// validHost reports whether a text may name a host, as net/http is lenient about
// it.
func validHost(b []byte) bool {
	for _, c := range b {
		if !alphanumeric(c) && !bytes.ContainsRune([]byte("!$%&'()*+,-.:;=[]_~"), rune(c)) {
			return false
		}
	}
	return true
}

// validName reports whether a text is a token, as names of headers are.
func validName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !alphanumeric(c) && !bytes.ContainsRune([]byte("!#$%&'*+-.^_`|~"), rune(c)) {
			return false
		}
	}
	return s != ""
}

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
