package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// tool makes one of ours of a server's tool.
func (s *server) tool(t *sdk.Tool) (tool.Tool, error) {
	schema, err := json.Marshal(t.InputSchema)
	switch {
	case err != nil:
		return tool.Tool{}, fmt.Errorf("tool %q: its schema cannot be read: %w", trimtab.Clip(t.Name, 80), err)
	case len(schema) > maxSchema:
		return tool.Tool{}, fmt.Errorf("tool %q is left out: its schema has %d bytes, at most %d are taken", trimtab.Clip(t.Name, 80), len(schema), maxSchema)
	case !bytes.HasPrefix(schema, []byte("{")):
		return tool.Tool{}, fmt.Errorf("tool %q is left out: its schema is not an object", trimtab.Clip(t.Name, 80))
	}
	name := nameOf(s.name, t.Name)
	if other, taken := s.names[name]; taken {
		return tool.Tool{}, fmt.Errorf("tool %q is left out: %q has the same name for us", trimtab.Clip(t.Name, 80), trimtab.Clip(other, 80))
	}
	s.names[name] = t.Name
	reads := s.Trust && t.Annotations != nil && t.Annotations.ReadOnlyHint
	theirs := t.Name
	made := tool.Tool{
		Tool: llm.Tool{Name: name, Description: trimtab.Clip(strings.ToValidUTF8(t.Description, "\uFFFD"), maxWords), Schema: schema, ReadOnly: reads},
		Run: func(ctx context.Context, input json.RawMessage) (string, error) {
			text, err := s.use(ctx, theirs, input)
			if err != nil {
				return text, fmt.Errorf("%s: %w", name, err)
			}
			return text, nil
		},
	}
	if !reads {
		made.Ask = func(ctx context.Context, input json.RawMessage) (tool.Ask, bool) {
			return s.ask(ctx, name, theirs, input)
		}
		made.Always = func(ctx context.Context, _ tool.Ask, _ tool.Scope) error {
			s.granted.Store(grant{tool.SessionOf(ctx), name}, true)
			return nil
		}
	}
	return made, nil
}

type grant struct{ session, tool string }

func (s *server) ask(ctx context.Context, name, theirs string, input json.RawMessage) (tool.Ask, bool) {
	if _, ok := s.granted.Load(grant{tool.SessionOf(ctx), name}); ok {
		return tool.Ask{}, false
	}
	var detail bytes.Buffer
	if json.Indent(&detail, input, "", "  ") != nil {
		detail.Write(input)
	}
	return tool.Ask{Tool: name, Title: s.name + ": " + trimtab.Clip(theirs, 80), Detail: detail.String(), Rule: "mcp: " + s.name + "/" + trimtab.Clip(theirs, 80)}, true
}

// nameOf is a tool's name as the providers take it. What had to be changed is told
// from others by a few letters of its hash.
func nameOf(server, name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	full := "mcp__" + server + "__" + clean
	if clean == name && len(full) <= maxName {
		return full
	}
	mark := fmt.Sprintf("_%x", sha256.Sum256([]byte(name)))[:7]
	return trimtab.Clip(full, maxName-len(mark)) + mark
}

// use calls a tool of the server, once.
func (s *server) use(ctx context.Context, name string, input json.RawMessage) (string, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	session, err := s.ready(ctx)
	if err != nil {
		return "", fmt.Errorf("the server does not run: %w; do without it", err)
	}
	token := fmt.Sprintf("%s-%d", s.name, s.calls.Add(1))
	s.waiting.Store(token, name)
	defer s.waiting.Delete(token)
	timed, cancel := context.WithTimeout(ctx, s.call)
	defer cancel()
	params := &sdk.CallToolParams{Name: name, Arguments: input}
	params.SetProgressToken(token)
	res, err := session.CallTool(timed, params)
	var refusal *jsonrpc.Error // the server's own word
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return "", ctx.Err()
	case timed.Err() != nil:
		return "", fmt.Errorf("no answer after %s; whether it was done is not known", s.call)
	case errors.As(err, &refusal):
		return "", errors.New(trimtab.Clip(strings.ToValidUTF8(refusal.Message, "\uFFFD"), 4000))
	default:
		said := s.drop(session)
		return "", fmt.Errorf("the server ended (%w); whether the call was done is not known; another call starts it again%s", err, said)
	}
	text := textOf(res)
	if res.IsError {
		return "", errors.New(text)
	}
	return text, nil
}

// ready returns a session for a call, starting the server again if it ended.
func (s *server) ready(ctx context.Context) (*sdk.ClientSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, s.start)
	defer cancel()
	return s.connect(ctx)
}

// drop lets go of a session that broke, and returns the server's last words.
func (s *server) drop(broken *sdk.ClientSession) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == broken {
		s.end()
	}
	return s.said.after()
}

// progress passes on what a server says about a call that is under way.
func (s *server) progress(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
	token, _ := r.Params.ProgressToken.(string)
	name, ok := s.waiting.Load(token)
	if !ok || s.opt.Progress == nil {
		return
	}
	s.opt.Progress(Progress{
		Server: s.name, Tool: name.(string), Message: trimtab.Clip(strings.ToValidUTF8(r.Params.Message, "\uFFFD"), 500),
		Done: r.Params.Progress, Total: r.Params.Total,
	})
}

// textOf is what a model reads of a result.
func textOf(res *sdk.CallToolResult) string {
	var parts []string
	for _, c := range res.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			parts = append(parts, c.Text)
		case *sdk.ImageContent:
			parts = append(parts, fmt.Sprintf("[an image that cannot be shown: %s, %d bytes]", c.MIMEType, len(c.Data)))
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("[a recording that cannot be shown: %s, %d bytes]", c.MIMEType, len(c.Data)))
		case *sdk.ResourceLink:
			parts = append(parts, fmt.Sprintf("[see %s: %s]", c.URI, c.Name))
		case *sdk.EmbeddedResource:
			parts = append(parts, resource(c.Resource))
		}
	}
	if len(parts) == 0 && res.StructuredContent != nil {
		if raw, err := json.Marshal(res.StructuredContent); err == nil {
			parts = append(parts, string(raw))
		}
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD"), "\x00", "\uFFFD")
	switch {
	case text == "":
		return "[no output]"
	case len(text) > maxText:
		return trimtab.Clip(text, maxText) + fmt.Sprintf("\n[cut: %d of %d bytes shown]", maxText, len(text))
	}
	return text
}

func resource(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return "[an empty resource]"
	case r.Text != "":
		return r.URI + ":\n" + r.Text
	}
	return fmt.Sprintf("[%s: %s, %d bytes that cannot be shown]", r.URI, r.MIMEType, len(r.Blob))
}
