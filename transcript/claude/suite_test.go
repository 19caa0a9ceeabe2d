package claude_test

import (
	"fmt"
	"testing"

	"github.com/trimtab/trimtab/transcript/claude"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

// write tells a conversation as Claude Code would.
func write(t testing.TB, turns []transcripttest.Turn) []byte {
	s := &script{t: t}
	at := fields{"timestamp": "2026-11-15T02:18:37.107Z"}
	callers := map[string]string{}
	reply := 0
	for i, turn := range turns {
		id := fmt.Sprint("u", i)
		switch turn.Kind {
		case transcripttest.Prompt:
			reply = i
			s.prompt(id, turn.Text, at)
		case transcripttest.Aside:
			reply = i
			s.shown(id, turn.Text, at)
		case transcripttest.Says:
			s.says(id, fmt.Sprint("msg", reply), turn.Text, at)
		case transcripttest.Calls:
			callers[turn.Call] = id
			s.block(id, fmt.Sprint("msg", reply), fields{"type": "tool_use", "id": turn.Call, "name": "shell", "input": fields{"command": turn.Text}}, at)
		case transcripttest.Result:
			reply = i
			s.result(id, turn.Call, callers[turn.Call], at, said([]any{fields{"type": "tool_result", "tool_use_id": turn.Call, "content": turn.Text, "is_error": turn.Failed}}))
		}
	}
	return []byte(s.String())
}

func TestSuite(t *testing.T) {
	transcripttest.Run(t, transcripttest.Format{Lines: true, Read: transcripttest.Bytes(claude.Read), Write: write})
}
