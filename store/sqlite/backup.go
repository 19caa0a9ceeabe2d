package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
)

// Check reads the whole file and returns ErrDamaged with what is wrong in it. It
// changes nothing.
func (s *Store) Check(ctx context.Context) error {
	found, err := s.integrity(ctx)
	if err != nil {
		return fmt.Errorf("check store: %w", s.explain(ctx, err))
	}
	if len(found) == 1 && found[0] == "ok" {
		return nil
	}
	s.damaged.Store(true)
	return fmt.Errorf("check store: %w", s.harmed(errors.New(strings.Join(found, "; "))))
}

func (s *Store) integrity(ctx context.Context) (found []string, err error) {
	rows, err := s.read.QueryContext(ctx, "PRAGMA integrity_check(5)")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return found, err
		}
		found = append(found, line)
	}
	return found, rows.Err()
}

// Backup writes a copy of the store, as it stands now, to a file that is not
// there yet. Others may go on reading and writing meanwhile. To restore it, put
// it in the place of the file.
func (s *Store) Backup(ctx context.Context, to string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("back up %s to %s: %w", s.path, to, err)
		}
	}()
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%w; name a new file", trimtab.ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// A copy that was cut short must not look like a backup: it gets its name
	// when it is whole and on the disk.
	tmp, err := temp(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	if err := s.copyTo(ctx, tmp); err != nil {
		return s.explain(ctx, err)
	}
	if err := syncFile(tmp); err != nil {
		return err
	}
	if err := place(tmp, to); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w; name a new file", trimtab.ErrExists)
	} else if err != nil {
		return err
	}
	syncDir(filepath.Dir(to))
	return nil
}

// copyTo uses a connection of its own: those that only read may not do this, and
// the one that writes has other things to do.
func (s *Store) copyTo(ctx context.Context, path string) error {
	db, err := pool(s.path, 1, fmt.Sprintf("_busy_timeout=%d", s.busy/time.Millisecond))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO $1", path)
	return errors.Join(err, db.Close())
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
