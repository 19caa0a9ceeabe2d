package front

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// said is what a handler's header says of how its reply is sent.
type said struct {
	date, length bool
	sniff        bool     // nothing of what kind the body is
	connection   []string // whether it lasts
	transfer     string   // how the body is packed
	trailer      []string // what will come after it
	trails       bool     // something will
}

// decide takes the status and the header as they are now.
func (w *reply) decide(code int) {
	w.status, w.asks = code, false
	h := w.header
	s := &w.said
	_, s.date = h["Date"]
	_, kind := h["Content-Type"]
	s.connection, s.transfer = h["Connection"], first(h, "Transfer-Encoding")
	s.sniff = !kind && s.transfer == "" && first(h, "Content-Encoding") == "" && bodyAllowed(code)
	if text := first(h, "Content-Length"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err == nil && n >= 0 {
			w.length, s.length = n, true
		} else {
			w.conn.server.log().Warn("a handler gave a length that is none")
		}
	}
	w.out = w.conn.server.sheet()
	w.out.b = appendStatus(w.out.b, w.new, code)
	w.out.b, s.trails = appendHeader(w.out.b, h, code)
	if h["Trailer"] != nil {
		s.trailer, s.trails = announced(h), true
	}
}

// inform sends a head before the one that counts.
func (w *reply) inform(code int) {
	out := w.conn.server.sheet()
	out.b = appendStatus(out.b, w.new, code)
	out.b, _ = appendHeader(out.b, w.header, code)
	out.b = append(out.b, "\r\n"...)
	w.tell(w.conn.rwc.Write(out.b))
	w.conn.server.giveBack(out)
}

// goOn asks the client for the body of its request, if it waits for that.
func (w *reply) goOn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asks && !w.over {
		w.asks = false
		w.tell(w.conn.rwc.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n")))
	}
}

// complete ends the head: how long the body is or how its end is known, and
// whether the connection lasts. p is the next piece of it after what is held.
func (w *reply) complete(p []byte, last bool) {
	s, body := &w.said, bodyAllowed(w.status)
	size := w.holding() + len(p)
	if last && s.transfer == "" && !s.trails && body && !s.length && (!w.isHead || size > 0) {
		w.length, s.length = int64(size), true
	}
	connection := ""
	if w.lasts && (w.isHead || w.length >= 0 || !body) {
		if s.connection == nil {
			connection = "keep-alive"
		}
	} else if !w.new || w.leaves {
		w.closes = true
	}
	if len(s.connection) > 0 && s.connection[0] == "close" || w.conn.server.ending.Load() {
		w.closes = true
	}
	if w.body != nil {
		w.settle()
	}
	if s.length && s.transfer != "" && s.transfer != "identity" {
		w.conn.server.log().Warn("a handler gave both a length and a transfer encoding")
		w.length, s.length = -1, false
	}
	switch {
	case w.isHead || !body || w.length >= 0:
		s.transfer = ""
	case !w.new || s.transfer == "identity": // it ends with the connection
		s.transfer, w.closes = "", true
	default:
		w.chunked = true
	}
	w.finishHead(connection, body, p)
	w.sent = true
	if !last && !w.closes && w.conn.in != nil && w.conn.in.Buffered() == 0 {
		w.conn.restReader() // the reply may take long
	}
}

// settle reads what is left of the request's body, or has the connection end with
// this reply: many clients send all of it before they read.
func (w *reply) settle() {
	if w.body.asks && !w.body.whole() || !w.closes && !w.body.drain() {
		w.closes = true
	}
}

// finishHead writes the lines that depend on more than the handler's header.
func (w *reply) finishHead(connection string, body bool, p []byte) {
	s, b := &w.said, w.out.b
	if !s.date {
		b = appendLine(b, "Date", w.conn.server.date())
	}
	if s.length && body {
		b = append(strconv.AppendInt(append(b, "Content-Length: "...), w.length, 10), "\r\n"...)
	}
	if s.sniff && w.holding()+len(p) > 0 {
		b = appendLine(b, "Content-Type", http.DetectContentType(w.start(p)))
	}
	switch {
	case w.closes && (len(s.connection) == 0 || !hasToken(s.connection[0], "close")):
		if w.new {
			b = appendLine(b, "Connection", "close")
		}
	case connection != "":
		b = appendLine(b, "Connection", connection)
	default:
		for _, v := range s.connection {
			b = appendLine(b, "Connection", v)
		}
	}
	if w.chunked {
		if s.transfer != "" && s.transfer != "chunked" {
			b = appendLine(b, "Transfer-Encoding", s.transfer)
		}
		b = appendLine(b, "Transfer-Encoding", "chunked")
	}
	b = append(b, "\r\n"...)
	w.out.b = b
}

// start is the beginning of the body.
func (w *reply) start(p []byte) []byte {
	const enough = 512
	if w.held == nil {
		return p[:min(len(p), enough)]
	}
	return append(slices.Clone(w.held.b), p[:min(len(p), enough)]...)
}

// bodyAllowed reports whether a reply of this status may have a body.
func bodyAllowed(code int) bool {
	return code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified
}

func appendStatus(b []byte, isNew bool, code int) []byte {
	if isNew {
		b = append(b, "HTTP/1.1 "...)
	} else {
		b = append(b, "HTTP/1.0 "...)
	}
	b = append(strconv.AppendInt(b, int64(code), 10), ' ')
	if text := http.StatusText(code); text != "" {
		b = append(b, text...)
	} else {
		b = strconv.AppendInt(append(b, "status code "...), int64(code), 10)
	}
	return append(b, "\r\n"...)
}

// own are the lines that the server writes itself.
var own = []string{"Connection", "Content-Length", "Transfer-Encoding"}

// appendHeader writes a handler's header in order, without the server's own lines,
// and reports whether there is something for after the body.
func appendHeader(b []byte, h http.Header, code int) (_ []byte, trails bool) {
	var room [16]string
	names := room[:0]
	for name := range h {
		switch {
		case slices.Contains(own, name), name == "Content-Type" && code == http.StatusNotModified:
		case validName(name):
			names = append(names, name)
		case strings.HasPrefix(name, http.TrailerPrefix):
			trails = true
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range h[name] {
			b = appendLine(b, name, v)
		}
	}
	return b, trails
}

// appendLine writes a line. A value cannot end it.
func appendLine(b []byte, name, value string) []byte {
	b = append(append(b, name...), ": "...)
	value = strings.Trim(value, " \t\r\n")
	for i := range len(value) {
		c := value[i]
		if c == '\n' || c == '\r' {
			c = ' '
		}
		b = append(b, c)
	}
	return append(b, "\r\n"...)
}

// first is a header's first value, under its canonical name.
func first(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}
