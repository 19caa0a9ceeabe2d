package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
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
	results, bad := []taken{}, 0
	for _, file := range files {
		got, known := 0, 0
		for _, r := range a.importFile(ctx, file, in) {
			r.File = file
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

func (a *app) importFile(ctx context.Context, file string, in taking) []taken {
	own, err := all.DetectOwn(ctx, file, in.from)
	switch {
	case err != nil:
		return []taken{{Error: err.Error()}}
	case own == all.OwnStore:
		return a.importStore(ctx, file, in)
	case own == all.OwnExport:
		return []taken{a.importExport(ctx, file, in.as)}
	}
	f, err := all.Open(ctx, file, in.from)
	if errors.Is(err, trimtab.ErrDamaged) && in.from == "" {
		err = fmt.Errorf("%w; where it is one of these all the same, say which with --from", err)
	}
	if err != nil {
		return []taken{{Error: err.Error()}}
	}
	defer f.Close()
	return a.importSource(ctx, f, in)
}

// importStore takes in the sessions of another store of ours, as they are. It
// reads a copy: opening a store may bring it up to date.
func (a *app) importStore(ctx context.Context, file string, in taking) (out []taken) {
	name, remove, err := all.Copy(file)
	if err != nil {
		return []taken{{Error: err.Error()}}
	}
	defer func() {
		if err := remove(); err != nil {
			out = append(out, taken{Error: err.Error()})
		}
	}()
	from, err := sqlite.Open(ctx, name, sqlite.Config{})
	if err != nil {
		return []taken{{Error: err.Error()}}
	}
	defer func() {
		if err := from.Close(); err != nil {
			out = append(out, taken{Error: err.Error()})
		}
	}()
	var ids []string
	for info, err := range from.List(ctx, trimtab.Query{}) {
		if err != nil {
			return append(out, taken{Error: err.Error()})
		}
		if in.only == "" || in.only == info.ID {
			ids = append(ids, info.ID)
		}
	}
	if in.as != "" && len(ids) != 1 {
		return []taken{{Error: fmt.Sprintf("--as names one session, and %d were found; choose one with --only", len(ids))}}
	}
	for _, id := range ids {
		out = append(out, a.importStored(ctx, from, id, in.as, len(ids) > 1))
	}
	return out
}

// importStored takes in one session of another store of ours.
func (a *app) importStored(ctx context.Context, from trimtab.Archive, id, as string, many bool) taken {
	s, err := from.Load(ctx, id)
	if err != nil {
		return taken{Session: id, Error: err.Error()}
	}
	commit := trimtab.Commit{}
	for m, err := range from.Messages(ctx, id, 0) {
		if err != nil {
			return taken{Session: id, Error: err.Error()}
		}
		commit.Messages = append(commit.Messages, m)
	}
	for e, err := range from.Journal(ctx, id, 0) {
		if err != nil {
			return taken{Session: id, Error: err.Error()}
		}
		commit.Entries = append(commit.Entries, e)
	}
	s.ID, s.Version = cmp.Or(as, id), 0
	commit.Session = s
	st, err := a.store(ctx)
	if err == nil {
		_, err = st.Commit(ctx, commit)
	}
	r := taken{Host: s.Host, Session: s.ID, Messages: s.Seq, title: s.Title}
	if errors.Is(err, trimtab.ErrExists) || errors.Is(err, trimtab.ErrConflict) {
		if r.Known = true; many {
			return r
		}
		err = fmt.Errorf("session %s %w", s.ID, trimtab.ErrExists)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

func (a *app) importExport(ctx context.Context, file, as string) taken {
	f, err := os.Open(file)
	if err != nil {
		return taken{Error: err.Error()}
	}
	defer f.Close()
	doc, err := export.Read(f, export.MaxSize)
	if err != nil {
		return taken{Error: err.Error()}
	}
	if as != "" {
		doc.ID = as
	}
	s, err := a.importDocument(ctx, doc)
	if err != nil {
		return taken{Error: err.Error()}
	}
	return taken{Host: s.Host, Session: s.ID, Messages: s.Seq, title: s.Title}
}

// importSource takes in the sessions of another agent's file.
func (a *app) importSource(ctx context.Context, f *all.File, in taking) (out []taken) {
	var infos []trimtab.Info
	for info, err := range f.Sessions(ctx) {
		switch {
		case err != nil:
			out = append(out, taken{Host: f.Host, Error: err.Error()})
		case in.only == "" || in.only == info.ID:
			infos = append(infos, info)
		}
	}
	if len(infos) == 0 && len(out) == 0 {
		return []taken{{Host: f.Host, Error: fmt.Sprintf("%s: no message in it", trimtab.ErrDamaged)}}
	}
	if in.as != "" && len(infos) > 1 {
		return []taken{{Host: f.Host, Error: fmt.Sprintf("--as names one session, and the file has %d; choose one with --only", len(infos))}}
	}
	for _, info := range infos {
		r := a.importSession(ctx, f, info, in.as)
		// In a database most sessions were there last time; a file that is named is
		// meant.
		if len(infos) > 1 && r.Known {
			r.Error = ""
		}
		out = append(out, r)
	}
	return out
}

// importSession takes in one session of another agent's file.
func (a *app) importSession(ctx context.Context, f *all.File, info trimtab.Info, as string) taken {
	r := taken{Host: f.Host}
	theirs := info.ID
	info.ID = cmp.Or(as, f.Host+":"+theirs)
	if info.Parent != "" {
		info.Parent = f.Host + ":" + info.Parent
	}
	info.Title = "" // made from the person's first words, as everywhere
	var events []trimtab.Event
	for item, err := range f.Read(ctx, theirs, transcript.Options{Side: info.Parent != ""}) {
		if errors.Is(err, trimtab.ErrDamaged) {
			r.Damaged++
			continue
		}
		if err != nil {
			r.Error = err.Error()
			return r
		}
		events = append(events, record.Events(item)...)
	}
	if len(events) == 0 {
		r.Error = fmt.Sprintf("%s: no message in it", trimtab.ErrDamaged)
		return r
	}
	s, err := a.tell(ctx, info, events)
	if err != nil {
		r.Session, r.Known, r.Error = info.ID, errors.Is(err, trimtab.ErrExists), err.Error()
		return r
	}
	r.Session, r.Messages, r.title = s.ID, s.Seq, s.Title
	return r
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

// tell stores a session by telling its events to the engine, all or nothing.
func (a *app) tell(ctx context.Context, info trimtab.Info, events []trimtab.Event) (trimtab.Session, error) {
	service, err := a.sessions(ctx)
	if err != nil {
		return trimtab.Session{}, err
	}
	if err := trimtab.CheckID(info.ID); err != nil {
		return trimtab.Session{}, err
	}
	if _, err := service.Begin(ctx, info); err != nil {
		return trimtab.Session{}, err
	}
	s, out, err := service.Handle(ctx, info.ID, events...)
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
