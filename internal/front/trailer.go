package front

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// unfit are headers that mean nothing after a body.
var unfit = []string{
	"Authorization", "Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Expect", "Host",
	"Keep-Alive", "Max-Forwards", "Pragma", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Range", "Realm", "Te", "Trailer",
	"Transfer-Encoding", "Www-Authenticate",
}

// announced are the headers that a handler says it will set after the body.
func announced(h http.Header) []string {
	var all []string
	for _, list := range h["Trailer"] {
		for name := range strings.SplitSeq(list, ",") {
			name = http.CanonicalHeaderKey(textproto.TrimString(name))
			if name != "" && !strings.HasPrefix(name, "If-") && !slices.Contains(unfit, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// trailer is what the handler set after the body; nil is nothing.
func (w *reply) trailer() http.Header {
	var h http.Header
	add := func(name string, values []string) {
		if h == nil {
			h = http.Header{}
		}
		h[name] = append(h[name], values...)
	}
	for name, values := range w.header {
		if after, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			add(after, values)
		}
	}
	for _, name := range w.said.trailer {
		add(name, w.header[name])
	}
	return h
}
