package gemini_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/transcript/transcripttest"
)

type object map[string]any

// chat writes a chat as Gemini CLI would.
type chat struct {
	lines []string
	n     int
	reply *reply
}

// reply is the record of the model's that is being written.
type reply struct {
	id, text string
	calls    []object
}

func (c *chat) put(text string) { c.lines = append(c.lines, text) }

func (c *chat) record(kind string, fields object) {
	c.n++
	c.again(fmt.Sprintf("r%d", c.n), kind, fields)
}

func (c *chat) again(id, kind string, fields object) {
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	c.put(fmt.Sprintf(`{"id":%q,"timestamp":"2026-11-15T02:27:%02d.000Z","type":%q,%s`, id, c.n%60, kind, raw[1:]))
	c.put(`{"$set":{"lastUpdated":"2026-11-15T02:27:07.638Z"}}`)
}

// model writes the model's record, once more each time that it grows.
func (c *chat) model() {
	c.again(c.reply.id, "gemini", object{
		"content": c.reply.text, "thoughts": []any{}, "model": "m", "toolCalls": c.reply.calls,
		"tokens": object{"input": 100, "output": 20, "cached": 40, "thoughts": 1},
	})
}

func begin() *chat {
	c := &chat{}
	c.put(`{"sessionId":"s1","projectHash":"h","startTime":"2026-11-15T02:27:07.520Z","kind":"main"}`)
	return c
}

func write(_ testing.TB, turns []transcripttest.Turn) []byte {
	c := begin()
	for _, t := range turns {
		switch t.Kind {
		case transcripttest.Says, transcripttest.Calls:
			if c.reply == nil {
				c.n++
				c.reply = &reply{id: fmt.Sprintf("r%d", c.n)}
			}
			if c.reply.text += t.Text; t.Kind == transcripttest.Calls {
				c.reply.text = strings.TrimSuffix(c.reply.text, t.Text)
				c.reply.calls = append(c.reply.calls, object{"id": t.Call, "name": "shell", "args": object{"command": t.Text}, "status": "executing"})
			}
			c.model()
		case transcripttest.Result:
			response := object{"output": t.Text}
			status := "success"
			if t.Failed {
				response, status = object{"error": t.Text}, "error"
			}
			answer := object{"functionResponse": object{"id": t.Call, "name": "shell", "response": response}}
			if c.reply == nil {
				c.record("user", object{"content": []any{answer}})
				break
			}
			for _, call := range c.reply.calls {
				if call["id"] == t.Call {
					call["status"], call["result"] = status, []any{answer}
				}
			}
			c.model()
			c.record("user", object{"content": []any{answer}})
			if last(c.reply.calls, "result") {
				c.reply = nil
			}
		case transcripttest.Prompt:
			c.reply = nil
			c.record("user", object{"content": []any{object{"text": t.Text}}})
		case transcripttest.Aside:
			c.reply = nil
			c.record("user", object{"content": []any{object{"text": "<session_context>" + t.Text + "</session_context>"}}})
		}
	}
	return []byte(strings.Join(c.lines, "\n") + "\n")
}

// last reports whether all calls have a field.
func last(calls []object, field string) bool {
	for _, c := range calls {
		if c[field] == nil {
			return false
		}
	}
	return true
}
