package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/export/importer"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/setting"
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

func (a *app) export(ctx context.Context, id, format, file string, force, raw bool) error {
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
	if err := setting.Create(file, force, func(w io.Writer) error { return write(doc, w) }); err != nil {
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
	var in importer.Options
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
			if in.ID != "" && len(args) > 1 {
				return misused("--as names one session, and %d files were given", len(args))
			}
			if in.Host != "" && !slices.Contains(hosts, in.Host) {
				return misused("%q is not known; --from takes %s", in.Host, strings.Join(hosts, ", "))
			}
			return a.importAll(c.Context(), args, in)
		},
	}
	c.Flags().StringVar(&in.ID, "as", "", "store it under this `id`")
	c.Flags().StringVar(&in.Host, "from", "", "whose file it is, a `host`: "+strings.Join(hosts, ", "))
	c.Flags().StringVar(&in.Only, "only", "", "of a database, take in only the session with this `id` there")
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(hosts, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// importAll takes in every session that it can: a bad one does not hide a good one.
func (a *app) importAll(ctx context.Context, files []string, in importer.Options) error {
	im, err := a.importer(ctx)
	if err != nil {
		return err
	}
	results, bad := []importer.Told{}, 0
	for _, file := range files {
		got, known := 0, 0
		for _, r := range im.Take(ctx, file, in) {
			results = append(results, r)
			switch {
			case r.Error != "":
				bad++
				a.wrong("%s: %s\n", file, r.Error)
			case r.Known:
				known++
			default:
				if got++; !a.flag.json {
					a.printf("%s  %s (%s)\n", r.Session, r.Title, plural.Count(r.Messages, "message"))
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
	return importer.Importer{Service: service, Store: st, Outcome: func(out trimtab.Outcome) {
		for _, w := range importer.Warnings(out) {
			a.progress("%s\n", w)
		}
	}}, nil
}
