package main

import (
	"cmp"
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
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/improve/read"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/improve/scan"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/transcript/all"
)

// lookback says what to look back at, and how to tell it.
type lookback struct {
	host, since, project, file, html, by string
	markdown, force, read, yes           bool
	top, readLimit, readTokens           int
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
itself are skipped.

With --read the agent of the settings (improve.agent) reads redacted pieces of the
newest sessions and names causes that no rule finds, each with the messages that
show it. What that costs is told before it begins; what was read is kept.`,
		Example: "  trimtab reflect --since 7d\n  trimtab reflect --host claude --project . --top 3\n  trimtab reflect ~/.claude/projects/*/*.jsonl --json\n  trimtab reflect --since 30d -o report.md\n  trimtab reflect --since 30d --html report.html --by project\n  trimtab reflect --since 7d --read --read-limit 5\n  trimtab reflect --read --yes --json",
		RunE: func(c *cobra.Command, args []string) error {
			if l.host != "" && !slices.Contains(hosts, l.host) {
				return misused("%q is not known; --host takes %s", l.host, strings.Join(hosts, ", "))
			}
			if l.top < 0 {
				return misused("--top %d: give 0 for all, or how many", l.top)
			}
			if l.by != "" && !slices.Contains(improve.Groupings, l.by) {
				return misused("--by takes %s", strings.Join(improve.Groupings, ", "))
			}
			if l.readLimit < 1 || l.readTokens < 500 {
				return misused("--read-limit takes at least 1 and --read-tokens at least 500")
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
	f.StringVarP(&l.file, "output", "o", "", "write to this `file`; .json, .md and .html say the form")
	f.StringVar(&l.html, "html", "", "write one page to share to this `file`: redacted, people without names")
	f.StringVar(&l.by, "by", "", "also tell it by `what`: "+strings.Join(improve.Groupings, ", "))
	f.BoolVar(&l.read, "read", false, "have your agent read pieces of sessions (improve.agent); it is asked first")
	f.IntVar(&l.readLimit, "read-limit", read.DefaultSessions, "with --read: the newest so many `sessions`")
	f.IntVar(&l.readTokens, "read-tokens", read.DefaultTokens, "with --read: at most so many `tokens` of each")
	f.BoolVar(&l.yes, "yes", false, "with --read: do not ask")
	f.BoolVar(&l.force, "force", false, "overwrite the file")
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(improve.Groupings, cobra.ShellCompDirectiveNoFileComp))
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
	var unread error
	if l.read {
		if r.Read, unread = a.readSessions(ctx, r, l); r.Read == nil {
			return unread
		}
	}
	if err := a.tellReflection(r, l, write); err != nil || unread != nil {
		return cmp.Or(unread, err)
	}
	if r.NamedUnread {
		return errShown
	}
	return nil
}

// readSessions has the person's agent read sessions, once the person has seen what that
// takes. What was found by then comes with an error, too.
func (a *app) readSessions(ctx context.Context, r improve.Reflection, l lookback) (*improve.Reading, error) {
	work, err := a.assembly()
	if err != nil {
		return nil, err
	}
	models, err := a.pickerOf()
	if err != nil {
		return nil, err
	}
	reader, err := work.Reader(ctx, read.Options{
		Sessions: a.scanner(), Redact: a.redactor(true), Tokens: l.readTokens, Price: models.Cost, Progress: func(s read.Step) { a.progress("%s\n", s) },
	})
	if err != nil {
		return nil, err
	}
	plan, err := reader.Plan(ctx, r, l.readLimit)
	if err != nil {
		return nil, err
	}
	switch ask := plan.Calls() > 0 && !l.yes; {
	case !ask:
		a.progress("%s\n", plan)
	case !a.terminal.in:
		return nil, misused("%s\nnot a terminal; pass --yes to have %s read", plan, plural.Count(plan.Calls(), "session"))
	case !a.confirm(plan.String() + "\nHave them read?"):
		plan = plan.OnlyCached()
	}
	found, err := reader.Run(ctx, plan)
	return &found, err
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
		if q.Project, err = scan.RealFolder(l.project); err != nil {
			return r, misused("--project: %w", err)
		}
	}
	if r, err = a.lookBack(ctx, q); err == nil && l.by != "" {
		r.By, err = r.GroupBy(l.by)
	}
	return r, err
}

// lookBack is what sessions show, with what people found not useful told apart.
func (a *app) lookBack(ctx context.Context, q improve.Query) (improve.Reflection, error) {
	r, err := a.scanner().Reflect(ctx, q)
	if _, ok := (ownStore{a}).Where(); ok && err == nil {
		pipeline.TellApart(ctx, a.queue, &r)
	}
	return r, err
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
	form, err := report.FormOf(report.Asked{File: l.file, HTML: l.html, JSON: a.flag.json, Markdown: l.markdown})
	if err != nil {
		return nil, usageError{err}
	}
	l.file = cmp.Or(l.file, l.html)
	page := report.Layout{Top: l.top, Width: 80, Zone: time.Local, Redact: a.redactor(true)}
	if form == report.AsText && l.file == "" && a.terminal.out {
		page.Width = a.columns()
		page.Colour = a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
	}
	return page.Writer(form), nil
}

// tellReflection writes the report, and on stderr what could not be read.
func (a *app) tellReflection(r improve.Reflection, l lookback, write func(io.Writer, improve.Reflection) error) error {
	if !a.flag.quiet {
		if err := report.Unread(a.err, r); err != nil {
			return err
		}
	}
	if l.file == "" {
		return write(a.out, r)
	}
	if err := setting.Create(l.file, l.force, func(w io.Writer) error { return write(w, r) }); err != nil {
		return err
	}
	a.progress("wrote %s\n", l.file)
	return nil
}

// redactor takes out secrets, those of this environment too, and for what others
// may read also what names a person.
func (a *app) redactor(private bool) func(string) string {
	return secret.Redactor(secret.Options{Known: secret.FromEnviron(a.environ), Private: private})
}
