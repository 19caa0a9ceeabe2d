package gateway

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

//go:embed host/*.json
var hostFiles embed.FS

// client is what is known of one host agent, as data.
type client struct {
	Name    string   `json:"name"`
	Known   []sign   `json:"known"`   // any of them tells its requests
	Session []string `json:"session"` // headers that carry its session id
	Side    []sign   `json:"side"`    // any of them tells a side call
	Run     Launch   `json:"run"`     // how to start it
}

// sign is a mark by which a request is told. All that is given must hold.
type sign struct {
	Why    string   `json:"why"`
	Header string   `json:"header"` // is there, and
	Begins string   `json:"begins"` // begins with
	Holds  string   `json:"holds"`  // or holds
	Not    string   `json:"not"`    // or is another than
	Unless string   `json:"unless"` // this header is there
	Tools  string   `json:"tools"`  // "none": the body offers no tools
	System string   `json:"system"` // the system prompt holds
	Last   string   `json:"last"`   // the newest text of the user's side begins with
	Has    []string `json:"has"`    // the body has this member
}

func readClients() ([]client, error) {
	files, err := hostFiles.ReadDir("host")
	if err != nil {
		return nil, err
	}
	var all []client
	for _, f := range files {
		raw, err := hostFiles.ReadFile("host/" + f.Name())
		if err != nil {
			return nil, err
		}
		var c client
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, fmt.Errorf("host/%s: %w", f.Name(), err)
		}
		all = append(all, c)
	}
	return all, nil
}

// who finds the host of a request; an unknown one has no name and no rules.
func who(clients []client, h http.Header) client {
	for _, c := range clients {
		for _, s := range c.Known {
			if s.headerHolds(h) {
				return c
			}
		}
	}
	return client{}
}

// side says why a request is a side call, or "".
func (c client) side(h http.Header, f wire.Format, b *wire.Body) string {
	for _, s := range c.Side {
		if s.headerHolds(h) && s.bodyHolds(f, b) {
			return s.Why
		}
	}
	return ""
}

func (s sign) headerHolds(h http.Header) bool {
	if s.Unless != "" && h.Get(s.Unless) != "" {
		return false
	}
	if s.Header == "" {
		return true
	}
	value := h.Get(s.Header)
	return value != "" && strings.HasPrefix(value, s.Begins) && strings.Contains(value, s.Holds) && (s.Not == "" || value != s.Not)
}

func (s sign) bodyHolds(f wire.Format, b *wire.Body) bool {
	switch {
	case s.Tools == "none" && b.Tools.End-b.Tools.Start > len("[]"):
		return false
	case len(s.Has) > 0 && len(b.Find(s.Has...)) == 0:
		return false
	case s.System != "" && !strings.Contains(systemText(f, b), s.System):
		return false
	case s.Last != "" && (!mayHold(b, s.Last) || !strings.HasPrefix(lastText(f, b), s.Last)):
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

// lastText is the newest text of the user's side since the last reply. Only the
// end of the body is read for it.
func lastText(f wire.Format, b *wire.Body) string {
	for i := len(b.Items) - 1; i >= 0 && b.Items[i].Role != trimtab.RoleAssistant; i-- {
		if b.Items[i].Role != trimtab.RoleUser {
			continue
		}
		m := f.Message(b, i)
		for j := len(m.Parts) - 1; j >= 0; j-- {
			if t, ok := m.Parts[j].(trimtab.Text); ok {
				return t.Text
			}
		}
	}
	return ""
}
