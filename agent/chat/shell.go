package chat

import (
	"encoding/json"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
)

// shellTime is how long a command of the person may take, in seconds.
const shellTime = 600

// Shell runs a command that the person typed: not confined, since it is theirs, and
// without keys in its environment, since the model may read what it writes.
func (c *Chat) Shell(command string) (agent.Runner, error) {
	bash, err := c.folder.Bash(tool.BashOptions{Config: c.opt.Tools, Environ: c.opt.Environ})
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(map[string]any{"command": command, "timeout": shellTime})
	if err != nil {
		return nil, err
	}
	return agent.Direct{Tool: bash, Call: trimtab.ToolCall{ID: "shell", Name: "bash", Input: input}}, nil
}
