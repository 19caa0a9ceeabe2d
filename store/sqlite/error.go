package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// The errors of this store, next to those of the root.
var (
	ErrFull     = errors.New("disk full")
	ErrReadOnly = errors.New("read-only")
	ErrBusy     = errors.New("in use by another process")
	ErrIO       = errors.New("cannot be read or written")
	ErrNewer    = errors.New("written by a newer trimtab")
	ErrMoved    = errors.New("moved or removed while in use")
)

// errStopped is a write after a damaged page was met.
var errStopped = errors.New("a part of it could not be read, so nothing is written to it")

// explain says what an error of SQLite means for the file and what to do.
func (s *Store) explain(ctx context.Context, err error) error {
	code, ok := codeOf(err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && (code == lib.SQLITE_INTERRUPT || code == lib.SQLITE_BUSY || errors.Is(err, sql.ErrTxDone)):
		return ctx.Err()
	case errors.Is(err, errStopped):
		return s.harmed(err)
	case errors.Is(err, ErrMoved):
		return fmt.Errorf("%w: %s: start again to use the file that is there now", err, s.path)
	case !ok:
		return err
	}
	switch code {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		s.damaged.Store(true)
		return s.harmed(err)
	case lib.SQLITE_FULL:
		return fmt.Errorf("%w: %s (%w); free some space and try again, nothing was lost", ErrFull, s.path, err)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_AUTH:
		return fmt.Errorf("%w: %s: make the file and its folder writable; nothing was lost (%w)", ErrReadOnly, s.path, err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("%w: %s: waited %v; try again (%w)", ErrBusy, s.path, s.busy, err)
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN:
		return fmt.Errorf("%w: %s: check the disk, its free space and who may read and write there (%w)", ErrIO, s.path, err)
	case lib.SQLITE_TOOBIG:
		return fmt.Errorf("%w for %s (%w)", trimtab.ErrTooLarge, s.path, err)
	}
	return fmt.Errorf("%s: %w", s.path, err)
}

func (s *Store) harmed(err error) error {
	return fmt.Errorf("%w: %s: it was not changed; restore a backup, or move the file away to start afresh (%w)", trimtab.ErrDamaged, s.path, err)
}

// codeOf returns SQLite's primary result code.
func codeOf(err error) (code int, ok bool) {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.Code() & 0xff, true
}

func isBusy(err error) bool {
	code, _ := codeOf(err)
	return code == lib.SQLITE_BUSY
}

func isDamaged(err error) bool {
	code, _ := codeOf(err)
	return code == lib.SQLITE_CORRUPT || code == lib.SQLITE_NOTADB
}
