package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/steertool"
)

// What one page of a log holds.
const (
	maxPage    = 24 << 10 // bytes of text
	maxMessage = 8 << 10  // bytes of one message
)

// line is a message of a log.
type line struct {
	Seq  int          `json:"seq"`
	ID   string       `json:"id"`
	Role trimtab.Role `json:"role"`
	Text string       `json:"text"`
}

// page is a part of a frame's log.
type page struct {
	Frame    json.RawMessage `json:"frame"`
	Messages []line          `json:"messages"`
	Next     int             `json:"next,omitempty"` // the number to go on after, where there is more
}

// log reads the messages of a frame from the store, where they stay whatever is
// folded.
func (s *Server) log(ctx context.Context, ses trimtab.Session, in map[string]any) (trimtab.Reply, error) {
	after, _ := in["after"].(int)
	delete(in, "after")
	ev, err := steertool.Tool{Command: "frame", Verb: "log"}.Event(in)
	if err != nil {
		return trimtab.Reply{}, err
	}
	reply, err := s.look(ses, ev)
	if err != nil || reply.Failed {
		return reply, err
	}
	var frame struct {
		First trimtab.Ref `json:"firstMessage"`
		Last  trimtab.Ref `json:"lastMessage"`
	}
	if err := json.Unmarshal(reply.Data, &frame); err != nil {
		return reply, fmt.Errorf("read the frame: %w", err)
	}
	p := page{Frame: reply.Data, Messages: []line{}}
	if frame.First.Seq > 0 {
		p.Messages, p.Next, err = s.lines(ctx, ses.ID, max(after, frame.First.Seq-1), frame.Last.Seq)
	}
	if err != nil {
		return reply, err
	}
	var out strings.Builder
	out.WriteString(reply.Text)
	for _, m := range p.Messages {
		fmt.Fprintf(&out, "\n\n[%d] %s: %s", m.Seq, m.Role, m.Text)
	}
	switch {
	case p.Next > 0:
		fmt.Fprintf(&out, "\n\nThere is more: go on with after %d.", p.Next)
	case len(p.Messages) == 0:
		out.WriteString("\n\nNo messages" + map[bool]string{true: " behind that one", false: " of it are stored"}[after > 0] + ".")
	}
	reply.Text = out.String()
	reply.Data, err = json.Marshal(p)
	return reply, err
}

// lines are the messages after one number up to another (0 is the end), as many
// as a page holds. next is the last of them where there are more.
func (s *Server) lines(ctx context.Context, id string, after, last int) (all []line, next int, err error) {
	all = []line{}
	seq, size := after, 0
	for m, err := range s.opt.Archive.Messages(ctx, id, after) {
		if err != nil {
			return all, 0, err
		}
		if seq++; last > 0 && seq > last {
			break
		}
		text := cut(content(m), maxMessage)
		if size += len(text); size > maxPage && len(all) > 0 {
			return all, seq - 1, nil
		}
		all = append(all, line{seq, m.ID, m.Role, text})
	}
	return all, 0, nil
}

// content is what a message says, for reading.
func content(m trimtab.Message) string {
	var out []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			out = append(out, p.Text)
		case trimtab.ToolCall:
			out = append(out, fmt.Sprintf("→ %s %s", p.Name, p.Input))
		case trimtab.ToolResult:
			mark := "←"
			if p.Failed {
				mark = "← failed:"
			}
			out = append(out, mark+" "+p.Text)
		case trimtab.Opaque:
			out = append(out, "("+p.Kind+")")
		}
	}
	return strings.ToValidUTF8(strings.Join(out, "\n"), "\ufffd")
}
