package main

import (
	"errors"
	"path/filepath"
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
			dir, err := a.trustTarget(strings.Join(args, ""))
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

func (a *app) trustTarget(dir string) (string, error) {
	if dir != "" {
		return filepath.Abs(dir)
	}
	return setting.Folder()
}

func (a *app) trust(dir string, yes bool) error {
	found, err := project.Find(dir)
	for _, text := range found.Left {
		a.progress("%s\n", text)
	}
	if errors.Is(err, project.ErrNothing) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	book, err := setting.Book(a.home())
	if err != nil {
		return err
	}
	var open []project.Part
	for _, p := range found.Parts {
		if ok, _ := p.Trusted(book); ok { // what cannot be looked up is not trusted
			a.printf("%s is trusted already\n", p.Name)
			continue
		}
		open = append(open, p)
		a.printf("%s", p.Text())
	}
	if len(open) > 0 && !yes {
		if !a.terminal.in {
			return misused("not a terminal; pass --yes to trust the files shown above")
		}
		if !a.confirm("Trust these files as they are?") {
			a.printf("not trusted\n")
			return errShown
		}
	}
	for _, p := range open {
		kept, err := p.Trust(book, a.clock())
		if err != nil {
			return err
		}
		if kept != "" {
			a.progress("the list of trusted folders was damaged; it is kept as %s, and a new one begun\n", kept)
		}
		a.printf("%s is trusted as it is now\n", p.Name)
	}
	return nil
}

func (a *app) revoke(dir string) error {
	book, err := setting.Book(a.home())
	if err != nil {
		return err
	}
	names, err := project.Revoke(dir, book)
	for _, name := range names {
		a.printf("%s is not trusted any more\n", name)
	}
	return err
}

func (a *app) trustList() error {
	book, err := setting.Book(a.home())
	if err != nil {
		return err
	}
	records, err := book.List()
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON(append([]trust.Record{}, records...))
	}
	if len(records) == 0 {
		a.printf("no folder is trusted\n")
	}
	for _, r := range records {
		a.printf("%s  since %s\n", r.Dir, r.At.Local().Format("2006-01-02 15:04"))
	}
	return nil
}
