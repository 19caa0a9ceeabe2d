package worker

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite" // the driver of the default file
	"github.com/jackc/pgx/v5"
	"github.com/trimtab/trimtab/internal/filelock"
)

// launch starts the engine.
func (f *Worker) launch(ctx context.Context) error {
	// DBOS reads these itself, and each would break a promise: they name another
	// version or worker, or have it call its cloud.
	for _, name := range []string{"DBOS__CLOUD", "DBOS__APPVERSION", "DBOS__VMID"} {
		if os.Getenv(name) != "" {
			return fmt.Errorf("unset %s: it would change how improvements are recorded", name)
		}
	}
	cfg := dbos.Config{
		AppName: "trimtab", ApplicationVersion: version, ExecutorID: f.worker, DatabaseSchema: schema(f.cfg.URL),
		Logger: slog.New(louder{f.opt.Log.Handler(), &f.closing}), DatabaseURL: f.cfg.URL, SystemDBStartupTimeout: seconds(f.cfg.Start),
		SchedulerPollingInterval: time.Hour, // we schedule nothing
	}
	closeFile := func() error { return nil }
	if cfg.DatabaseURL == "" {
		db, err := openFile(f.file())
		if err != nil {
			return err
		}
		cfg.SQLiteSystemDB, closeFile = db, db.Close
	}
	unlock, err := f.migrating(ctx)
	if err != nil {
		return errors.Join(err, closeFile())
	}
	engine, err := dbos.NewContext(context.WithoutCancel(ctx), cfg)
	unlock()
	if err != nil {
		return errors.Join(fmt.Errorf("open the records: %w", f.hide(err)), closeFile())
	}
	f.engine = engine
	f.close = func() error {
		f.closing.Store(true)
		if err := dbos.Shutdown(engine, 10*time.Second); err != nil { // all that was acknowledged is on the disk
			f.opt.Log.Warn("improve: the engine does not end in order", "error", f.hide(err))
		}
		return closeFile()
	}
	f.queue = "trimtab " + f.worker
	dbos.RegisterWorkflow(engine, f.improve, dbos.WithWorkflowName("improve"))
	_, err = dbos.RegisterQueue(engine, f.queue, dbos.WithQueueBasePollingInterval(min(200*time.Millisecond, seconds(f.cfg.Poll))))
	if err == nil {
		engine.ListenQueues(engine, f.queue) // another worker's are not ours to run
		err = dbos.Launch(engine)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("start the engine: %w", f.hide(err)), f.close())
	}
	return nil
}

// file is the engine's SQLite file.
func (f *Worker) file() string { return cmp.Or(f.cfg.File, filepath.Join(f.cfg.Folder, "flow.db")) }

// migrating has one process at a time make or change the engine's tables: the engine does
// not see to that, and of several who begin at once all but one would fail.
func (f *Worker) migrating(ctx context.Context) (unlock func(), err error) {
	if f.cfg.URL != "" {
		unlock, err = f.migratingServer(ctx)
		return unlock, f.hide(err)
	}
	unlock, err = filelock.Lock(f.file()+".lock", seconds(f.cfg.Start))
	if err != nil {
		err = fmt.Errorf("%s: another process is at its tables: %w", f.file(), err)
	}
	return unlock, err
}

func (f *Worker) migratingServer(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, seconds(f.cfg.Start))
	defer cancel()
	conn, err := pgx.Connect(ctx, f.cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("open the records: %w", err)
	}
	unlock = func() { _ = conn.Close(context.WithoutCancel(ctx)) } // the lock goes with the connection
	for mine := false; ; {
		// Not the statement that waits: the engine makes indexes concurrently, which waits
		// for every statement that is under way.
		err = conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtext($1))", "migrate "+schema(f.cfg.URL)).Scan(&mine)
		if mine && err == nil {
			return unlock, nil
		}
		if err == nil {
			select {
			case <-ctx.Done():
				err = errors.New("another process is at its tables")
			case <-time.After(50 * time.Millisecond):
				continue
			}
		}
		unlock()
		return nil, fmt.Errorf("open the records: %w", err)
	}
}

// schema is where the engine has its tables: beside those of the store, whose schema a
// search_path in the URL names, and never among them.
func schema(at string) string {
	name := "trimtab"
	if u, err := url.Parse(at); err == nil {
		name = cmp.Or(strings.Trim(strings.Split(u.Query().Get("search_path"), ",")[0], ` "`), name)
	}
	return name + "_flow"
}

// openFile opens the engine's own file, for its user alone, with what was
// acknowledged on the disk.
func openFile(name string) (*sql.DB, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600) // before SQLite does: its other files inherit this
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(name)}).EscapedPath(), RawQuery: url.Values{
		"_pragma": {"busy_timeout(10000)", "foreign_keys(ON)", "journal_mode(WAL)", "synchronous(FULL)"}, "_txlock": {"immediate"},
	}.Encode()}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	if _, err := db.Exec("SELECT count(*) FROM sqlite_master"); err != nil { // before the engine does, which names no file
		return nil, errors.Join(fmt.Errorf("%s: %w; it was not changed: where it is damaged, move it away, and the work goes on from the copy in the queue", name, err), db.Close())
	}
	return db, nil
}

// hide takes the address of the database, which may hold a password, out of an
// error.
func (f *Worker) hide(err error) error {
	if err == nil || f.cfg.URL == "" || !strings.Contains(err.Error(), f.cfg.URL) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), f.cfg.URL, "the database"))
}

// louder lets through what DBOS says only where it is a warning: it tells of each
// start and stop. That its own queries are broken off when it is closed is no news.
type louder struct {
	slog.Handler
	closing *atomic.Bool
}

func (l louder) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && !l.closing.Load() && l.Handler.Enabled(ctx, level)
}

func (l louder) WithAttrs(attrs []slog.Attr) slog.Handler {
	return louder{l.Handler.WithAttrs(attrs), l.closing}
}

func (l louder) WithGroup(name string) slog.Handler {
	return louder{l.Handler.WithGroup(name), l.closing}
}
