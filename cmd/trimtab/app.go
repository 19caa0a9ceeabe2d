package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/internal/identity"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/session/subprocess"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/content"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/hook/hookcmd"
	"github.com/trimtab/trimtab/surface/inside"
)

// app is one run of the program: its streams, its flags, and what it opened.
type app struct {
	in       io.Reader
	out, err io.Writer
	lost     error // what could not be written to out
	environ  []string
	terminal struct{ in, out, err bool }
	clock    func() time.Time

	hookLimit time.Duration // how long a host waits for a hook at most; 0 is hookcmd.Cap

	flag struct {
		data, config, session    string
		user                     string
		sets                     []string
		json, quiet              bool
		prompt, resume, model    string
		permit, output           string
		prompted, proceed, plain bool
	}
	settings *Settings // nil until loaded
	loaded   loaded
	own      *setting.Modes // nil until read
	opened   *archive       // nil until the database is open
	passing  bool           // traffic passes also where the database cannot be opened
	unready  error          // why it could not be
	service  *session.Service
	programs *subprocess.Programs // that the settings name; nil where there are none
	told     *report.Once         // what need not be told again
}

func newApp() *app {
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ(), clock: time.Now, told: &report.Once{}}
	a.terminal.in, a.terminal.out, a.terminal.err = isTerminal(os.Stdin), isTerminal(os.Stdout), isTerminal(os.Stderr)
	return a
}

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

func (a *app) getenv(name string) string {
	value := ""
	for _, e := range a.environ {
		if k, v, ok := strings.Cut(e, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// home is where the person's things are.
func (a *app) home() home.Home {
	return home.Home{Getenv: a.getenv, Data: a.flag.data, Config: a.flag.config}
}

// lookup is a variable of the environment, and whether there is one.
func (a *app) lookup(name string) (string, bool) { v := a.getenv(name); return v, v != "" }

// dataDir is where sessions and trust are kept.
func (a *app) dataDir() (string, error) { return a.home().DataDir() }

// Storage says where sessions and improvements are kept: in a file of the user's
// own, or on a server that a team shares.
type Storage struct {
	hookcmd.Store
	Postgres postgres.Config `json:"postgres" guard:"user" doc:"how the database server is used"`
}

// archive is an open store: the person's sessions in it, and the database they are in.
type archive struct {
	*owned.Store
	database
	feed.Source
}

type database interface {
	Queue() improve.Queue
	Path() string // of the file, or the server's URL without the password
	Close() error
}

// store opens the database once.
func (a *app) store(ctx context.Context) (*archive, error) {
	if a.opened != nil {
		return a.opened, nil
	}
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	st, err := a.openStore(ctx, cfg)
	if err != nil && a.passing && ctx.Err() == nil {
		a.wrong("sessions are steered from memory and not stored: %s\n", err)
		a.unready = err
		kept := memory.New() // forgotten at the end
		st, err = a.personal(kept, kept, kept, cfg.User, false)
	}
	if err != nil {
		return nil, err
	}
	a.opened = st
	return st, nil
}

func (a *app) openStore(ctx context.Context, cfg *Settings) (*archive, error) {
	if cfg.Store.URL != "" {
		st, err := postgres.Open(ctx, cfg.Store.URL, cfg.Store.Postgres)
		if err != nil {
			return nil, err
		}
		return a.personal(st, st, st, cfg.User, true)
	}
	dir, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	st, err := sqlite.Open(ctx, filepath.Join(dir, "trimtab.db"), cfg.Store.Config)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return nil, fmt.Errorf("%w; name a folder that can be written with --data or TRIMTAB_DATA", err)
	}
	if err != nil {
		return nil, err
	}
	return a.personal(st, st, st, cfg.User, false)
}

// personal is the person's part of a store. A gateway steers whatever sessions its clients
// bring, by their ids, and lists the person's own.
func (a *app) personal(st trimtab.Archive, db database, changes feed.Source, who identity.Config, shared bool) (*archive, error) {
	if a.passing && who.Role != string(owned.Approve) {
		who.Role = string(owned.Steer)
	}
	dir, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	mine, err := identity.Open(st, identity.Options{Config: who, Environ: a.environ, Data: dir, Shared: shared, Serves: a.passing, Show: a.flag.user, Content: content.Filter(a.settings.Store.Content, a.redactor(false))})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &archive{mine, db, mine.Feed(changes)}, nil
}

func (a *app) close() error {
	if a.programs != nil {
		a.programs.Close()
	}
	if a.opened == nil {
		return nil
	}
	var err error
	if a.service != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		err = a.service.Flush(ctx)
	}
	return errors.Join(err, a.opened.Close())
}

// engine builds the lineup from the settings.
func (a *app) engine() (*trimtab.Engine, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	own, err := a.modes()
	if err != nil {
		return nil, err
	}
	return steer.New(cfg.Config, steer.Modes(own.Definitions()...))
}

// sessions opens the session service.
func (a *app) sessions(ctx context.Context) (*session.Service, error) {
	if a.service != nil {
		return a.service, nil
	}
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	engine, err := a.engine()
	if err != nil {
		return nil, err
	}
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelError}))
	a.service = session.New(engine, st, session.Options{Clock: a.clock, MaxMessage: cfg.Limits.MaxMessage, Log: log, Advisor: a.advisor(cfg)})
	return a.service, nil
}

// advisor asks the programs of the settings, if there are any. They end with close.
func (a *app) advisor(cfg *Settings) session.Advisor {
	if len(cfg.Interventions) == 0 {
		return nil
	}
	a.programs = subprocess.New(cfg.Interventions)
	return a.programs
}

// stored opens the store and the session service.
func (a *app) stored(ctx context.Context) (*archive, *session.Service, error) {
	service, err := a.sessions(ctx)
	return a.opened, service, err
}

// homeDir is the person's home folder.
func (a *app) homeDir() string { return cmp.Or(a.getenv("HOME"), a.getenv("USERPROFILE")) }

// current is the session that a command is about: the named one, else the
// newest of this folder that somebody works in: a debate and what it looked up
// have their own commands.
func (a *app) current(ctx context.Context, id string) (trimtab.Session, error) {
	s, _, err := a.locate(ctx, id)
	return s, err
}

// locate is current, and where the command is given: inside of a run, or beside it.
func (a *app) locate(ctx context.Context, id string) (trimtab.Session, inside.Place, error) {
	var none trimtab.Session
	dir, err := setting.Folder()
	if err != nil {
		return none, inside.Place{}, err
	}
	data, err := a.dataDir()
	if err != nil {
		return none, inside.Place{}, err
	}
	place, st := inside.Locate(data, a.getenv(inside.Variable), dir), (*archive)(nil)
	if st, err = a.store(ctx); err != nil {
		return none, place, err
	}
	if id = cmp.Or(id, a.flag.session); id == "" || place.Inside && id == a.getenv("TRIMTAB_SESSION") {
		if id, err = place.Session(ctx, st, dir, id, func(i trimtab.Info) bool { return i.Host != deliberate.Host }); err != nil {
			return none, place, err
		}
	}
	if err := trimtab.CheckID(id); err != nil {
		return none, place, err
	}
	s, err := st.Load(ctx, id)
	return s, place, err
}

// printJSON answers a program.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// printf answers a person. Arguments are made harmless to a terminal. An answer
// that did not arrive makes the run a failure: see run.
func (a *app) printf(format string, args ...any) {
	a.answered(cleanf(a.out, format, args...))
}

// answers is stdout for packages that write themselves: what did not arrive makes the
// run a failure there, too.
type answers struct{ app *app }

func (w answers) Write(p []byte) (int, error) {
	n, err := w.app.out.Write(p)
	w.app.answered(err)
	return n, err
}

// answered notes an answer that could not be written.
func (a *app) answered(err error) {
	if err != nil && a.lost == nil {
		a.lost = fmt.Errorf("stdout: %w", err)
	}
}

// progress tells a person what goes on, on stderr.
func (a *app) progress(format string, args ...any) {
	if !a.flag.quiet {
		_ = cleanf(a.err, format, args...) // there is nobody left to tell
	}
}

// progressTo is where progress goes, for packages that write themselves.
func (a *app) progressTo() io.Writer {
	if a.flag.quiet {
		return io.Discard
	}
	return a.err
}

// wrong tells a person what went wrong, on stderr, however quiet it is to be.
func (a *app) wrong(format string, args ...any) { _ = cleanf(a.err, format, args...) }

func cleanf(w io.Writer, format string, args ...any) error {
	return termsafe.Fprintf(w, format, args...)
}
