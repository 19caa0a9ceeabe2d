package front

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// read reads the head of a request and checks it as net/http's server does.
func (c *conn) read() (*http.Request, error) {
	c.left = c.server.maxHeader() + readSize // which may be read beyond the head
	defer func() { c.left = -1 }()
	c.hosts.stop()
	if c.posted { // some old clients end a body with a line
		start, _ := c.in.Peek(4)
		n := len(start) - len(strings.TrimLeft(string(start), "\r\n"))
		_, _ = c.in.Discard(n)
	}
	there, _ := c.in.Peek(c.in.Buffered())
	c.hosts.start()
	c.hosts.feed(there)
	if len(there) > 0 && there[0] == tlsHello {
		return nil, status{http.StatusBadRequest, "TLS is not spoken here; the address begins with http://"}
	}
	r, err := http.ReadRequest(c.in)
	switch {
	case err != nil && c.left == 0:
		return nil, errLongHead
	case err != nil:
		return nil, err
	case r.ProtoMajor == 2 && r.Method == "PRI":
		return nil, status{http.StatusBadRequest, "only HTTP/1 is spoken here"}
	case r.ProtoMajor != 1:
		return nil, status{http.StatusHTTPVersionNotSupported, "unsupported protocol version"}
	}
	c.posted = r.Method == http.MethodPost
	return r, c.check(r)
}

// tlsHello is the first byte of one who speaks TLS.
const tlsHello = 0x16

// check looks at what http.ReadRequest lets pass.
func (c *conn) check(r *http.Request) error {
	h := &c.hosts
	switch {
	case h.count == 0 && r.ProtoAtLeast(1, 1) && r.Method != http.MethodConnect:
		return status{http.StatusBadRequest, "missing required Host header"}
	case h.count > 0 && !validHost(h.value), r.URL.Host == "" && r.Host != string(h.value):
		return status{http.StatusBadRequest, "malformed Host header"}
	}
	for name := range r.Header { // values were looked at
		if !validName(name) {
			return status{http.StatusBadRequest, "invalid header name"}
		}
	}
	return nil
}

// status is an error that the client is told.
type status struct {
	code int
	text string
}

func (s status) Error() string {
	return fmt.Sprintf("%d %s: %s", s.code, http.StatusText(s.code), s.text)
}

var errLongHead = errors.New("the head of the request does not end")

// refuse answers what is no request; perhaps nobody is there to hear it.
func (c *conn) refuse(err error) {
	var said status
	line, text := "400 Bad Request", ""
	switch {
	case errors.Is(err, errLongHead):
		line = "431 Request Header Fields Too Large"
	case strings.Contains(err.Error(), "transfer encoding"): // its type is not to be had
		line, text = "501 Not Implemented", "Unsupported transfer encoding"
	case errors.As(err, &said):
		line = said.Error()
	}
	if text == "" {
		text = line
	}
	_, err = io.WriteString(c.rwc, "HTTP/1.1 "+line+"\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"+text)
	if err == nil {
		c.linger()
	}
}

// hasToken reports whether a header's value holds a token, whatever its case, at
// the borders that net/http looks for.
func hasToken(value, token string) bool {
	border := func(c rune) bool { return c == ' ' || c == ',' || c == '\t' }
	for one := range strings.FieldsFuncSeq(value, border) {
		if strings.EqualFold(one, token) {
			return true
		}
	}
	return false
}
