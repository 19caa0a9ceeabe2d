package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The test program is started again as the server that this variable names.
const asServer = "MCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(asServer); kind != "" {
		if err := serve(kind); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func serve(kind string) error {
	switch kind {
	case "crash":
		return errors.New("no licence for this server")
	case "silent":
		for { // not select {}: without other goroutines that is a deadlock, which the runtime ends
			time.Sleep(time.Hour)
		} // until it is ended
	}
	return fixture().Run(context.Background(), &sdk.StdioTransport{})
}

type handler = func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)

// fixture is a server with all that a server may do to us.
func fixture() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "fixture", Version: "1"}, nil)
	add := func(name string, reads bool, h handler) {
		s.AddTool(&sdk.Tool{Name: name, Description: "the tool " + name, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &sdk.ToolAnnotations{ReadOnlyHint: reads}}, h)
	}
	add("echo", true, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return says(string(r.Params.Arguments)), nil
	})
	add("change", false, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return says("changed"), nil })
	add("odd.name/with a lot of characters that no provider takes in the name of a tool", false, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return says("odd"), nil })
	add("huge", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return says("a\x00b" + strings.Repeat("漢", 1<<17)), nil
	})
	add("mixed", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "text"}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("1234")}, &sdk.ResourceLink{URI: "file:///x", Name: "x"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///y", Text: "why"}}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///z", MIMEType: "a/b", Blob: []byte("12")}},
		}}, nil
	})
	add("fails", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		res := says("the disk is full")
		res.IsError = true
		return res, nil
	})
	add("environ", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		dir, _ := os.Getwd()
		return says(strings.Join(append(os.Environ(), "DIR="+dir), "\n")), nil
	})
	add("die", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(3)
		return nil, nil
	})
	add("spawn", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		cmd := exec.Command("sleep", "300")
		err := cmd.Start()
		return says(fmt.Sprint(cmd.Process.Pid)), err
	})
	add("hang", true, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("work", true, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in struct{ Until string } // a file that is made by who hears of the progress
		if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
			return nil, err
		}
		for heard := false; !heard; {
			if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 3, Message: "at it"}); err != nil {
				return nil, err
			}
			_, err := os.Stat(in.Until)
			heard = err == nil
		}
		return says("worked"), nil
	})
	add("grow", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("grown", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return says("new"), nil })
		return says("grew"), nil
	})
	return s
}

func says(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
