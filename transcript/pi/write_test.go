package pi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/transcript/transcripttest"
)

type object map[string]any

// session writes a session as pi would.
type session struct {
	lines   []string
	n       int
	content []any // of the reply that is being written
}

func begin() *session {
	return &session{lines: []string{`{"type":"session","version":3,"id":"s1","timestamp":"2026-11-15T02:29:08.723Z","cwd":"/p"}`}}
}

func (s *session) put(kind string, over object) {
	s.n++
	f := object{"type": kind, "id": fmt.Sprintf("e%d", s.n), "parentId": fmt.Sprintf("e%d", s.n-1), "timestamp": fmt.Sprintf("2026-11-15T02:29:%02d.000Z", s.n%60)}
	if s.n == 1 {
		f["parentId"] = nil
	}
	for k, v := range over {
		f[k] = v
	}
	raw, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	s.lines = append(s.lines, string(raw))
}

func (s *session) message(f object) { s.put("message", object{"message": f}) }

func (s *session) flush() {
	if s.content != nil {
		s.message(object{"role": "assistant", "content": s.content, "model": "m", "usage": object{"input": 60, "output": 7, "cacheRead": 40, "cacheWrite": 0}})
		s.content = nil
	}
}

func (s *session) bytes() []byte { return []byte(strings.Join(s.lines, "\n") + "\n") }

func text(s string) []any { return []any{object{"type": "text", "text": s}} }

func write(_ testing.TB, turns []transcripttest.Turn) []byte {
	s := begin()
	for _, t := range turns {
		switch t.Kind {
		case transcripttest.Says:
			s.content = append(s.content, text(t.Text)...)
			continue
		case transcripttest.Calls:
			s.content = append(s.content, object{"type": "toolCall", "id": t.Call, "name": "shell", "arguments": object{"command": t.Text}})
			continue
		}
		s.flush()
		switch t.Kind {
		case transcripttest.Prompt:
			s.message(object{"role": "user", "content": text(t.Text)})
		case transcripttest.Aside:
			s.put("custom_message", object{"customType": "steer", "content": t.Text, "display": false})
		case transcripttest.Result:
			s.message(object{"role": "toolResult", "toolCallId": t.Call, "toolName": "shell", "content": text(t.Text), "isError": t.Failed})
		}
	}
	s.flush()
	return s.bytes()
}
