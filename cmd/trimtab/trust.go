package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust"
	"github.com/trimtab/trimtab/internal/trust/project"
)

func trustCommand(a *app) *cobra.Command {
	var list, revoke, yes bool
	c := &cobra.Command{
		Use: "trust [FOLDER]", Short: "Let a project's .trimtab and AGENTS.md take effect, as they are now", Args: between(0, 1),
		Long: `A project's .trimtab folder, its AGENTS.md files, its automation_config.json
and its DEFAULT_WORKFLOW.md come with a clone, so they have no effect until you
trust them. Trust is by content: when one of them changes, it is asked for again.
AGENTS.md counts from the root of the repository down to the folder. Even a
trusted .trimtab may not set where requests go, what commands run, or any key.`,
		Example: "  trimtab trust            show what would take effect here, and trust it\n  trimtab trust --list\n  trimtab trust --revoke",
		RunE: func(_ *cobra.Command, args []string) error {
			if list {
				return a.trustList()
			}
			dir, err := project.Target(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if revoke {
				return a.revoke(dir)
			}
			return a.trust(dir, yes)
		},
	}
	f := c.Flags()
	f.BoolVar(&list, "list", false, "list what is trusted")
	f.BoolVar(&revoke, "revoke", false, "trust it no longer")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) trust(dir string, yes bool) error {
	book, err := setting.Book(a.home())
	if err != nil {
		return err
	}
	done, err := project.Talk{Print: a.printf, Tell: a.progress, Clock: a.clock, Confirm: func(question string) (bool, error) {
		if !yes && !a.terminal.in {
			return false, misused("not a terminal; pass --yes to trust the files shown above")
		}
		return yes || a.confirm(question), nil
	}}.Trust(dir, book)
	switch {
	case errors.Is(err, project.ErrNothing):
		return usageError{err}
	case err == nil && !done:
		a.printf("not trusted\n")
		return errShown
	}
	return err
}

func (a *app) revoke(dir string) error {
	book, err := setting.Book(a.home())
	if err != nil {
		return err
	}
	return project.Talk{Print: a.printf}.Revoke(dir, book)
}

func (a *app) trustList() error {
	book, err := setting.Book(a.home())
	if err != nil {
		return err
	}
	records, err := book.List()
	switch {
	case err != nil:
	case a.flag.json:
		return a.printJSON(append([]trust.Record{}, records...))
	default:
		project.Talk{Print: a.printf}.List(records)
	}
	return err
}
