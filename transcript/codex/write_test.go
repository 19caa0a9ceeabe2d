package codex_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/transcript/transcripttest"
)

type object map[string]any

// rollout writes a rollout as Codex would.
type rollout struct {
	lines []string
	n     int
}

func (r *rollout) put(kind string, payload object) {
	r.n++
	raw, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	r.lines = append(r.lines, fmt.Sprintf(`{"timestamp":"2026-11-15T02:21:%02d.000Z","ordinal":%d,"type":%q,"payload":%s}`, r.n%60, r.n, kind, raw))
}

func (r *rollout) item(kind string, fields object) {
	fields["type"] = kind
	fields["id"] = fmt.Sprintf("i%d", r.n)
	r.put("response_item", fields)
}

// event is one with its type in front, as Codex writes it.
func (r *rollout) event(kind, fields string) {
	r.n++
	r.lines = append(r.lines, fmt.Sprintf(`{"timestamp":"2026-11-15T02:21:%02d.000Z","ordinal":%d,"type":"event_msg","payload":{"type":%q%s}}`, r.n%60, r.n, kind, fields))
}

func (r *rollout) message(role, kind, text, from string) {
	f := object{"role": role, "content": []any{object{"type": kind, "text": text}}}
	if from != "" {
		f["internal_chat_message_metadata_passthrough"] = object{"content_item_metadata": []any{object{"provenance": object{"type": from}}}}
	}
	r.item("message", f)
}

func (r *rollout) usage() {
	r.put("token_usage_record", object{"usage": object{"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 7}})
}

func (r *rollout) bytes() []byte { return []byte(strings.Join(r.lines, "\n") + "\n") }

func begin() *rollout {
	r := &rollout{}
	r.put("session_meta", object{"id": "s1", "cwd": "/p", "source": "exec"})
	r.put("turn_context", object{"cwd": "/p", "model": "m"})
	return r
}

func write(_ testing.TB, turns []transcripttest.Turn) []byte {
	r := begin()
	for i, t := range turns {
		reply := t.Kind == transcripttest.Says || t.Kind == transcripttest.Calls
		switch t.Kind {
		case transcripttest.Prompt:
			r.event("task_started", "")
			r.message("user", "input_text", t.Text, "user")
		case transcripttest.Aside:
			r.message("user", "input_text", "<environment_context>"+t.Text+"</environment_context>", "harness")
		case transcripttest.Says:
			r.message("assistant", "output_text", t.Text, "")
		case transcripttest.Calls:
			args, _ := json.Marshal(map[string]string{"command": t.Text})
			r.item("function_call", object{"name": "shell", "call_id": t.Call, "arguments": string(args)})
		case transcripttest.Result:
			code := 0
			if t.Failed {
				code = 2
			}
			raw, _ := json.Marshal(object{"type": "CommandExecution", "id": t.Call, "status": "completed", "exit_code": code})
			r.event("item_completed", `,"item":`+string(raw))
			r.item("function_call_output", object{"call_id": t.Call, "output": t.Text})
		}
		if reply && (i+1 == len(turns) || turns[i+1].Kind != transcripttest.Says && turns[i+1].Kind != transcripttest.Calls) {
			r.usage()
		}
	}
	return r.bytes()
}
