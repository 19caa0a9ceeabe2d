package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/claude"
)

func sessionExport(a *app) *cobra.Command {
	var format, file string
	var force bool
	c := &cobra.Command{
		Use: "export [ID]", Short: "Write a session as JSON, Markdown or HTML", Args: between(0, 1), ValidArgsFunction: a.completeSession,
		Example: "  trimtab session export --format md\n  trimtab session export 20261115-101500-k3x9 -o session.html",
		RunE: func(c *cobra.Command, args []string) error {
			return a.export(c.Context(), strings.Join(args, ""), format, file, force)
		},
	}
	c.Flags().StringVar(&format, "format", "", "json, md or html; by the file's ending, else json")
	c.Flags().StringVarP(&file, "output", "o", "", "write to this `file` instead of stdout")
	c.Flags().BoolVar(&force, "force", false, "overwrite the file")
	sessionFlag(c, a)
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"json", "md", "html"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) export(ctx context.Context, id, format, file string, force bool) (err error) {
	if format == "" {
		format = map[string]string{".md": "md", ".markdown": "md", ".html": "html", ".htm": "html"}[strings.ToLower(filepath.Ext(file))]
	}
	write := map[string]func(export.Document, io.Writer) error{
		"": export.Document.WriteJSON, "json": export.Document.WriteJSON, "md": export.Document.WriteMarkdown, "html": export.Document.WriteHTML,
	}[format]
	if write == nil {
		return misused("format %q is not known; give json, md or html", format)
	}
	doc, err := a.document(ctx, id)
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
	var history []trimtab.Message
	for m, err := range st.Messages(ctx, s.ID, 0) {
		if err != nil {
			return export.Document{}, err
		}
		history = append(history, m)
	}
	var journal []trimtab.Entry
	for e, err := range st.Journal(ctx, s.ID, 0) {
		if err != nil {
			return export.Document{}, err
		}
		journal = append(journal, e)
	}
	return export.New(s, history, journal)
}

func sessionImport(a *app) *cobra.Command {
	var as string
	c := &cobra.Command{
		Use: "import FILE…", Short: "Take in sessions: our own JSON exports, or Claude Code's transcripts", Args: between(1, -1),
		Example: "  trimtab session import session.json\n  trimtab session import ~/.claude/projects/*/*.jsonl",
		RunE: func(c *cobra.Command, args []string) error {
			if as != "" && len(args) > 1 {
				return misused("--as names one session, and %d files were given", len(args))
			}
			return a.importAll(c.Context(), args, as)
		},
	}
	c.Flags().StringVar(&as, "as", "", "store it under this `id`")
	return c
}

// importAll takes in every file that it can: a bad one does not hide a good one.
func (a *app) importAll(ctx context.Context, files []string, as string) error {
	type result struct {
		File     string `json:"file"`
		Session  string `json:"sessionId,omitempty"`
		Messages int    `json:"messages"`
		Damaged  int    `json:"damagedLines,omitempty"`
		Error    string `json:"error,omitempty"`
	}
	results, bad := []result{}, 0
	for _, file := range files {
		s, damaged, err := a.importFile(ctx, file, as)
		r := result{File: file, Session: s.ID, Messages: s.Seq, Damaged: damaged}
		if err != nil {
			r.Error = err.Error()
			bad++
			a.progress("%s: %s\n", file, err)
		} else if !a.flag.json {
			a.printf("%s  %s (%s)\n", s.ID, s.Title, count(s.Seq, "message"))
		}
		if damaged > 0 {
			a.progress("%s: %s could not be read and was left out\n", file, count(damaged, "line"))
		}
		results = append(results, r)
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
		a.progress("%d of %d files were not taken in\n", bad, len(files))
		return errShown
	}
	return nil
}

func (a *app) importFile(ctx context.Context, file, as string) (trimtab.Session, int, error) {
	f, err := os.Open(file)
	if err != nil {
		return trimtab.Session{}, 0, err
	}
	defer f.Close()
	kind, err := detect(f)
	if err != nil {
		return trimtab.Session{}, 0, err
	}
	if kind == "trimtab" {
		doc, err := export.Read(f, export.MaxSize)
		if err != nil {
			return trimtab.Session{}, 0, err
		}
		if as != "" {
			doc.ID = as
		}
		s, err := a.importDocument(ctx, doc)
		return s, 0, err
	}
	return a.importTranscript(ctx, f, as)
}

// detect says whose file it is and goes back to its beginning.
func detect(f *os.File) (string, error) {
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	kind := transcript.Detect(head[:n])
	if kind == "" {
		return "", fmt.Errorf("%w: neither a trimtab export nor a Claude Code transcript", trimtab.ErrDamaged)
	}
	_, err = f.Seek(0, io.SeekStart)
	return kind, err
}

// importDocument stores our own export as it was, and tells a foreign one anew.
func (a *app) importDocument(ctx context.Context, doc export.Document) (trimtab.Session, error) {
	if err := trimtab.CheckID(doc.ID); err != nil {
		return trimtab.Session{}, err
	}
	st, err := a.store(ctx)
	if err != nil {
		return trimtab.Session{}, err
	}
	if s, history, ok := doc.Session(); ok {
		_, err := st.Commit(ctx, trimtab.Commit{Session: s, Messages: history, Entries: doc.Trimtab.Journal})
		return s, err
	}
	events := make([]trimtab.Event, 0, len(doc.Messages)+2)
	for _, m := range doc.Messages {
		events = append(events, trimtab.Said{Message: m})
	}
	if doc.ModeState.Mode != "" && doc.ModeState.Mode != "normal" {
		events = append(events, trimtab.Asked{Command: "mode", Args: []string{doc.ModeState.Mode}})
	}
	return a.tell(ctx, doc.Info, append(events, trimtab.Resumed{}))
}

func (a *app) importTranscript(ctx context.Context, f io.Reader, as string) (trimtab.Session, int, error) {
	info, damaged := trimtab.Info{ID: as, Host: "claude"}, 0
	var events []trimtab.Event
	for item, err := range claude.Read(f, transcript.Options{}) {
		if errors.Is(err, trimtab.ErrDamaged) {
			damaged++
			continue
		}
		if err != nil {
			return trimtab.Session{}, damaged, err
		}
		if info.ID == "" {
			info.ID = "claude:" + item.Session
		}
		info.Project = or(info.Project, item.Project)
		if info.Created.IsZero() {
			info.Created = item.Message.At
		}
		events = append(events, recorded(item)...)
	}
	if len(events) == 0 {
		return trimtab.Session{}, damaged, fmt.Errorf("%w: no message in it", trimtab.ErrDamaged)
	}
	s, err := a.tell(ctx, info, events)
	return s, damaged, err
}

// tell stores a session by telling its events to the engine, all or nothing.
func (a *app) tell(ctx context.Context, info trimtab.Info, events []trimtab.Event) (trimtab.Session, error) {
	door, err := a.helm(ctx)
	if err != nil {
		return trimtab.Session{}, err
	}
	if err := trimtab.CheckID(info.ID); err != nil {
		return trimtab.Session{}, err
	}
	if _, err := door.Begin(ctx, info); err != nil {
		return trimtab.Session{}, err
	}
	s, out, err := door.Handle(ctx, info.ID, events...)
	if err != nil {
		if st, opening := a.store(ctx); opening == nil {
			err = errors.Join(err, st.Remove(context.WithoutCancel(ctx), info.ID))
		}
		return trimtab.Session{}, err
	}
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
	return s, nil
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
