// Package crew runs the agents that do the steps of an improvement: Claude Code,
// Codex, Gemini CLI, opencode, our own, or any command.
package crew

import (
	"context"
	"time"
)

// Job is one piece of work for an agent.
type Job struct {
	Step     string        // "implement": for logs and for scripted agents
	Prompt   string        // redacted by the caller
	Dir      string        // the worktree: the agent may write here and nowhere else
	ReadOnly bool          // it shall look and say, and write nothing
	Folder   string        // where its log goes
	Time     time.Duration // at most
	Cost     float64       // dollars at most, 0 for no limit
	Output   int64         // bytes of output at most
}

// Report is what came of it.
type Report struct {
	Text    string        // the agent's last words, at most Output bytes
	Session string        // its session id, where it told one
	Cost    float64       // dollars, where it told them
	Took    time.Duration //
	Log     string        // file with everything it wrote
	Boxed   string        // the sandbox it ran in: "landlock", "bubblewrap", "" for none
}

// Agent does jobs.
type Agent interface {
	Name() string
	Do(ctx context.Context, job Job) (Report, error)
}
