package linechat

import (
	"context"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/usercommand"
)

// shellCommand is what follows a ! at the beginning of a line, or "".
func shellCommand(line string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "!")
	if !ok {
		return ""
	}
	return strings.TrimSpace(rest)
}

// shell runs a command of the person. The model reads of it with the next prompt.
func (c *Chat) shell(ctx context.Context, command string) {
	runner, err := c.opt.Shell(command)
	if err != nil {
		c.printf("%s\n", c.opt.Explain(err))
		return
	}
	ctx, stop := c.interruptible(ctx)
	defer stop()
	for ev, err := range runner.Run(ctx, "", trimtab.Message{}) {
		if err != nil {
			c.printf("%s\n", c.opt.Explain(err))
			return
		}
		if ev, ok := ev.(agent.Returned); ok {
			c.printf("%s\n", strings.TrimRight(ev.Result.Text, "\n")) // whole: nothing opens it later
			c.asides = append(c.asides, agent.OwnCommand(command, ev.Result.Text))
		}
	}
}

// userCommand finds the prompt of a file that a line means. Commands of the chat and of
// steering come first.
func (c *Chat) userCommand(line string) (cmd usercommand.Command, ok bool) {
	if c.opt.UserCommands == nil {
		return cmd, false
	}
	cmd, _, ok = usercommand.Match(c.opt.UserCommands(), line)
	return cmd, ok && !slices.Contains(c.names(), cmd.Name)
}

// taken reports whether the prompt of a file may be used. One that came with the project is
// shown first: somebody else may have written it.
func (c *Chat) taken(ctx context.Context, cmd usercommand.Command) bool {
	if c.opt.Read(cmd) {
		return true
	}
	c.printf("/%s comes with this project and was not used before. It would tell the model:\n", cmd.Name)
	for line := range strings.SplitSeq(strings.TrimRight(cmd.Body, "\n"), "\n") {
		c.printf("  | %s\n", line)
	}
	c.printf("y use it, now and as long as it says the same, n no? [N] ")
	yes := false
	select {
	case <-ctx.Done():
	case <-c.opt.Interrupt:
	case line := <-c.opt.Lines:
		yes = slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
	}
	if !yes {
		c.printf("/%s was not used\n", cmd.Name)
		return false
	}
	if err := c.opt.TakeCommand(cmd); err != nil {
		c.printf("%s\n", c.opt.Explain(err))
	}
	return true
}
