package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/manual"
	"github.com/trimtab/trimtab/internal/version"
)

const about = `Trimtab steers AI agents in long sessions with small, well-timed messages:
a reminder of the todo list, a look back now and then, a mode to work in.

With no arguments it is a chat with an agent. With no key it talks to a
built-in demo model.`

const examples = `  trimtab                                  # chat
  trimtab -p "automata: tidy this"         # answer once and exit
  trimtab mode planning                    # set the mode of this folder's newest session
  trimtab status                           # what steers it now
  trimtab session show                     # the session, with every note and its reason
  trimtab replay ~/.claude/projects/*/*.jsonl   # what would have been said in past sessions`

func rootCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "trimtab", Short: "Steer AI agents in long sessions", Long: about, Example: examples,
		SilenceUsage: true, SilenceErrors: true,
		Args: a.noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return a.chat(c.Context()) },
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return misused("%w%s\n%s --help shows the flags", err, manual.DidYouMean(c, err, config.Nearest), c.CommandPath())
	})
	f := c.PersistentFlags()
	f.StringVar(&a.flag.data, "data", "", "folder for sessions and trust (TRIMTAB_DATA)")
	f.StringVar(&a.flag.config, "config", "", "settings `file` (TRIMTAB_CONFIG)")
	f.StringArrayVar(&a.flag.sets, "set", nil, "a setting for this run, as in todoReminder.initialTurns=4 (repeatable)")
	f.StringVar(&a.flag.user, "user", "", "sessions of this `user`, or of all, where your role allows it")
	f.BoolVar(&a.flag.json, "json", false, "answer in JSON")
	f.BoolVarP(&a.flag.quiet, "quiet", "q", false, "no progress on stderr")
	chatFlags(c, a)

	chat := &cobra.Command{
		Use: "chat", Short: "Chat with an agent (what trimtab does with no arguments)", Args: none,
		Example: "  trimtab chat --continue\n  trimtab chat -p \"what is in this folder?\"",
		RunE:    func(c *cobra.Command, _ []string) error { return a.chat(c.Context()) },
	}
	chatFlags(chat, a)
	addGroup(c, "use", "Talk to an agent, steered:", chat, runCommand(a), serveCommand(a), openCommand(a), deliberateCommand(a))
	addGroup(c, "steer", "Steer a session:", append(askCommands(a), statusCommand(a))...)
	addGroup(c, "look", "Look back:", sessionCommand(a), replayCommand(a), judgeCommand(a), reflectCommand(a))
	addGroup(c, "improve", "Improve what went wrong:", improveCommand(a), trialCommand(a))
	addGroup(c, "manage", "Set up and check:", initCommand(a), configCommand(a), trustCommand(a), installCommand(a), uninstallCommand(a), doctorCommand(a), versionCommand(a), mcpCommand(a), hookCommand(a), manual.Command(func() io.Writer { return a.out }, version.Read().Version, func() ([]byte, error) { return config.Schema[Settings](schemaID) }))
	c.CompletionOptions.HiddenDefaultCmd = false
	c.SetCompletionCommandGroupID("manage")
	c.SetHelpCommandGroupID("manage")
	return c
}

// addGroup adds commands that the help lists under a title of their own.
func addGroup(c *cobra.Command, id, title string, subs ...*cobra.Command) {
	c.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, sub := range subs {
		sub.GroupID = id
		c.AddCommand(sub)
	}
}

// none refuses arguments.
func none(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misused("%s takes no arguments: %q", c.CommandPath(), strings.Join(args, " "))
	}
	return nil
}

// between refuses another number of arguments.
func between(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return misused("usage: %s", c.UseLine())
		}
		return nil
	}
}

// noSuchCommand refuses arguments of trimtab itself and names the command that
// was perhaps meant.
func (a *app) noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	text := fmt.Sprintf("no command %q", args[0])
	if near := config.Nearest(args[0], names); near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return usageError{errors.New(text + "\ntrimtab --help lists the commands; to ask the agent something: trimtab -p \"…\"")}
}

// group is a command that only has commands below it.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: func(c *cobra.Command, args []string) error {
		var names []string
		for _, s := range c.Commands() {
			names = append(names, s.Name())
		}
		if len(args) > 0 {
			if near := config.Nearest(args[0], names); near != "" {
				return misused("no command %q; did you mean %s %s?", args[0], c.CommandPath(), near)
			}
		}
		return misused("%s takes one of: %s", c.CommandPath(), strings.Join(names, ", "))
	}}
	c.AddCommand(subs...)
	return c
}
