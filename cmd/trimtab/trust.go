package main

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/trust"
)

func trustCommand(a *app) *cobra.Command {
	var list, revoke, yes bool
	c := &cobra.Command{
		Use: "trust [FOLDER]", Short: "Let a project's .trimtab take effect, as it is now", Args: between(0, 1),
		Long: `A project's .trimtab folder comes with a clone, so it has no effect until you
trust it. Trust is by content: when a file in it changes, it is asked for again.
Even then it may not set where requests go, what commands run, or any key.`,
		Example: "  trimtab trust            show this project's .trimtab, and trust it\n  trimtab trust --list\n  trimtab trust --revoke",
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
	here, err := a.folder()
	if err != nil {
		return "", err
	}
	return or(findProject(here), here), nil
}

func (a *app) trust(dir string, yes bool) error {
	files, digest, err := trust.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return misused("%s has no .trimtab folder; there is nothing to trust", dir)
	}
	if err != nil {
		return err
	}
	book, err := a.trustBook()
	if err != nil {
		return err
	}
	if v, err := book.Trusted(dir); err == nil && v.State == trust.Trusted {
		a.printf("%s is trusted already\n", dir)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		a.printf("── .trimtab/%s (%d bytes)\n", name, len(files[name]))
		if text := string(files[name]); len(text) <= 8192 {
			a.printf("%s\n", strings.TrimRight(text, "\n"))
		}
	}
	if !yes {
		if !a.terminal.in {
			return misused("nobody is here to ask; give --yes to trust the files shown above")
		}
		if !a.confirm("Trust these files as they are?") {
			a.printf("not trusted\n")
			return errShown
		}
	}
	kept, err := book.Trust(dir, digest, a.clock())
	if err != nil {
		return err
	}
	if kept != "" {
		a.progress("the list of trusted folders was damaged; it is kept as %s, and a new one begun\n", kept)
	}
	a.printf("%s is trusted as it is now\n", dir)
	return nil
}

func (a *app) revoke(dir string) error {
	book, err := a.trustBook()
	if err != nil {
		return err
	}
	if err := book.Revoke(dir); err != nil {
		return err
	}
	a.printf("%s is not trusted any more\n", dir)
	return nil
}

func (a *app) trustList() error {
	book, err := a.trustBook()
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
