package anthropic_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/anthropic"
)

func read(raw string) wire.Result {
	r := anthropic.Format{}.NewReply(true)
	r.Write([]byte(raw))
	return r.Close()
}

const start = `data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":5,"output_tokens":1,"cache_read_input_tokens":7,"cache_creation_input_tokens":3}}}` + "\n\n"

func TestAStreamWithEverything(t *testing.T) {
	r := read(start +
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"x"}}` + "\n\n" +
		`data: {"type":"content_block_stop","index":0}` + "\n\n" +
		`data: {"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"v","name":"web_search","input":{}}}` + "\n\n" +
		`data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}` + "\n\n" +
		`data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"q\"}"}}` + "\n\n" +
		`data: {"type":"content_block_stop","index":1}` + "\n\n" +
		`data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"i","name":"n","input":{}}}` + "\n\n" +
		`data: {"type":"content_block_stop","index":2}` + "\n\n" +
		`data: {"type":"new_event","x":1}` + "\n\n" +
		`data: {"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":9,"input_tokens":null}}` + "\n\n" +
		`data: {"type":"message_stop"}` + "\n\n")
	want := wire.Result{Stop: wire.StopPaused, Reason: "pause_turn", Complete: true, Message: trimtab.Message{
		Role: trimtab.RoleAssistant, Model: "m", Usage: &trimtab.Usage{Input: 5, Output: 9, CacheRead: 7, CacheWrite: 3},
		Parts: []trimtab.Part{
			trimtab.Opaque{Kind: "redacted_thinking", By: trimtab.Model, Raw: []byte(`{"type":"redacted_thinking","data":"x"}`)},
			trimtab.Opaque{Kind: "server_tool_use", By: trimtab.Model, Raw: []byte(`{"type":"server_tool_use","id":"v","name":"web_search","input":{"query":"q"}}`)},
			trimtab.ToolCall{ID: "i", Name: "n", Input: []byte("{}")},
		},
	}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

func TestRepliesThatFail(t *testing.T) {
	text := `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"half"}}` + "\n\n"
	for _, c := range []struct {
		name, raw, fault, text string
	}{
		{"an error in the middle", start + text + "event: error\n" + `data: {"type":"error","error":{"type":"overloaded_error","message":"x"}}` + "\n\n", "overloaded_error", "half"},
		{"an error and then an end", start + `data: {"type":"error","error":{}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n", "error", ""},
		{"a refused request", `{"type":"error","error":{"type":"invalid_request_error","message":"x"}}`, "invalid_request_error", ""},
		{"a page of a proxy", "<html>502 Bad Gateway</html>", "", ""},
		{"an end while a block is open", start + text + `data: {"type":"message_stop"}` + "\n\n", "", "half"},
		{"a delta of no block", start + `data: {"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"x"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n", "", ""},
		{"an event that is no JSON", start + "data: {\"type\":\n\n" + `data: {"type":"message_stop"}` + "\n\n", "", ""},
		{"nothing", "", "", ""},
	} {
		if r := read(c.raw); r.Complete || r.Fault != c.fault || r.Message.Text() != c.text {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}
