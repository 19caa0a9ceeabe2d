package main

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/agent/instruct"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust"
)

func trustCommand(a *app) *cobra.Command {
	var list, revoke, yes bool
	c := &cobra.Command{
		Use: "trust [FOLDER]", Short: "Let a project's .trimtab and AGENTS.md take effect, as they are now", Args: between(0, 1),
		Long: `A project's .trimtab folder and its AGENTS.md files come with a clone, so they
have no effect until you trust them. Trust is by content: when one of them
changes, it is asked for again. AGENTS.md counts from the root of the repository
down to the folder. Even a trusted .trimtab may not set where requests go, what
commands run, or any key.`,
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

// part is something of a project that takes effect once it is trusted: its
// .trimtab, or a file that speaks to agents. It is read once: what is shown is
// what is hashed and noted.
type part struct {
	name  string      // the folder of the .trimtab, or the file
	files trust.Files // by the names that people are shown
	judge func(*trust.Book) (trust.Verdict, error)
	note  func(*trust.Book) (kept string, err error)
}

// parts are what would take effect in a folder. What cannot is told, and is an
// error where there is nothing else.
func (a *app) parts(dir string) ([]part, error) {
	var all []part
	var wrong error
	if root := setting.FindProject(dir); root != "" {
		files, digest, err := trust.Read(root)
		p := part{name: root, files: trust.Files{}}
		for name, data := range files {
			p.files[".trimtab/"+name] = data
		}
		p.judge = func(b *trust.Book) (trust.Verdict, error) { return b.Trusted(root) }
		p.note = func(b *trust.Book) (string, error) { return b.Trust(root, digest, a.clock()) }
		if wrong = err; err == nil && len(files) > 0 {
			all = append(all, p)
		}
	}
	found, left, err := instruct.Find(dir)
	if err != nil {
		return nil, err
	}
	for _, l := range left {
		a.progress("%s\n", l.String())
	}
	for _, f := range found {
		all = append(all, part{
			name: f.Path, files: trust.Files{f.Name: f.Text},
			judge: func(b *trust.Book) (trust.Verdict, error) { return b.File(f.Path, f.Text) },
			note:  func(b *trust.Book) (string, error) { return b.TrustFile(f.Path, f.Text, a.clock()) },
		})
	}
	if p := a.automationPart(dir); p != nil {
		all = append(all, *p)
	}
	switch {
	case wrong != nil && len(all) == 0:
		return nil, wrong
	case wrong != nil:
		a.progress("%s\n", wrong)
	case len(all) == 0:
		return nil, misused("%s has no .trimtab folder and no %s; there is nothing to trust", dir, instruct.Name)
	}
	return all, nil
}

func (a *app) trust(dir string, yes bool) error {
	all, err := a.parts(dir)
	if err != nil {
		return err
	}
	book, err := setting.Book(a.home())
	if err != nil {
		return err
	}
	var open []part
	for _, p := range all {
		if v, err := p.judge(book); err == nil && v.State == trust.Trusted {
			a.printf("%s is trusted already\n", p.name)
			continue
		}
		open = append(open, p)
		a.showPart(p)
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
		kept, err := p.note(book)
		if err != nil {
			return err
		}
		if kept != "" {
			a.progress("the list of trusted folders was damaged; it is kept as %s, and a new one begun\n", kept)
		}
		a.printf("%s is trusted as it is now\n", p.name)
	}
	return nil
}

// maxShown is the largest file of which the text is shown: all of what is said to
// agents, and more than settings need.
const maxShown = 32 << 10

func (a *app) showPart(p part) {
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		text := string(p.files[name])
		a.printf("── %s (%d bytes)\n", name, len(text))
		if len(text) > maxShown {
			a.printf("too long to show; look at it yourself\n")
			continue
		}
		a.printf("%s\n", strings.TrimRight(text, "\n"))
	}
}

func (a *app) revoke(dir string) error {
	book, err := setting.Book(a.home())
	if err != nil {
		return err
	}
	names := []string{cmp.Or(setting.FindProject(dir), dir), filepath.Join(dir, instruct.Name), filepath.Join(cmp.Or(setting.Repository(dir), dir), filepath.FromSlash(improve.ProjectFile))}
	found, _, _ := instruct.Find(dir) // a folder that is gone says nothing, but may be in the book
	for _, f := range found {
		names = append(names, f.Path)
	}
	slices.Sort(names)
	var first error
	taken := 0
	for _, name := range slices.Compact(names) {
		switch err := book.Revoke(name); {
		case err == nil:
			taken++
			a.printf("%s is not trusted any more\n", name)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case first == nil:
			first = err
		}
	}
	if taken == 0 {
		return first
	}
	return nil
}

// untrusted says why a file may not speak to the agent, "" where it may.
func (a *app) untrusted() func(instruct.File) string {
	book, unread := setting.Book(a.home())
	return func(f instruct.File) string {
		if unread != nil {
			return unread.Error()
		}
		switch v, err := book.File(f.Path, f.Text); {
		case err != nil:
			return err.Error()
		case v.State == trust.Trusted:
			return ""
		case v.State == trust.Changed:
			return "changed since it was trusted; look at it, then: trimtab trust"
		}
		return "not trusted; look at it, then: trimtab trust"
	}
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
