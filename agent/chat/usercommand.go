package chat

import (
	"slices"

	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/usercommand"
)

// UserCommands are the commands of the person's own files and of the project's, as they are
// now.
func (c *Chat) UserCommands() []usercommand.Command {
	return usercommand.Find(c.opt.Commands, usercommand.Folder(c.opt.Dir))
}

// Read reports whether a command may be used: it is the person's own, or one of the project
// whose text they have read and taken.
func (c *Chat) Read(cmd usercommand.Command) bool {
	if !cmd.Project {
		return true
	}
	c.packing.Lock()
	defer c.packing.Unlock()
	return c.taken[cmd.Sum()] || c.opt.Grants != nil && slices.Contains(c.opt.Grants.Granted().Prompts, cmd.Sum())
}

// TakeCommand keeps that the person has read a command of the project and takes it, as long
// as its text is the same.
func (c *Chat) TakeCommand(cmd usercommand.Command) error {
	c.packing.Lock()
	if c.taken == nil {
		c.taken = map[string]bool{}
	}
	c.taken[cmd.Sum()] = true
	c.packing.Unlock()
	if c.opt.Grants == nil {
		return nil
	}
	return c.opt.Grants.Add(tool.ForProject, tool.Grant{Prompts: []string{cmd.Sum()}})
}
