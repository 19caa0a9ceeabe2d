// Package teamtest plays agents whose requests go to several gateways in turn, and
// holds what a model received of them against what one gateway sends.
//
//	model := &teamtest.Model{}
//	one := teamtest.Play{Seed: 1, Session: "one", Requests: 100, Pick: func(int) string { return first }}
//	many := teamtest.Play{Seed: 1, Session: "many", Requests: 100, Pick: anyOf(first, second)}
//	… run both …
//	differ := teamtest.Compare(model.Bodies("one"), model.Bodies("many"))
//
// It knows nothing of gateways but their addresses.
package teamtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// The headers of a played request.
const (
	sessionHeader = "X-Claude-Code-Session-Id"
	turnHeader    = "X-Turn"
	sideHeader    = "X-Side"
)

// Model is a provider of the Messages API that keeps what it receives. What it replies
// follows from the number of the turn alone, so that two runs can be compared.
type Model struct {
	mu   sync.Mutex
	seen map[string][][]byte
}

// Bodies returns what came of a session, in order.
func (m *Model) Bodies(session string) [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[session]
}

// ServeHTTP answers a request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id, turn := r.Header.Get(sessionHeader), r.Header.Get(turnHeader)
	m.mu.Lock()
	if m.seen == nil {
		m.seen = map[string][][]byte{}
	}
	m.seen[id] = append(m.seen[id], body)
	m.mu.Unlock()
	n, _ := strconv.Atoi(turn)
	reply := replyTo(n, r.Header.Get(sideHeader) != "")
	if bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream(reply))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply)
}

type obj = map[string]any

// task is what the model hands to a sub-agent; the sub-agent's first request says it.
func task(n int) string {
	return fmt.Sprintf("look through the folder number %d and report what is in it", n)
}

// replyTo is the reply of a turn: mostly a call of a tool, now and then the end.
func replyTo(n int, side bool) obj {
	var content []any
	switch {
	case side:
		content = []any{obj{"type": "text", "text": fmt.Sprintf("side %d is done", n)}}
	case n%11 == 10:
		content = []any{obj{"type": "text", "text": fmt.Sprintf("turn %d is done", n)}}
	case n%7 == 3:
		content = []any{obj{"type": "tool_use", "id": fmt.Sprint("c", n), "name": "Task", "input": obj{"prompt": task(n)}}}
	case n%13 == 5:
		content = []any{obj{"type": "tool_use", "id": fmt.Sprint("c", n), "name": "TodoWrite", "input": obj{"todos": []any{
			obj{"content": fmt.Sprint("item ", n), "status": "in_progress", "activeForm": "doing it"}, obj{"content": "rest", "status": "pending", "activeForm": "resting"},
		}}}}
	default:
		content = []any{
			obj{"type": "text", "text": fmt.Sprintf("step %d", n)},
			obj{"type": "tool_use", "id": fmt.Sprint("c", n), "name": "Bash", "input": obj{"command": fmt.Sprint("ls ", n)}},
		}
	}
	stop := "tool_use"
	if last := content[len(content)-1].(obj); last["type"] == "text" {
		stop = "end_turn"
	}
	return obj{
		"id": fmt.Sprint("msg_", n), "type": "message", "role": "assistant", "model": "claude-opus-5", "content": content, "stop_reason": stop,
		"usage": obj{"input_tokens": 1000 + 97*n, "output_tokens": 20},
	}
}

// stream is a reply as server-sent events.
func stream(reply obj) string {
	var out strings.Builder
	event := func(name string, data obj) {
		data["type"] = name
		raw, _ := json.Marshal(data)
		fmt.Fprintf(&out, "event: %s\ndata: %s\n\n", name, raw)
	}
	event("message_start", obj{"message": obj{"id": reply["id"], "type": "message", "role": "assistant", "model": reply["model"], "content": []any{}, "usage": reply["usage"]}})
	for i, block := range reply["content"].([]any) {
		block := block.(obj)
		start, delta := obj{"type": "text", "text": ""}, obj{"type": "text_delta", "text": block["text"]}
		if block["type"] == "tool_use" {
			raw, _ := json.Marshal(block["input"])
			start, delta = obj{"type": "tool_use", "id": block["id"], "name": block["name"], "input": obj{}}, obj{"type": "input_json_delta", "partial_json": string(raw)}
		}
		event("content_block_start", obj{"index": i, "content_block": start})
		event("content_block_delta", obj{"index": i, "delta": delta})
		event("content_block_stop", obj{"index": i})
	}
	event("message_delta", obj{"delta": obj{"stop_reason": reply["stop_reason"]}, "usage": obj{"output_tokens": 20}})
	event("message_stop", obj{})
	return out.String()
}

// Compare returns the requests of the second run that differ from those of the first,
// by number from 0.
func Compare(want, got [][]byte) (differ []int) {
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || !bytes.Equal(want[i], got[i]) {
			differ = append(differ, i)
		}
	}
	return differ
}

// Collapse leaves out a request that says what the one before it said: one that was cut
// and sent again.
func Collapse(all [][]byte) (out [][]byte) {
	for _, body := range all {
		if len(out) == 0 || !bytes.Equal(out[len(out)-1], body) {
			out = append(out, body)
		}
	}
	return out
}
