package gateway

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/wire"
)

// client is what the gateway knows of one host agent.
type client struct {
	Name string
	host.Requests
	beside bool // see host.Markup
}

// knownClients are the hosts whose requests are recognised.
func knownClients() []client {
	var all []client
	for _, h := range host.All() {
		if len(h.Requests.Known) > 0 {
			all = append(all, client{h.Name, h.Requests, h.Markup.Beside})
		}
	}
	return all
}

// who finds the host of a request; an unknown one has no name and no rules.
func who(clients []client, h http.Header) client {
	for _, c := range clients {
		for _, s := range c.Known {
			if headerHolds(s, h) {
				return c
			}
		}
	}
	return client{}
}

// side says why a request is a side call, or "".
func (c client) side(h http.Header, f wire.Format, b *wire.Body) string {
	for _, s := range c.Side {
		if headerHolds(s, h) && bodyHolds(s, f, b) {
			return s.Why
		}
	}
	return ""
}

func headerHolds(s host.Sign, h http.Header) bool {
	if s.Unless != "" && h.Get(s.Unless) != "" {
		return false
	}
	if s.Header == "" {
		return true
	}
	value := h.Get(s.Header)
	return value != "" && strings.HasPrefix(value, s.Begins) && strings.Contains(value, s.Holds) && (s.Not == "" || value != s.Not)
}

func bodyHolds(s host.Sign, f wire.Format, b *wire.Body) bool {
	switch {
	case s.NoTools && b.Tools.End-b.Tools.Start > len("[]"):
		return false
	case len(s.Has) > 0 && len(b.Find(s.Has...)) == 0:
		return false
	case s.System != "" && !strings.Contains(systemText(f, b), s.System):
		return false
	case s.Last != "" && (!mayHold(b, s.Last) || !lastBegins(f, b, s.Last)):
		return false
	}
	return true
}

// systemText is the system prompt, wherever the format has it.
func systemText(f wire.Format, b *wire.Body) string {
	if b.System.End > b.System.Start {
		return string(b.Bytes(b.System))
	}
	for i := range b.Items {
		if b.Items[i].Role == trimtab.RoleSystem {
			return f.Message(b, i).Text()
		}
	}
	return ""
}

// mayHold reports whether the end of the body, since the last reply, may hold a
// text: it is there as it is, or something there is escaped. Most often that
// spares decoding it.
func mayHold(b *wire.Body, text string) bool {
	from := b.List.End
	for i := len(b.Items) - 1; i >= 0 && b.Items[i].Role != trimtab.RoleAssistant; i-- {
		from = b.Items[i].Start
	}
	end := b.Raw[from:b.List.End]
	return bytes.Contains(end, []byte(`\u`)) || bytes.Contains(end, plainPart(text))
}

// plainPart is the beginning of a text that JSON writes as it is.
func plainPart(text string) []byte {
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' || r == '/' }); i >= 0 {
		text = text[:i]
	}
	return []byte(text)
}

// lastBegins reports whether a text of the user's side since the last reply begins with
// these words. Only the end of the body is read for it.
func lastBegins(f wire.Format, b *wire.Body, words string) bool {
	for i := len(b.Items) - 1; i >= 0 && b.Items[i].Role != trimtab.RoleAssistant; i-- {
		if b.Items[i].Role != trimtab.RoleUser {
			continue
		}
		for _, part := range f.Message(b, i).Parts {
			if t, ok := part.(trimtab.Text); ok && strings.HasPrefix(t.Text, words) {
				return true
			}
		}
	}
	return false
}
