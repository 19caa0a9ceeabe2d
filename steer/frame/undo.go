package frame

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// past is a step in the tree that can be undone: what the frames it changed
// were before.
type past struct {
	What   string  `json:"what"`
	Active string  `json:"active,omitempty"`
	Next   int     `json:"next"`
	Frames []Frame `json:"frames,omitempty"`
}

// begin readies the tree for a step: what was gathered goes to its frame, and
// every frame may be written to.
func (m Memory) begin() Memory {
	m.Frames = slices.Clone(m.Frames)
	if i := m.index(m.Active); i >= 0 {
		f, w := &m.Frames[i], m.Work
		f.Bytes, f.Messages, f.Held = w.Bytes, w.Messages, &w
	}
	return m
}

// end closes a step: it is remembered, and gathering goes on for the frame that
// is active now.
func (m Memory) end(before Memory, what string) Memory {
	p := past{What: what, Active: before.Active, Next: before.Next}
	for i, f := range before.Frames {
		if i >= len(m.Frames) || !reflect.DeepEqual(f, m.Frames[i]) {
			p.Frames = append(p.Frames, f)
		}
	}
	m.Past = append(slices.Clip(m.Past), p)
	m.Past = m.Past[max(0, len(m.Past)-maxPast):]
	return m.resume(before.Active)
}

// resume takes up the active frame's work. Signals begin afresh where another
// one was active before: a boundary was crossed.
func (m Memory) resume(before string) Memory {
	m.Work = Work{}
	i := m.index(m.Active)
	if i < 0 {
		return m
	}
	if f := &m.Frames[i]; f.Held != nil {
		m.Work = *f.Held
		f.Held = nil
	}
	if m.Active != before {
		m.Work.Recent = Signals{}
	}
	return m
}

// undo takes the newest step back. What was said since stays with the frame
// that is active then.
func (m Memory) undo() (Memory, string, error) {
	if len(m.Past) == 0 {
		return m, "", fmt.Errorf("there is nothing to undo")
	}
	p := m.Past[len(m.Past)-1]
	gained, was := m.Work.Recent, m.Active
	m = m.begin()
	m.Past = slices.Clip(m.Past[:len(m.Past)-1])
	m.Frames = slices.DeleteFunc(m.Frames, func(f Frame) bool { return number(f.ID) > p.Next })
	for _, f := range p.Frames {
		if i := m.index(f.ID); i >= 0 {
			m.Frames[i] = f
		}
	}
	if m.Active = p.Active; m.Active == was {
		return m.resume(was), p.What, nil
	}
	if i := m.index(m.Active); i >= 0 {
		verb, _, _ := strings.Cut(p.What, " ")
		m.Frames[i].Undone = Side(verb)
	}
	if i := m.index(was); i >= 0 && m.Frames[i].Held != nil {
		w := m.Frames[i].Held.lose(gained)
		m.Frames[i].Held, m.Frames[i].Bytes, m.Frames[i].Messages = &w, w.Bytes, w.Messages
	}
	m = m.resume(was)
	m.Work = m.Work.gain(gained)
	return m, p.What, nil
}
