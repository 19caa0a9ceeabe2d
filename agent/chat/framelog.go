package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/export/frames"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/llm"
)

const frameLogSchema = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "description": "id of the frame, as in f3; the active one if left out"},
    "after": {"type": "integer", "minimum": 0, "description": "go on behind this line, as the page before said"}
  },
  "additionalProperties": false
}`

// maxLog is how much of a log one call returns, in bytes.
const maxLog = 24 << 10

// frameLog is the tool that reads what was folded away: the summary of a frame names it.
func (c *Chat) frameLog() tool.Tool {
	return tool.Tool{
		Tool: llm.Tool{
			Name: "flame_log", ReadOnly: true, Schema: json.RawMessage(frameLogSchema),
			Description: "Read the messages of a frame, also where they are folded away. A long log comes in pages.",
		},
		Run: c.readFrame,
	}
}

func (c *Chat) readFrame(ctx context.Context, raw json.RawMessage) (string, error) {
	var in struct {
		ID    string `json:"id"`
		After int    `json:"after"`
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &in); err != nil {
			return "", fmt.Errorf("flame_log: %w", err)
		}
	}
	s, err := c.opt.Service.Session(ctx, tool.SessionOf(ctx))
	if err != nil {
		return "", fmt.Errorf("flame_log: %w", err)
	}
	var id []string
	if in.ID != "" {
		id = append(id, in.ID)
	}
	log, err := frames.Reader{Engine: c.opt.Service.Engine(), Archive: c.opt.Archive, Now: c.opt.Clock}.Log(ctx, s, id...)
	if err != nil {
		return "", fmt.Errorf("flame_log: %w", err)
	}
	var b strings.Builder
	if err := sessiontext.WriteLog(&b, log.Lines, true); err != nil {
		return "", fmt.Errorf("flame_log: %w", err)
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	var out strings.Builder
	for i, line := range lines[min(max(in.After, 0), len(lines)):] {
		if out.Len()+len(line) > maxLog {
			fmt.Fprintf(&out, "[%d of %d lines; after=%d goes on]\n", in.After+i, len(lines), in.After+i)
			break
		}
		out.WriteString(line + "\n")
	}
	return strings.TrimRight(out.String(), "\n"), nil
}
