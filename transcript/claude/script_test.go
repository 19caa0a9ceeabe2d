package claude_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// script writes transcripts as Claude Code would. Each line's parent is the one
// before it unless said otherwise.
type script struct {
	t     testing.TB
	lines []string
	last  string
}

type fields map[string]any

// put appends a line with these fields over the usual ones.
func (s *script) put(kind, id string, over fields) *script {
	s.t.Helper()
	f := fields{"type": kind, "uuid": id, "parentUuid": s.last, "isSidechain": false, "sessionId": "s1", "cwd": "/p", "version": "2.1.325"}
	if s.last == "" {
		f["parentUuid"] = nil
	}
	for k, v := range over {
		if f[k] = v; v == none {
			delete(f, k)
		}
	}
	b, err := json.Marshal(f)
	if err != nil {
		s.t.Fatal(err)
	}
	s.lines = append(s.lines, string(b))
	s.last = id
	return s
}

// none as a value leaves a field out.
const none = "\x00none"

// prompt is what a person types.
func (s *script) prompt(id, text string, over ...fields) *script {
	return s.put("user", id, with(fields{
		"promptSource": "typed", "turnOrigin": "human", "origin": fields{"kind": "human"},
		"message": fields{"role": "user", "content": text},
	}, over))
}

// says is a block of a reply with words in it.
func (s *script) says(id, reply, text string, over ...fields) *script {
	return s.block(id, reply, fields{"type": "text", "text": text}, over...)
}

// calls is a block of a reply that calls a tool.
func (s *script) calls(id, reply, call string, over ...fields) *script {
	return s.block(id, reply, fields{"type": "tool_use", "id": call, "name": "Bash", "input": fields{"command": "run " + call}}, over...)
}

func (s *script) block(id, reply string, block fields, over ...fields) *script {
	return s.put("assistant", id, with(fields{"message": fields{
		"id": reply, "role": "assistant", "model": "m", "content": []any{block},
		"usage": fields{"input_tokens": 1, "output_tokens": len(s.lines)},
	}}, over))
}

// result is a tool's answer; its parent is the block that called.
func (s *script) result(id, call, caller string, over ...fields) *script {
	return s.put("user", id, with(fields{
		"parentUuid": caller, "sourceToolAssistantUUID": caller, "toolUseResult": "x",
		"message": fields{"role": "user", "content": []any{fields{"type": "tool_result", "tool_use_id": call, "content": "did " + call}}},
	}, over))
}

// shown is an attachment as the model saw it.
func (s *script) shown(id, text string, over ...fields) *script {
	return s.put("attachment", id, with(fields{
		"attachment": fields{"type": "hook_additional_context", "content": []any{text}},
		"rendered":   []any{fields{"content": "<system-reminder>" + text + "</system-reminder>"}}, "renderedRole": "system",
	}, over))
}

func with(f fields, over []fields) fields {
	for _, o := range over {
		for k, v := range o {
			f[k] = v
		}
	}
	return f
}

func (s *script) String() string { return strings.Join(s.lines, "\n") + "\n" }
