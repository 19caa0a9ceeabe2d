package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var embedded embed.FS

func migrations() fs.FS {
	sub, err := fs.Sub(embedded, "migrations")
	if err != nil {
		return embedded // the name above is a valid path, so this does not happen
	}
	return sub
}

// ready sees to it that the file is there, is ours, and has the schema that
// this version knows.
func (s *Store) ready(ctx context.Context, schema fs.FS) error {
	latest, err := newest(schema)
	if err != nil {
		return err
	}
	if _, err := os.Stat(s.path); err == nil {
		if current, err := s.current(ctx, latest); err != nil || current {
			return err
		}
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := private(s.path); err != nil {
		return err
	}
	// Another process may have done it all while we waited for the lock.
	if current, err := s.current(ctx, latest); err != nil || current {
		return err
	}
	return s.migrate(ctx, schema)
}

// newest is the number of the last migration.
func newest(schema fs.FS) (int64, error) {
	names, err := fs.Glob(schema, "*.sql")
	if err != nil {
		return 0, err
	}
	if len(names) == 0 {
		return 0, errors.New("no migrations")
	}
	number, _, _ := strings.Cut(names[len(names)-1], "_") // Glob sorts
	return strconv.ParseInt(number, 10, 64)
}

// current reports whether there is nothing left to do. It changes nothing, and
// refuses files that we must not change.
func (s *Store) current(ctx context.Context, latest int64) (bool, error) {
	var tables, ours int
	err := s.write.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(name = 'goose_db_version'), 0) FROM sqlite_schema WHERE type = 'table'`).Scan(&tables, &ours)
	switch {
	case err != nil:
		return false, err
	case tables == 0:
		return false, nil
	case ours == 0:
		return false, fmt.Errorf("%s is a database of another program; it was not changed; name another file", s.path)
	}
	var version int64
	var mode string
	err = s.write.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&version)
	if err == nil {
		err = s.write.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&mode)
	}
	switch {
	case err != nil:
		return false, err
	case version > latest:
		return false, fmt.Errorf("%w: %s has schema %d and this version knows up to %d; it was not changed; update trimtab", ErrNewer, s.path, version, latest)
	}
	tighten(s.path)
	return version == latest && mode == "wal", nil
}

// lock keeps other processes from changing the schema at the same time. SQLite's
// own lock on a file next to ours works alike on every system and ends with the
// process that holds it. The file stays: taking it away would race.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	name := s.path + ".lock"
	if err := private(name); err != nil {
		return nil, err
	}
	db, err := pool(name, 1, "_busy_timeout="+strconv.Itoa(int(slice.Milliseconds())), "_txlock=exclusive")
	if err != nil {
		return nil, err
	}
	tx, err := begin(ctx, db, s.busy)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("wait for another process to update the schema: %w", err), db.Close())
	}
	return func() { _ = errors.Join(tx.Rollback(), db.Close()) }, nil
}

// migrate brings the file up to date, each migration in a transaction.
func (s *Store) migrate(ctx context.Context, schema fs.FS) error {
	// The page size counts only while the file is empty.
	if _, err := s.write.ExecContext(ctx, "PRAGMA page_size = "+strconv.Itoa(pageSize)); err != nil {
		return err
	}
	var mode string
	if err := s.write.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("%s: the file system cannot share memory between processes (journal mode %s); put the file on a local disk", s.path, mode)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, s.write, schema, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("update the schema: %w", err)
	}
	return nil
}
