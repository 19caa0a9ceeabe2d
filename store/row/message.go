package row

import "github.com/trimtab/trimtab"

// Message reads a message. Most are in the plain form that we write, and reading
// that in one pass makes a long session open several times faster; for anything
// else it asks the root's own reader, whose word is final.
func Message(body string) (trimtab.Message, error) {
	if m, ok := plain(body); ok {
		return m, nil
	}
	var m trimtab.Message
	err := m.UnmarshalJSON([]byte(body))
	return m, err
}

// plain reads a message as Message.MarshalJSON writes it: no spaces, no key that
// is unknown or comes twice, the type of a part first. It declines whatever it
// is not sure of, and never gives another answer than the root's reader.
func plain(body string) (m trimtab.Message, ok bool) {
	r := &reader{rest: body}
	r.object(func(key string) {
		switch key {
		case "id":
			m.ID = r.text()
		case "role":
			m.Role = trimtab.Role(r.text())
		case "content":
			r.array(func() { m.Parts = append(m.Parts, r.part()) })
		case "origin":
			m.From = r.text()
		case "at":
			r.bad = m.At.UnmarshalText([]byte(r.text())) != nil || r.bad
		case "model":
			m.Model = r.text()
		case "usage":
			m.Usage = r.usage()
		default:
			r.bad = true
		}
	})
	return m, !r.bad && r.rest == ""
}

func (r *reader) usage() *trimtab.Usage {
	var u trimtab.Usage
	r.object(func(key string) {
		switch key {
		case "input":
			u.Input = r.number()
		case "output":
			u.Output = r.number()
		case "cacheRead":
			u.CacheRead = r.number()
		case "cacheWrite":
			u.CacheWrite = r.number()
		default:
			r.bad = true
		}
	})
	return &u
}

func (r *reader) part() trimtab.Part {
	if !r.skip(`{"type":`) {
		r.bad = true
		return nil
	}
	kind := r.text()
	if !r.skip(",") { // a part with nothing in it
		r.bad = true
		return nil
	}
	switch kind {
	case "text":
		return r.prose()
	case "tool_call":
		return r.call()
	case "tool_result":
		return r.result()
	}
	r.bad = true
	return nil
}

func (r *reader) prose() trimtab.Part {
	var p trimtab.Text
	r.members(func(key string) {
		switch key {
		case "text":
			p.Text = r.text()
		case "by":
			p.By = trimtab.Author(r.text())
		default:
			r.bad = true
		}
	})
	return p
}

func (r *reader) call() trimtab.Part {
	var p trimtab.ToolCall
	r.members(func(key string) {
		switch key {
		case "id":
			p.ID = r.text()
		case "name":
			p.Name = r.text()
		case "input":
			p.Input = r.raw()
		default:
			r.bad = true
		}
	})
	return p
}

func (r *reader) result() trimtab.Part {
	var p trimtab.ToolResult
	r.members(func(key string) {
		switch key {
		case "id":
			p.ID = r.text()
		case "text":
			p.Text = r.text()
		case "failed":
			p.Failed = r.skip("true")
			r.bad = r.bad || !p.Failed
		default:
			r.bad = true
		}
	})
	return p
}
