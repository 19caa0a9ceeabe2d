package row

import (
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// Message reads a message. Most are in the plain form that we write, and reading
// that without reflection makes a long session open several times faster; for
// anything else it asks the root's own reader, whose word is final.
func Message(body string) (trimtab.Message, error) {
	if m, ok := plain([]byte(body)); ok {
		return m, nil
	}
	var m trimtab.Message
	err := m.UnmarshalJSON([]byte(body))
	return m, err
}

// plain reads a message as Message.MarshalJSON writes it: no key that is unknown or
// comes twice, no null, the type of a part first. It declines whatever it is not
// sure of, and never gives another answer than the root's reader.
func plain(body []byte) (m trimtab.Message, ok bool) {
	if !jsonscan.Strict(body) {
		return m, false
	}
	var r reader
	r.object(body, func(key, v []byte) {
		switch string(key) {
		case "id":
			m.ID = r.text(v)
		case "role":
			m.Role = trimtab.Role(r.text(v))
		case "content":
			m.Parts = r.parts(v)
		case "origin":
			m.From = r.text(v)
		case "at":
			r.check(v[0] == '"' && m.At.UnmarshalJSON(v) == nil)
		case "model":
			m.Model = r.text(v)
		case "usage":
			m.Usage = r.usage(v)
		case "via":
			m.Via = trimtab.Via(r.text(v))
		case "after":
			m.After = r.text(v)
		default:
			r.declined = true
		}
	})
	return m, !r.declined
}

// reader reads values of which Strict has seen the grammar.
type reader struct {
	declined bool // some value is not in the plain form
}

func (r *reader) check(ok bool) { r.declined = r.declined || !ok }

// object calls field with each member of v, until something is declined.
func (r *reader) object(v []byte, field func(key, v []byte)) {
	c := jsonscan.Object(v)
	r.fields(&c, field)
}

func (r *reader) fields(c *jsonscan.Cursor, field func(key, v []byte)) {
	seen := make([][]byte, 0, 8) // more than any object has that we write
	for !r.declined && c.Next() {
		r.check(!slices.ContainsFunc(seen, func(key []byte) bool { return string(key) == string(c.Key) }))
		seen = append(seen, c.Key)
		field(c.Key, c.Value)
	}
	r.check(c.Err() == nil)
}

// text reads a string.
func (r *reader) text(v []byte) string {
	if v[0] != '"' {
		r.declined = true
		return ""
	}
	s, err := jsonscan.String(v)
	r.check(err == nil)
	return s
}

// count reads a whole number.
func (r *reader) count(v []byte) int {
	n, err := jsonscan.Int(v)
	r.check(err == nil && !jsonscan.Null(v))
	return n
}

func (r *reader) usage(v []byte) *trimtab.Usage {
	var u trimtab.Usage
	r.object(v, func(key, v []byte) {
		switch string(key) {
		case "input":
			u.Input = r.count(v)
		case "output":
			u.Output = r.count(v)
		case "cacheRead":
			u.CacheRead = r.count(v)
		case "cacheWrite":
			u.CacheWrite = r.count(v)
		default:
			r.declined = true
		}
	})
	return &u
}

func (r *reader) parts(v []byte) (parts []trimtab.Part) {
	c := jsonscan.Array(v)
	for !r.declined && c.Next() {
		parts = append(parts, r.part(c.Value))
	}
	r.check(c.Err() == nil)
	return parts
}

// part reads a part by its type, which comes first.
func (r *reader) part(v []byte) trimtab.Part {
	c := jsonscan.Object(v)
	if !c.Next() || string(c.Key) != "type" {
		r.declined = true
		return nil
	}
	switch r.text(c.Value) {
	case "text":
		return r.prose(&c)
	case "tool_call":
		return r.call(&c)
	case "tool_result":
		return r.result(&c)
	}
	r.declined = true
	return nil
}

func (r *reader) prose(c *jsonscan.Cursor) trimtab.Part {
	var p trimtab.Text
	r.fields(c, func(key, v []byte) {
		switch string(key) {
		case "text":
			p.Text = r.text(v)
		case "by":
			p.By = trimtab.Author(r.text(v))
		default:
			r.declined = true
		}
	})
	return p
}

func (r *reader) call(c *jsonscan.Cursor) trimtab.Part {
	var p trimtab.ToolCall
	r.fields(c, func(key, v []byte) {
		switch string(key) {
		case "id":
			p.ID = r.text(v)
		case "name":
			p.Name = r.text(v)
		case "input":
			r.check(v[0] == '{')
			p.Input = slices.Clone(v)
		default:
			r.declined = true
		}
	})
	return p
}

func (r *reader) result(c *jsonscan.Cursor) trimtab.Part {
	var p trimtab.ToolResult
	r.fields(c, func(key, v []byte) {
		switch string(key) {
		case "id":
			p.ID = r.text(v)
		case "text":
			p.Text = r.text(v)
		case "failed":
			p.Failed = string(v) == "true"
			r.check(p.Failed)
		default:
			r.declined = true
		}
	})
	return p
}
