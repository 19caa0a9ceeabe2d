// Package content decides what of the words of a session is stored: all of them, those that
// are no secrets, or none. Steering does not depend on it: messages are known again by their
// names, which are hashes of what was said, and what it must remember is in the state of
// the session.
//
//	filter := content.Filter("redacted", redact)   // nil for "full"
//	mine, err := owned.New(store, owned.Options{Content: filter})
//
// It reads nothing back, and never changes what a model is sent.
package content

import (
	"encoding/json"

	"github.com/trimtab/trimtab"
)

// What is stored of the words.
const (
	Full     = "full"
	Redacted = "redacted"
	None     = "none"
)

// Filter is a change as it is to be stored; nil where all of it is. The change that it is
// given stays as it is: the session goes on with it.
func Filter(what string, redact func(string) string) func(trimtab.Commit) trimtab.Commit {
	var part func(trimtab.Part) trimtab.Part
	switch what {
	case Redacted:
		part = func(p trimtab.Part) trimtab.Part { return redacted(p, redact) }
	case None:
		part = empty
	default:
		return nil
	}
	return func(c trimtab.Commit) trimtab.Commit {
		if c.Session.Title = redact(c.Session.Title); what == None {
			c.Session.Title = ""
		}
		messages := make([]trimtab.Message, len(c.Messages))
		for i, m := range c.Messages {
			parts := make([]trimtab.Part, len(m.Parts))
			for j, p := range m.Parts {
				parts[j] = part(p)
			}
			m.Parts = parts
			messages[i] = m
		}
		c.Messages = messages
		return c
	}
}

// empty is who said something of which kind, without the words.
func empty(p trimtab.Part) trimtab.Part {
	switch p := p.(type) {
	case trimtab.Text:
		return trimtab.Text{By: p.By, From: p.From}
	case trimtab.ToolCall:
		return trimtab.ToolCall{ID: p.ID, Name: p.Name}
	case trimtab.ToolResult:
		return trimtab.ToolResult{ID: p.ID, Failed: p.Failed}
	case trimtab.Opaque:
		return trimtab.Opaque{Kind: p.Kind, By: p.By}
	}
	return p
}

func redacted(p trimtab.Part, redact func(string) string) trimtab.Part {
	switch p := p.(type) {
	case trimtab.Text:
		if text := redact(p.Text); text != p.Text || redact(string(p.Raw)) != string(p.Raw) {
			p.Text, p.Raw = text, nil
		}
		return p
	case trimtab.ToolCall:
		p.Input = raw(p.Input, redact)
		return p
	case trimtab.ToolResult:
		p.Text = redact(p.Text)
		return p
	case trimtab.Opaque: // thinking, a picture: what holds a secret is left out as a whole
		if redact(string(p.Raw)) != string(p.Raw) {
			p.Raw = nil
		}
		return p
	}
	return p
}

// raw is JSON without secrets. A secret may be written with escapes, so that it is looked
// for in the values; where what is left is no JSON, nothing is.
func raw(in json.RawMessage, redact func(string) string) json.RawMessage {
	if len(in) == 0 {
		return in
	}
	var v any
	if json.Unmarshal(in, &v) != nil {
		if text := redact(string(in)); text != string(in) {
			return nil
		}
		return in
	}
	changed := false
	out, err := json.Marshal(walk(v, func(s string) string {
		t := redact(s)
		changed = changed || t != s
		return t
	}))
	if !changed || err != nil {
		out = in
	}
	switch text := redact(string(out)); { // in a key, or told by its key, as in "password": "…"
	case text == string(out):
		return out
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	return nil
}

func walk(v any, each func(string) string) any {
	switch v := v.(type) {
	case string:
		return each(v)
	case []any:
		for i := range v {
			v[i] = walk(v[i], each)
		}
	case map[string]any:
		for k := range v {
			v[k] = walk(v[k], each)
		}
	}
	return v
}
