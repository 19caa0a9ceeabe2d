package mcp

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newFixture returns a server that holds what the conformance suite of the
// protocol calls by name, and nothing of ours. It goes through the same transports
// and the same HTTP handler as the real one.
func newFixture() *Server {
	s := &Server{opt: Options{Log: slog.New(slog.DiscardHandler)}, events: sdk.NewMemoryEventStore(nil)}
	nothing := func(context.Context, *sdk.SubscribeRequest) error { return nil }
	s.mcp = sdk.NewServer(about("test"), &sdk.ServerOptions{
		SetCacheable:       cacheable,
		SubscribeHandler:   nothing,
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
		},
	})
	for name, h := range fixtureTools() {
		s.mcp.AddTool(&sdk.Tool{Name: name, Description: "for the conformance suite", InputSchema: fixtureSchema(name)}, h)
	}
	s.fixtureResources()
	s.fixturePrompts()
	return s
}

// fixtureSchema is the schema of a tool. One of them must show the whole of JSON
// Schema 2020-12.
func fixtureSchema(name string) any {
	switch name {
	case "json_schema_2020_12_tool":
		return json.RawMessage(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
  "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}},
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}}, "then": {"required": ["phone"]}, "else": {"required": ["email"]},
  "additionalProperties": false
}`)
	case "test_x_mcp_header":
		return json.RawMessage(`{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "level": {"type": "integer"}}}`)
	}
	return json.RawMessage(`{"type": "object"}`)
}

// says is a tool that always answers the same.
func says(content ...sdk.Content) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: content}, nil
	}
}

func plainText(s string) *sdk.TextContent { return &sdk.TextContent{Text: s} }

func embedded(uri string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "An embedded resource."}}
}

func fixtureTools() map[string]sdk.ToolHandler {
	picture := &sdk.ImageContent{Data: pixel(), MIMEType: "image/png"}
	all := map[string]sdk.ToolHandler{
		"test_simple_text":            says(plainText("A simple text.")),
		"test_image_content":          says(picture),
		"test_audio_content":          says(&sdk.AudioContent{Data: silence(), MIMEType: "audio/wav"}),
		"test_embedded_resource":      says(embedded("test://embedded-resource")),
		"test_multiple_content_types": says(plainText("Several kinds of content."), picture, embedded("test://mixed-content-resource")),
		"json_schema_2020_12_tool":    says(plainText("called")),
		"test_x_mcp_header":           says(plainText("called")),
		"test_streaming_elicitation":  says(plainText("nothing was asked")),
		"test_tool_with_progress":     fixtureProgress,
		"test_error_handling": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return failed("this tool always fails"), nil
		},
	}
	for name, h := range askingTools() {
		all[name] = h
	}
	return all
}

func fixtureProgress(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return says(plainText("no progress token was given"))(ctx, req)
	}
	for _, done := range []float64{0, 50, 100} {
		if err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
			return nil, err
		}
	}
	return says(plainText(fmt.Sprint(token)))(ctx, req)
}

func (s *Server) fixtureResources() {
	add := func(uri, mime string, contents sdk.ResourceContents) {
		contents.URI, contents.MIMEType = uri, mime
		s.mcp.AddResource(&sdk.Resource{URI: uri, Name: strings.TrimPrefix(uri, "test://"), Description: "for the conformance suite", MIMEType: mime},
			func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&contents}}, nil
			})
	}
	add("test://static-text", "text/plain", sdk.ResourceContents{Text: "A static text."})
	add("test://static-binary", "image/png", sdk.ResourceContents{Blob: pixel()})
	add("test://watched-resource", "text/plain", sdk.ResourceContents{Text: "A text that may be watched."})
	s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: asJSON},
		func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			u, err := url.Parse(req.Params.URI)
			if err != nil {
				return nil, sdk.ResourceNotFoundError(req.Params.URI)
			}
			id := strings.TrimSuffix(strings.TrimPrefix(u.Path, "/"), "/data")
			raw, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "data of " + id})
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: asJSON, Text: string(raw)}}}, err
		})
}

func (s *Server) fixturePrompts() {
	add := func(name string, args []string, build func(map[string]string) []sdk.Content) {
		p := &sdk.Prompt{Name: name, Description: "for the conformance suite"}
		for _, a := range args {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Description: "an argument", Required: true})
		}
		s.mcp.AddPrompt(p, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			out := &sdk.GetPromptResult{}
			for _, a := range args {
				if req.Params.Arguments[a] == "" {
					return nil, errors.New("the argument " + a + " is missing")
				}
			}
			for _, c := range build(req.Params.Arguments) {
				out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
			}
			return out, nil
		})
	}
	add("test_simple_prompt", nil, func(map[string]string) []sdk.Content { return []sdk.Content{plainText("A simple prompt.")} })
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(in map[string]string) []sdk.Content {
		return []sdk.Content{plainText("With " + in["arg1"] + " and " + in["arg2"] + ".")}
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(in map[string]string) []sdk.Content {
		return []sdk.Content{embedded(in["resourceUri"]), plainText("See the resource.")}
	})
	add("test_prompt_with_image", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.ImageContent{Data: pixel(), MIMEType: "image/png"}, plainText("See the image.")}
	})
}

// pixel is a picture of one pixel.
func pixel() []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewGray(image.Rect(0, 0, 1, 1))) // a buffer takes all
	return out.Bytes()
}

// silence is a WAV file of one sample.
func silence() []byte {
	out := []byte("RIFF")
	out = binary.LittleEndian.AppendUint32(out, 36+2)
	out = append(out, "WAVEfmt "...)
	out = binary.LittleEndian.AppendUint32(out, 16)
	out = binary.LittleEndian.AppendUint16(out, 1) // PCM
	out = binary.LittleEndian.AppendUint16(out, 1) // channel
	out = binary.LittleEndian.AppendUint32(out, 8000)
	out = binary.LittleEndian.AppendUint32(out, 16000)
	out = binary.LittleEndian.AppendUint16(out, 2)
	out = binary.LittleEndian.AppendUint16(out, 16)
	out = append(out, "data"...)
	out = binary.LittleEndian.AppendUint32(out, 2)
	return append(out, 0, 0)
}
