// Package agents runs the agents that do the steps of an improvement: Claude Code,
// Codex, Gemini CLI, opencode, Qwen Code, goose, our own, any command, or a
// scripted one that needs no key.
//
// An agent works in one folder, in a clean environment with no key but its own, a
// home of its own where it can, a sandbox where the system has one, and limits of
// time, output and cost. How each is called is data in one table.
//
// The package decides nothing about an improvement. It never hands a forge's token or
// a credential of git to an agent, never merges, commits or pushes, and writes
// nothing of what an agent said but to the job's log, redacted.
//
//	agent, err := agents.New(agents.Config{Agent: "claude"}, agents.Options{
//		Lookup: os.LookupEnv, Redact: redact,
//	})
//	if err != nil {
//		return err
//	}
//	report, err := agent.Do(ctx, agents.Job{
//		ID: item.ID, Step: "implement", Prompt: prompt, Dir: worktree, Folder: logs,
//		Time: 20 * time.Minute, Cost: 5,
//	})
package agents

import (
	"context"
	"time"
)

// Job is one piece of work for an agent.
type Job struct {
	ID       string        // the improvement it is part of: it marks the agent's session
	Step     string        // "implement": for logs and for scripted agents
	Prompt   string        // redacted by the caller
	Dir      string        // the worktree: the agent may write here and nowhere else
	ReadOnly bool          // it shall look and say, and write nothing
	NoTools  bool          // it shall only say: it gets no tools where it can do without
	Folder   string        // where its log goes
	Time     time.Duration // at most
	Cost     float64       // dollars at most, 0 for no limit
	Output   int64         // bytes of its last words at most; all that it writes may be 64 times as much, and 16 MB in any case
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
