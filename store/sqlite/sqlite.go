// Package sqlite keeps sessions in one SQLite file.
//
// What Commit acknowledges is on the disk: it survives a killed process and a
// power cut. Several processes may use one file at once. The file is made 0600
// in a folder made 0700, before SQLite opens it, so that its -wal and -shm files
// are as private. An empty file that ends in .lock keeps two processes from
// changing the schema at once.
//
// It never overwrites a file that is damaged, that a newer trimtab wrote or that
// belongs to another program: it says so and leaves it alone. It holds no lock
// while the caller looks at what List, Messages and Journal give.
//
//	store, err := sqlite.Open(ctx, filepath.Join(dir, "trimtab.db"), sqlite.Config{})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	s, err := store.Load(ctx, "demo")
//	for m, err := range store.Messages(ctx, "demo", 0) {
//		…
//	}
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
	driver "modernc.org/sqlite"
)

// Config sets how the file is used. The zero Config works.
type Config struct {
	BusyTimeout int `json:"busyTimeout" default:"5000" min:"1" max:"600000" doc:"milliseconds to wait while another process writes"`
	Readers     int `json:"readers" default:"4" min:"1" max:"64" doc:"connections that read at the same time"`
}

// pageSize is for new files: sessions read up to twice as fast as with the
// usual 4 KB.
const pageSize = 16384

// slice is how long SQLite itself waits for a writer. It does not look at the
// context while it waits, so we wait in slices.
const slice = 25 * time.Millisecond

// Store is an open file. It is safe for use by several goroutines.
type Store struct {
	path    string
	busy    time.Duration
	write   *sql.DB // one connection
	read    *sql.DB
	on      statements
	self    os.FileInfo // the file as it was opened
	watch   *sql.DB     // made when somebody waits for changes
	watchMu sync.Mutex
	damaged atomic.Bool // SQLite met a damaged page; nothing is written any more
}

var _ trimtab.Archive = (*Store)(nil)

// Open opens the file, which it makes or brings up to date where needed.
func Open(ctx context.Context, path string, cfg Config) (*Store, error) {
	return open(ctx, path, cfg, migrations(), false)
}

// OpenBriefly is Open for a program that does one thing and ends: a single
// connection reads and writes, which takes two thirds of the time to open.
func OpenBriefly(ctx context.Context, path string, cfg Config) (*Store, error) {
	return open(ctx, path, cfg, migrations(), true)
}

func open(ctx context.Context, path string, cfg Config, schema fs.FS, briefly bool) (*Store, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if path == "" {
		return nil, errors.New("store: no file named")
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{path: path, busy: time.Duration(cfg.BusyTimeout) * time.Millisecond}
	if err := s.connect(cfg, briefly); err != nil {
		return nil, err
	}
	err = patiently(ctx, s.busy, func() (err error) {
		if err = s.ready(ctx, schema); err == nil {
			s.on, err = prepare(ctx, s.write, s.read)
		}
		return err
	})
	if err == nil {
		s.self, err = os.Stat(path)
	}
	if err != nil {
		err = fmt.Errorf("open store: %w", s.explain(ctx, err))
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// connect sets up the connections; the first use of one opens the file.
func (s *Store) connect(cfg Config, briefly bool) (err error) {
	wait := strconv.Itoa(cfg.BusyTimeout)
	first := strconv.Itoa(int(min(s.busy, slice).Milliseconds()))
	// fullfsync: on macOS a plain fsync leaves the rows in the drive's cache.
	// secure_delete: what a person removes is gone from the file, too.
	s.write, err = pool(s.path, 1, "_busy_timeout="+first, "_txlock=immediate", "_synchronous=FULL", "_foreign_keys=1",
		"_pragma=fullfsync(1)", "_pragma=checkpoint_fullfsync(1)", "_pragma=secure_delete(1)", "_pragma=cache_size(-1024)")
	if err != nil {
		return err
	}
	if briefly {
		s.read = s.write
		return nil
	}
	s.read, err = pool(s.path, cfg.Readers, "_busy_timeout="+wait, "_query_only=1", "_pragma=cache_size(-512)")
	return err
}

// pool returns up to n connections to a file that is there.
func pool(path string, n int, query ...string) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/…
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: strings.Join(append(query, "mode=rw", "_error_rc=1", "_dqs=0"), "&")}
	c, err := driver.NewConnector(u.String())
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// Path returns where the file is.
func (s *Store) Path() string { return s.path }

// Close lets go of the file. The last one to close it folds the write-ahead log
// back into it.
func (s *Store) Close() error {
	s.watchMu.Lock()
	defer s.watchMu.Unlock()
	if s.watch != nil {
		_ = s.watch.Close() // it only reads
	}
	return errors.Join(s.read.Close(), s.write.Close())
}

// begin starts a transaction that writes, as soon as no other process is at it.
func (s *Store) begin(ctx context.Context) (*sql.Tx, error) {
	if s.damaged.Load() {
		return nil, errStopped
	}
	// SQLite goes on writing to a file that has lost its name, where nobody will
	// find what it acknowledges.
	if now, err := os.Stat(s.path); err != nil || !os.SameFile(s.self, now) {
		return nil, ErrMoved
	}
	return begin(ctx, s.write, s.busy)
}

func begin(ctx context.Context, db *sql.DB, wait time.Duration) (tx *sql.Tx, err error) {
	err = patiently(ctx, wait, func() (err error) {
		tx, err = db.BeginTx(ctx, nil)
		return err
	})
	return tx, err
}

// patiently does something again while another process is in the way. Whatever
// runs on the connection that writes needs it, or waits for one slice only; the
// one exception is what follows begin, which has the file to itself.
func patiently(ctx context.Context, wait time.Duration, do func() error) error {
	end := time.Now().Add(wait)
	for {
		err := do()
		if err == nil || !isBusy(err) || time.Now().After(end) || ctx.Err() != nil {
			return err
		}
		timer := time.NewTimer(time.Millisecond) // SQLite does not wait in every case
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}
