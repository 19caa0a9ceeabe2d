package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// askingTools are the tools of the fixture that ask the client something back, or
// tell it something by the way. Ours never do.
func askingTools() map[string]sdk.ToolHandler {
	return map[string]sdk.ToolHandler{
		"test_elicitation":                  asks(map[string]any{"username": prop("string", nil), "email": prop("string", nil)}),
		"test_elicitation_sep1034_defaults": asks(withDefaults()),
		"test_elicitation_sep1330_enums":    asks(withChoices()),
		"test_sampling":                     samples,
		"test_tool_with_logging":            logs(3),
		"test_logging_tool":                 logs(1),
		"test_missing_capability":           needsSampling,
		"test_reconnection":                 reconnects,
	}
}

func prop(kind string, more map[string]any) map[string]any {
	out := map[string]any{"type": kind}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func withDefaults() map[string]any {
	return map[string]any{
		"name": prop("string", map[string]any{"default": "John Doe"}), "age": prop("integer", map[string]any{"default": 30}),
		"score": prop("number", map[string]any{"default": 95.5}), "verified": prop("boolean", map[string]any{"default": true}),
		"status": prop("string", map[string]any{"enum": []string{"active", "inactive", "pending"}, "default": "active"}),
	}
}

func withChoices() map[string]any {
	plain := []string{"option1", "option2", "option3"}
	titled := []map[string]any{{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}, {"const": "value3", "title": "Third"}}
	return map[string]any{
		"untitledSingle": prop("string", map[string]any{"enum": plain}),
		"titledSingle":   prop("string", map[string]any{"oneOf": titled}),
		"legacyEnum":     prop("string", map[string]any{"enum": plain, "enumNames": []string{"One", "Two", "Three"}}),
		"untitledMulti":  prop("array", map[string]any{"items": prop("string", map[string]any{"enum": plain})}),
		"titledMulti":    prop("array", map[string]any{"items": map[string]any{"anyOf": titled}}),
	}
}

// asks is a tool that has the person fill in a form.
func asks(form map[string]any) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		got, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Please fill this in.", RequestedSchema: map[string]any{"type": "object", "properties": form}})
		if err != nil {
			return failed("ask the person: " + err.Error()), nil // a tool that failed, not a protocol that did
		}
		return says(plainText(fmt.Sprintf("action=%s content=%v", got.Action, got.Content)))(ctx, req)
	}
}

// samples is a tool that asks the client's model.
func samples(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct {
		Prompt string `json:"prompt"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return failed("prompt: " + err.Error()), nil // the caller reads it
	}
	//nolint:staticcheck // deprecated, but the suite of 2025-11-25 asks for it
	got, err := req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
		MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: plainText(in.Prompt)}},
	})
	if err != nil {
		return failed("ask the client's model: " + err.Error()), nil // a tool that failed, not a protocol that did
	}
	return says(got.Content)(ctx, req)
}

// logs is a tool that tells the client so many lines.
func logs(n int) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for i := range n {
			//nolint:staticcheck // deprecated, but the suite of 2025-11-25 asks for it
			if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: fmt.Sprintf("line %d", i+1)}); err != nil {
				return nil, err
			}
		}
		return says(plainText("logged"))(ctx, req)
	}
}

// needsSampling is a tool that cannot do without a capability of the client.
func needsSampling(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	//nolint:staticcheck // deprecated, but the suite asks for it
	if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil {
		return says(plainText("the client can sample"))(ctx, req)
	}
	return nil, &jsonrpc.Error{
		Code: sdk.CodeMissingRequiredClientCapabilities, Message: "this tool needs a client that can sample",
		Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
	}
}

// reconnects is a tool that hangs up and has its answer fetched.
func reconnects(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 50 * time.Millisecond})
	}
	return says(plainText("fetched"))(ctx, req)
}
