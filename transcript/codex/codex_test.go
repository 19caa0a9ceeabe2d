package codex_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/codex"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

// pipe hides that a reader can seek.
type pipe struct{ io.Reader }

func gist(t *testing.T, data []byte, opt transcript.Options) []string {
	t.Helper()
	items, damaged := transcripttest.All(t, codex.Read(bytes.NewReader(data), opt))
	if len(damaged) > 0 {
		t.Error(damaged)
	}
	return transcripttest.Gist(items)
}

func TestTurnsThatWereRolledBackAreLeftOut(t *testing.T) {
	r := begin()
	turn := func(text string) {
		r.event("task_started", "")
		r.message("user", "input_text", text, "user")
		r.message("assistant", "output_text", "re "+text, "")
	}
	turn("one")
	turn("two")
	turn("three")
	r.event("thread_rolled_back", `,"num_turns":2`)
	turn("four")
	r.event("thread_rolled_back", `,"num_turns":1`)
	turn("five")
	want := []string{"person one", "model re one", "person five", "model re five"}
	if diff := cmp.Diff(want, gist(t, r.bytes(), transcript.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := gist(t, r.bytes(), transcript.Options{Branches: true}); len(got) != 10 {
		t.Errorf("with branches %q", got)
	}
	items, _ := transcripttest.All(t, codex.Read(pipe{bytes.NewReader(r.bytes())}, transcript.Options{}))
	if len(items) != 10 {
		t.Errorf("from a pipe %q", transcripttest.Gist(items))
	}
}

func TestASubAgentsRolloutIsASideConversation(t *testing.T) {
	for name, meta := range map[string]object{
		"by its source": {"id": "s2", "cwd": "/p", "source": object{"subagent": object{"thread_spawn": object{"depth": 1}}}},
		"by its thread": {"id": "s2", "cwd": "/p", "source": "exec", "thread_source": "subagent"},
	} {
		r := &rollout{}
		r.put("session_meta", meta)
		r.put("session_meta", object{"id": "s1", "cwd": "/p", "source": "exec"}) // what it was made from
		r.message("user", "input_text", "look", "user")
		r.message("assistant", "output_text", "seen", "")
		if got := gist(t, r.bytes(), transcript.Options{}); len(got) != 0 {
			t.Errorf("%s: %q", name, got)
		}
		items, _ := transcripttest.All(t, codex.Read(bytes.NewReader(r.bytes()), transcript.Options{Side: true}))
		if len(items) != 2 || !items[0].Side || items[0].Agent != "s2" || items[0].Session != "s2" || items[0].Message.Typed() != "" {
			t.Errorf("%s: %+v", name, items)
		}
	}
}

func TestACompactionIsTold(t *testing.T) {
	r := begin()
	r.message("user", "input_text", "one", "user")
	r.put("compacted", object{"message": "what came before", "replacement_history": []any{object{"type": "message", "role": "user"}}})
	r.message("user", "input_text", "two", "user")
	items, _ := transcripttest.All(t, codex.Read(bytes.NewReader(r.bytes()), transcript.Options{}))
	want := []string{"person one", "host what came before", "person two"}
	if diff := cmp.Diff(want, transcripttest.Gist(items)); diff != "" || !items[1].Compacted || items[2].Compacted {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheFirstVersionsAreRead(t *testing.T) {
	old := `{"id":"s0","timestamp":"2025-06-01T00:00:00Z","instructions":"be good","git":{}}
{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}
{"record_type":"state"}
{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}
{"type":"function_call","name":"shell","arguments":"{\"command\":[\"false\"]}","call_id":"c1"}
{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"no\",\"metadata\":{\"exit_code\":1}}"}
`
	want := []string{"host <environment_context>x</environment_context>", "person go", `call c1 shell {"command":["false"]}`, `result c1 true {"output":"no","metadata":{"exit_code":1}}`}
	if diff := cmp.Diff(want, gist(t, []byte(old), transcript.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHowAToolEndedIsTakenFromWhatKnowsIt(t *testing.T) {
	for _, c := range []struct {
		name   string
		put    func(r *rollout)
		failed bool
	}{
		{"a command", func(r *rollout) { r.event("exec_command_end", `,"call_id":"c","exit_code":1`) }, true},
		{"a command that went well, whatever it printed", func(r *rollout) {
			r.event("exec_command_end", `,"call_id":"c","exit_code":0`)
			r.item("function_call_output", object{"call_id": "c", "output": "Exit code: 1\nOutput:\nx"})
		}, false},
		{"a patch", func(r *rollout) { r.event("patch_apply_end", `,"call_id":"c","success":false`) }, true},
		{"a tool of a server", func(r *rollout) { r.event("mcp_tool_call_end", `,"call_id":"c","result":{"Err":"gone"}`) }, true},
		{"a tool of a server that says so", func(r *rollout) {
			r.event("mcp_tool_call_end", `,"call_id":"c","result":{"Ok":{"content":[],"isError":true}}`)
		}, true},
		{"a patch that was declined", func(r *rollout) {
			r.event("item_completed", `,"item":{"type":"FileChange","id":"c","status":"declined"}`)
		}, true},
		{"the head of the output", func(r *rollout) {
			r.item("function_call_output", object{"call_id": "c", "output": "Chunk ID: 1\nWall time: 1 s\nProcess exited with code 3\nOutput:\nx"})
		}, true},
		{"not what the tool printed", func(r *rollout) {
			r.item("function_call_output", object{"call_id": "c", "output": "Exit code: 0\nOutput:\nExit code: 1"})
		}, false},
		{"an object", func(r *rollout) {
			r.item("function_call_output", object{"call_id": "c", "output": object{"content": "x", "success": false}})
		}, true},
		{"blocks", func(r *rollout) {
			r.item("custom_tool_call_output", object{"call_id": "c", "output": []any{object{"type": "input_text", "text": "Exit code: 2"}, object{"type": "input_image", "image_url": "x"}}})
		}, true},
	} {
		r := begin()
		r.item("function_call", object{"name": "shell", "call_id": "c", "arguments": "{}"})
		c.put(r)
		if !strings.Contains(r.lines[len(r.lines)-1], "output\":") {
			r.item("function_call_output", object{"call_id": "c", "output": "x"})
		}
		got := gist(t, r.bytes(), transcript.Options{})
		i := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "result c ") })
		if i < 0 || strings.HasPrefix(got[i], "result c true") != c.failed {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestArgumentsThatAreNoJSONAreKeptAsText(t *testing.T) {
	r := begin()
	r.item("function_call", object{"name": "shell", "call_id": "c", "arguments": `{"cmd": tru`})
	r.item("custom_tool_call", object{"name": "exec", "call_id": "d", "input": "console.log(1)"})
	r.item("local_shell_call", object{"call_id": "e", "action": object{"type": "exec", "command": []any{"ls"}}})
	want := []string{`call c shell "{\"cmd\": tru"`, `call d exec "console.log(1)"`, `call e local_shell {"command":["ls"],"type":"exec"}`}
	if diff := cmp.Diff(want, gist(t, r.bytes(), transcript.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUsageOfVersionsWithoutRecords(t *testing.T) {
	r := begin()
	r.message("user", "input_text", "go", "")
	r.item("function_call", object{"name": "shell", "call_id": "c", "arguments": "{}"})
	r.event("token_count", `,"info":null`)
	r.event("token_count", `,"info":{"last_token_usage":{"input_tokens":100,"cached_input_tokens":30,"output_tokens":5}}`)
	r.event("token_count", `,"info":{"last_token_usage":{"input_tokens":999,"output_tokens":9}}`)
	items, _ := transcripttest.All(t, codex.Read(bytes.NewReader(r.bytes()), transcript.Options{}))
	if u := items[1].Message.Usage; u == nil || u.Input != 70 || u.CacheRead != 30 || u.Output != 5 {
		t.Errorf("got %+v", u)
	}
}

func TestP14_WhatARolloutSaysOfAuthorsCounts(t *testing.T) {
	r := begin()
	r.message("user", "input_text", "typed", "user")
	for _, from := range []string{"harness", "skills", "model", "someone new"} {
		r.message("user", "input_text", "not typed", from)
	}
	r.item("message", object{
		"role": "user", "content": []any{object{"type": "input_text", "text": "half typed"}, object{"type": "input_text", "text": "unmarked"}},
		"internal_chat_message_metadata_passthrough": object{"content_item_metadata": []any{object{"provenance": object{"type": "user"}}}},
	})
	want := []string{"person typed", "host not typed", "host not typed", "host not typed", "host not typed", "person half typed", "host unmarked"}
	if diff := cmp.Diff(want, gist(t, r.bytes(), transcript.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
