package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/export/importer"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/transcript/all"
)

func sessionExport(a *app) *cobra.Command {
	var format, file string
	var force, raw bool
	c := &cobra.Command{
		Use: "export [ID]", Short: "Write a session as JSON, Markdown or HTML, without secrets", Args: between(0, 1), ValidArgsFunction: a.completeSession,
		Example: "  trimtab session export --format md\n  trimtab session export 20261115-101500-k3x9 -o session.html",
		RunE: func(c *cobra.Command, args []string) error {
			if raw && a.getenv("TRIMTAB_SESSION") != "" {
				return misused("--raw is for a person's own terminal; this is the shell of an agent that trimtab runs")
			}
			return a.export(c.Context(), strings.Join(args, ""), format, file, force, raw)
		},
	}
	c.Flags().StringVar(&format, "format", "", "json, md or html; by the file's ending, else json")
	c.Flags().StringVarP(&file, "output", "o", "", "write to this `file` instead of stdout")
	c.Flags().BoolVar(&force, "force", false, "overwrite the file")
	c.Flags().BoolVar(&raw, "raw", false, "leave secrets in")
	sessionFlag(c, a)
	_ = c.RegisterFlagCompletionFunc("format", fixed(export.JSON, export.Markdown, export.HTML))
	return c
}

func (a *app) export(ctx context.Context, id, format, file string, force, raw bool) (err error) {
	write, err := export.Writer(cmp.Or(format, export.FormatOf(file)))
	if err != nil {
		return usageError{err}
	}
	doc, err := a.document(ctx, id)
	if err == nil && !raw {
		doc, err = doc.Redacted(a.redactor(false))
	}
	if err != nil {
		return err
	}
	if file == "" {
		return write(doc, a.out)
	}
	f, err := create(file, force)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := write(doc, f); err != nil {
		return err
	}
	a.progress("wrote %s\n", file)
	return nil
}

// document is a stored session as a document.
func (a *app) document(ctx context.Context, id string) (export.Document, error) {
	s, err := a.current(ctx, id)
	if err != nil {
		return export.Document{}, err
	}
	st, err := a.store(ctx)
	if err != nil {
		return export.Document{}, err
	}
	return export.FromArchive(ctx, st, s)
}

func sessionImport(a *app) *cobra.Command {
	var in taking
	hosts := append([]string{trimtab.OwnHost}, all.Hosts()...)
	c := &cobra.Command{
		Use: "import FILE…", Short: "Take in sessions: our own JSON exports, or what other agents keep", Args: between(1, -1),
		Long: `Takes in sessions from our own JSON exports and stores, and from the files in
which agents keep theirs: Claude Code, Codex, Gemini CLI, Qwen Code and pi (JSON lines),
opencode and goose (databases, which may hold many sessions). Whose file it is
is found by looking at it; --from says so where that fails. Files are opened for
reading only. What cannot be read in them is counted and left out.`,
		Example: "  trimtab session import session.json\n  trimtab session import ~/.claude/projects/*/*.jsonl\n  trimtab session import ~/.local/share/opencode/opencode.db",
		RunE: func(c *cobra.Command, args []string) error {
			if in.as != "" && len(args) > 1 {
				return misused("--as names one session, and %d files were given", len(args))
			}
			if in.from != "" && !slices.Contains(hosts, in.from) {
				return misused("%q is not known; --from takes %s", in.from, strings.Join(hosts, ", "))
			}
			return a.importAll(c.Context(), args, in)
		},
	}
	c.Flags().StringVar(&in.as, "as", "", "store it under this `id`")
	c.Flags().StringVar(&in.from, "from", "", "whose file it is, a `host`: "+strings.Join(hosts, ", "))
	c.Flags().StringVar(&in.only, "only", "", "of a database, take in only the session with this `id` there")
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(hosts, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// taking says what to take in, and how.
type taking struct{ as, from, only string }

// taken is a session that was taken in, or a file that was not.
type taken struct {
	File     string `json:"file"`
	Host     string `json:"host,omitempty"`
	Session  string `json:"sessionId,omitempty"`
	Messages int    `json:"messages"`
	Damaged  int    `json:"damagedLines,omitempty"`
	Known    bool   `json:"known,omitempty"` // it was in the store before
	Error    string `json:"error,omitempty"`
	title    string
}

// importAll takes in every session that it can: a bad one does not hide a good one.
func (a *app) importAll(ctx context.Context, files []string, in taking) error {
	im, err := a.importer(ctx)
	if err != nil {
		return err
	}
	results, bad := []taken{}, 0
	for _, file := range files {
		got, known := 0, 0
		for _, r := range a.importFile(ctx, im, file, in) {
			results = append(results, r)
			switch {
			case r.Error != "":
				bad++
				a.wrong("%s: %s\n", file, r.Error)
			case r.Known:
				known++
			default:
				if got++; !a.flag.json {
					a.printf("%s  %s (%s)\n", r.Session, r.title, plural.Count(r.Messages, "message"))
				}
			}
			if r.Damaged > 0 {
				a.progress("%s: %s could not be read and %s left out\n", file, plural.Count(r.Damaged, "line"), wasWere(r.Damaged))
			}
		}
		if known > 0 {
			a.progress("%s: %s taken in, %d known already\n", file, plural.Count(got, "session"), known)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if a.flag.json {
		if err := a.printJSON(results); err != nil {
			return err
		}
	}
	if bad > 0 {
		a.wrong("%d of %d files and sessions were not taken in\n", bad, max(bad, len(results)))
		return errShown
	}
	return nil
}

func wasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// importFile takes in the sessions of a file.
func (a *app) importFile(ctx context.Context, im importer.Importer, file string, in taking) []taken {
	var out []taken
	for _, r := range im.File(ctx, file, importer.Options{ID: in.as, Host: in.from, Only: in.only}) {
		t := taken{File: file, Host: r.Host, Session: r.Session, Messages: r.Messages, Damaged: r.Damaged, Known: r.Known, title: r.Title}
		if r.Err != nil {
			t.Error = in.explain(r.Err)
		}
		out = append(out, t)
	}
	return out
}

// explain says what went wrong by the names of the flags.
func (in taking) explain(err error) string {
	if opening := (*importer.OpenError)(nil); errors.As(err, &opening) && errors.Is(err, trimtab.ErrDamaged) && in.from == "" {
		return err.Error() + "; where it is one of these all the same, say which with --from"
	}
	if rest, ok := strings.CutPrefix(err.Error(), importer.ErrOneID.Error()); ok && errors.Is(err, importer.ErrOneID) {
		return "--as names one session" + rest + "; choose one with --only"
	}
	return err.Error()
}

// importer wires an importer to the store and the session service.
func (a *app) importer(ctx context.Context) (importer.Importer, error) {
	st, err := a.store(ctx)
	if err != nil {
		return importer.Importer{}, err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return importer.Importer{}, err
	}
	return importer.Importer{Service: service, Store: st, Outcome: a.importOutcome}, nil
}

// importOutcome tells what the engine did not take of an imported session.
func (a *app) importOutcome(out trimtab.Outcome) {
	for _, t := range out.Actions {
		switch act := t.Action.(type) {
		case trimtab.Reply:
			if act.Failed {
				a.progress("%s; going on in normal mode\n", firstLine(act.Text, 200))
			}
		case trimtab.Notify:
			if act.Warning {
				a.progress("%s\n", act.Text)
			}
		}
	}
}
