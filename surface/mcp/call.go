package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
)

// The most that an answer holds.
const (
	maxAnswer = 64 << 10  // bytes of text
	maxData   = 256 << 10 // bytes of data for programs
)

// answer is what a tool says to programs.
type answer struct {
	Session string          `json:"session"`
	Found   string          `json:"found"`
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// handler answers calls of a tool. What the model can mend is an answer that
// failed, not an error of the protocol.
func (s *Server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		in, err := t.Read(req.Params.Arguments, sessionArg())
		if err != nil {
			return failed(t.Name + ": " + err.Error()), nil // the model reads it
		}
		id, _ := in["session"].(string)
		delete(in, "session")
		ses, how, err := s.find(ctx, id, callerOf(req))
		if err != nil {
			return s.refuse(ctx, t, err)
		}
		reply, err := s.do(ctx, t, ses, in)
		if err != nil {
			return s.refuse(ctx, t, err)
		}
		where := fmt.Sprintf("\n\nSession %s, %s.", ses.ID, said[how])
		if reply.Failed {
			return failed(cut(t.Name+": "+reply.Text, maxAnswer) + where), nil
		}
		return s.answered(answer{ses.ID, how, cut(reply.Text, maxAnswer), reply.Data}, where)
	}
}

// do does what a tool is for.
func (s *Server) do(ctx context.Context, t tool, ses trimtab.Session, in map[string]any) (trimtab.Reply, error) {
	switch {
	case t.Command == "":
		return s.status(ses)
	case t.Verb == "log":
		return s.log(ctx, ses, in)
	}
	ev, err := t.Event(in)
	if err != nil {
		return trimtab.Reply{}, err
	}
	if t.ReadOnly {
		return s.look(ses, ev)
	}
	_, out, err := s.opt.Service.Handle(ctx, ses.ID, ev)
	if err != nil {
		return trimtab.Reply{}, err
	}
	return out.Reply()
}

// look answers a command without anything being changed or recorded.
func (s *Server) look(ses trimtab.Session, ev trimtab.Asked) (trimtab.Reply, error) {
	_, out := s.opt.Service.Engine().Step(ses, ev, s.opt.Clock())
	return out.Reply()
}

func (s *Server) answered(a answer, where string) (*sdk.CallToolResult, error) {
	if len(a.Data) > maxData {
		a.Text += fmt.Sprintf("\n\nThe data for programs is left out: it has %d bytes, more than %d.", len(a.Data), maxData)
		a.Data = nil
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.Text + where}}, StructuredContent: json.RawMessage(raw)}, nil
}

// refuse maps an error to an answer. What is only ours to mend is logged, and
// told in one line.
func (s *Server) refuse(ctx context.Context, t tool, err error) (*sdk.CallToolResult, error) {
	for _, known := range []error{trimtab.ErrNotFound, trimtab.ErrBadID, trimtab.ErrTooLarge, trimtab.ErrNoReply} {
		if errors.Is(err, known) {
			return failed(t.Name + ": " + err.Error()), nil
		}
	}
	if ctx.Err() == nil {
		s.opt.Log.ErrorContext(ctx, "mcp tool", "tool", t.Name, "error", err)
	}
	return failed(t.Name + ": " + err.Error()), nil
}

func failed(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
