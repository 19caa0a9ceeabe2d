package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/improve/scan"
	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/transcript/all"
)

// lookback says what to look back at, and how to tell it.
type lookback struct {
	host, since, project, file string
	markdown, force            bool
	top                        int
}

func reflectCommand(a *app) *cobra.Command {
	var l lookback
	hosts := append([]string{trimtab.OwnHost}, all.Hosts()...)
	c := &cobra.Command{
		Use: "reflect [SESSION|FILE|FOLDER]…", Short: "What went wrong in past sessions, across agents, ranked",
		Long: `Reads past sessions and tells what went wrong in them: errors that come back,
calls that are made again and again, loops, what a person had to complain of or
say twice. What was seen in several sessions stands first.

With nothing named it looks where the agents keep their sessions (Claude Code,
Codex, opencode, Gemini CLI, Qwen Code, goose, pi) and into our own store. Files
are opened for reading only. Lines that cannot be read are counted and left out.
Secrets are taken out of all that is quoted. Sessions that trimtab improve ran
itself are skipped.`,
		Example: "  trimtab reflect --since 7d\n  trimtab reflect --host claude --project . --top 3\n  trimtab reflect ~/.claude/projects/*/*.jsonl --json\n  trimtab reflect --since 30d -o report.md",
		RunE: func(c *cobra.Command, args []string) error {
			if l.host != "" && !slices.Contains(hosts, l.host) {
				return misused("%q is not known; --host takes %s", l.host, strings.Join(hosts, ", "))
			}
			if l.top < 0 {
				return misused("--top %d: give 0 for all, or how many", l.top)
			}
			return a.reflect(c.Context(), args, l)
		},
	}
	f := c.Flags()
	f.StringVar(&l.host, "host", "", "only sessions of this `agent`: "+strings.Join(hosts, ", "))
	f.StringVar(&l.since, "since", "", "only sessions that were active within this `time`, as in 7d or 12h")
	f.StringVar(&l.project, "project", "", "only sessions that worked in this `folder` or below")
	f.IntVarP(&l.top, "top", "n", 10, "show at most this many; 0 is all")
	f.BoolVar(&l.markdown, "markdown", false, "write Markdown")
	f.StringVarP(&l.file, "output", "o", "", "write to this `file`; .json and .md say the form")
	f.BoolVar(&l.force, "force", false, "overwrite the file")
	_ = c.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(hosts, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) reflect(ctx context.Context, args []string, l lookback) error {
	write, err := l.form(a)
	if err != nil {
		return err
	}
	if a.getenv("GOGC") == "" { // else the person has said it
		debug.SetGCPercent(300) // little is in use: collecting at each doubling takes a third of the time
	}
	r, err := a.reflection(ctx, args, l)
	if err != nil {
		return err
	}
	if err := a.tellReflection(r, l, write); err != nil {
		return err
	}
	if r.NamedUnread {
		return errShown
	}
	return nil
}

// reflection reads the sessions that are named, or all that are there, and tells
// what went wrong in them.
func (a *app) reflection(ctx context.Context, args []string, l lookback) (r improve.Reflection, err error) {
	q := improve.Query{Names: args, Host: l.host}
	if l.since != "" {
		age, err := setting.ParseAge(l.since)
		if err != nil {
			return r, misused("--since: %w", err)
		}
		q.Since = a.clock().Add(-age)
	}
	if l.project != "" {
		if q.Project, err = realFolder(l.project); err != nil {
			return r, misused("--project: %w", err)
		}
	}
	return a.scanner().Reflect(ctx, q)
}

// scanner finds and reads sessions.
func (a *app) scanner() *scan.Scanner {
	cfg, err := a.config()
	literal := err == nil && cfg.Automation.Form == "literal"
	return scan.New(scan.Options{Redact: a.redactor(true), Getenv: a.getenv, Store: ownStore{a}, Progress: newBar(a), Now: a.clock, Literal: literal})
}

// ownStore is our own store for a scan, which opens it only where it is there.
type ownStore struct{ app *app }

func (s ownStore) Where() (string, bool) {
	if cfg, err := s.app.config(); err == nil && cfg.Store.URL != "" {
		return "the database server", true
	}
	dir, err := s.app.dataDir()
	if err != nil {
		return "", false
	}
	file := filepath.Join(dir, "trimtab.db")
	_, err = os.Stat(file)
	return file, err == nil
}

func (s ownStore) Open(ctx context.Context) (trimtab.Archive, error) { return s.app.store(ctx) }

// form chooses how the report is written.
func (l *lookback) form(a *app) (func(io.Writer, improve.Reflection) error, error) {
	switch strings.ToLower(filepath.Ext(l.file)) {
	case ".json":
		a.flag.json = true
	case ".md", ".markdown":
		l.markdown = true
	}
	if a.flag.json && l.markdown {
		return nil, misused("--json and --markdown do not go together")
	}
	page := report.Layout{Top: l.top, Width: 80, Zone: time.Local}
	switch {
	case a.flag.json:
		return report.JSON, nil
	case l.markdown:
		return page.Markdown, nil
	}
	if l.file == "" && a.terminal.out {
		page.Width = a.columns()
		page.Colour = a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
	}
	return page.Text, nil
}

// tellReflection writes the report, and on stderr what could not be read.
func (a *app) tellReflection(r improve.Reflection, l lookback, write func(io.Writer, improve.Reflection) error) (err error) {
	for i, u := range r.Unread {
		if i == 5 {
			a.progress("… and %d more files could not be read\n", len(r.Unread)-i)
			break
		}
		a.progress("%s\n", u)
	}
	if l.file == "" {
		return write(a.out, r)
	}
	f, err := create(l.file, l.force)
	if err != nil {
		return err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	if err := write(f, r); err != nil {
		return err
	}
	a.progress("wrote %s\n", l.file)
	return nil
}

// redactor takes out secrets, those of this environment too, and for what others
// may read also what names a person.
func (a *app) redactor(private bool) func(string) string {
	scanner := secret.New(secret.Options{Known: secret.FromEnviron(a.environ), Private: private})
	return func(text string) string {
		text, _ = scanner.Redact(text)
		return text
	}
}

// realFolder is a folder's name without symbolic links, as agents write it down.
func realFolder(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real, nil
	}
	return dir, nil // it may be gone; its sessions are not
}
