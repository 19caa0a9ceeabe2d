package qwen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/transcript/transcripttest"
)

type object map[string]any

// chat writes a chat as Qwen Code would.
type chat struct {
	lines []string
	n     int
	parts []any // of the reply that is being written
}

func (c *chat) put(kind, by string, over object) {
	c.n++
	f := object{
		"uuid": fmt.Sprintf("u%d", c.n), "parentUuid": fmt.Sprintf("u%d", c.n-1), "sessionId": "s1", "type": kind, "provenance": by,
		"timestamp": fmt.Sprintf("2026-11-15T02:28:%02d.000Z", c.n%60), "cwd": "/p", "version": "0.24.4",
	}
	if c.n == 1 {
		f["parentUuid"] = nil
	}
	for k, v := range over {
		f[k] = v
	}
	raw, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	c.lines = append(c.lines, string(raw))
}

func (c *chat) flush() {
	if c.parts != nil {
		c.put("assistant", "assistant_output", object{
			"model": "m", "message": object{"role": "model", "parts": c.parts},
			"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 7, "cachedContentTokenCount": 40},
		})
		c.parts = nil
	}
}

func said(role string, parts ...any) object {
	return object{"message": object{"role": role, "parts": parts}}
}

func (c *chat) bytes() []byte { return []byte(strings.Join(c.lines, "\n") + "\n") }

func write(_ testing.TB, turns []transcripttest.Turn) []byte {
	c := &chat{}
	for _, t := range turns {
		switch t.Kind {
		case transcripttest.Says:
			c.parts = append(c.parts, object{"text": t.Text})
			continue
		case transcripttest.Calls:
			c.parts = append(c.parts, object{"functionCall": object{"id": t.Call, "name": "shell", "args": object{"command": t.Text}}})
			continue
		}
		c.flush()
		switch t.Kind {
		case transcripttest.Prompt:
			c.put("user", "real_user", said("user", object{"text": t.Text}))
		case transcripttest.Aside:
			c.put("user", "real_user", said("user", object{"text": "<qwen:user-prompt-submit-context>" + t.Text + "</qwen:user-prompt-submit-context>"}))
		case transcripttest.Result:
			status := "success"
			if t.Failed {
				status = "error"
			}
			f := said("user", object{"functionResponse": object{"id": t.Call, "name": "shell", "response": object{"output": t.Text}}})
			f["toolCallResult"] = object{"callId": t.Call, "status": status}
			c.put("tool_result", "tool_result", f)
		}
	}
	c.flush()
	return c.bytes()
}
