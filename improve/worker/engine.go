package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite" // the driver of the default file
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
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
		AppName: "trimtab", ApplicationVersion: version, ExecutorID: f.worker, DatabaseSchema: "trimtab_flow",
		Logger: slog.New(louder{f.opt.Log.Handler(), &f.closing}), DatabaseURL: f.cfg.URL, SystemDBStartupTimeout: seconds(f.cfg.Start),
		SchedulerPollingInterval: time.Hour, // we schedule nothing
	}
	closeFile := func() error { return nil }
	if cfg.DatabaseURL == "" {
		db, err := openFile(filepath.Join(f.cfg.Folder, "flow.db"))
		if err != nil {
			return err
		}
		cfg.SQLiteSystemDB, closeFile = db, db.Close
	}
	engine, err := dbos.NewContext(context.WithoutCancel(ctx), cfg)
	if err != nil {
		return errors.Join(fmt.Errorf("open the records: %w", f.hide(err)), closeFile())
	}
	f.engine = engine
	f.close = func() error {
		f.closing.Store(true)
		return errors.Join(f.hide(dbos.Shutdown(engine, 10*time.Second)), closeFile())
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
		return nil, errors.Join(fmt.Errorf("%s: %w; it was not changed: where it is damaged, move it away, and the work goes on from what the queue knows", name, err), db.Close())
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

// order is the input of a workflow.
type order struct {
	Item    string `json:"item"`
	Attempt int    `json:"attempt"`
}

// run is the part of a workflow's id that all takers of an attempt share.
func run(it improve.Item) string { return fmt.Sprintf("%s.%d.", it.ID, max(it.Attempt, 1)) }

// workflow is the id of the workflow of one who took the item.
func workflow(it improve.Item) string { return fmt.Sprintf("%s%d", run(it), it.Fence) }

// start starts the workflow of an item: forked from that of the one who had the
// item before, if these records have it, and new otherwise.
func (f *Worker) start(it improve.Item, list []steps.Step) error {
	past, err := dbos.ListWorkflows(f.engine, dbos.WithFilterWorkflowIDPrefix(run(it)), dbos.WithFilterSortDesc(), dbos.WithFilterLimit(1), dbos.WithFilterLoadInput(false), dbos.WithFilterLoadOutput(false))
	if err != nil {
		return f.hide(err)
	}
	if len(past) == 1 && past[0].ID != workflow(it) {
		done, err := f.recorded(past[0].ID, it, list)
		if err != nil {
			return f.hide(err)
		}
		if done > 0 {
			_, err = dbos.ForkWorkflow[string](f.engine, dbos.ForkWorkflowInput{
				OriginalWorkflowID: past[0].ID, ForkedWorkflowID: workflow(it), StartStep: uint(done), QueueName: f.queue, ApplicationVersion: version,
			})
			return f.hide(err)
		}
	}
	_, err = dbos.RunWorkflow(f.engine, f.improve, order{it.ID, it.Attempt}, dbos.WithWorkflowID(workflow(it)))
	return f.hide(err)
}

// recorded counts the steps that both the engine and the queue know as done.
func (f *Worker) recorded(id string, it improve.Item, list []steps.Step) (int, error) {
	known, err := dbos.GetWorkflowSteps(f.engine, id, dbos.WithStepsLoadOutput(false))
	if err != nil {
		return 0, err
	}
	slices.SortFunc(known, func(a, b dbos.StepInfo) int { return a.StepID - b.StepID })
	n := 0
	for n < min(len(known), len(list)) && both(known[n], list[n], n, it) {
		n++
	}
	return n, nil
}

// both reports whether the nth step is done for the engine and for the queue.
func both(s dbos.StepInfo, want steps.Step, n int, it improve.Item) bool {
	e, known := evidence(it, want.Name)
	return s.StepID == n && s.StepName == string(want.Name) && s.Error == nil && known && e.Error == ""
}

// evidence returns what a step left when it ended.
func evidence(it improve.Item, step improve.StepName) (improve.Evidence, bool) {
	for _, e := range it.Evidence {
		if e.Step == step && !e.Ended.IsZero() {
			return e, true
		}
	}
	return improve.Evidence{}, false
}
