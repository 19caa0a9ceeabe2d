// Package db opens the SQLite files of other programs for reading, and leaves no
// trace: it changes no byte of them and makes no file beside them, whether their
// owner is running, has ended, or was killed with all its data still in the log.
//
// It knows no host's tables. It never writes, and never waits longer for a writer
// than the caller's context and two seconds.
//
//	file, err := db.Open(ctx, path)
//	if err != nil {
//		return err
//	}
//	defer file.Close()
//	rows, err := file.QueryContext(ctx, `SELECT id FROM session`)
package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	driver "modernc.org/sqlite"
)

// File is an open file.
type File struct {
	*sql.DB
	copy string // the folder of a private copy, if one was needed
}

// magic is how every SQLite file begins.
const magic = "SQLite format 3\x00"

// isDatabase reports whether a file that begins so is one of SQLite's.
func isDatabase(head []byte) bool { return strings.HasPrefix(string(head), magic) }

// Open opens a file. A database in which a log is used needs care:
//
//   - With a log and its index beside it, its owner may be at work: it is read
//     where it lies, under the owner's locks.
//   - With a log and no index, its owner is gone. Reading would make an index, so
//     a private copy of both is read.
//   - Without a log nothing is waiting: the file alone is read, and nothing made.
func Open(ctx context.Context, path string) (*File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	logged, err := usesLog(path)
	if err != nil {
		return nil, err
	}
	f := &File{}
	mode := "ro"
	switch {
	case !logged:
	case size(path+"-wal") <= 0:
		mode = "ro&immutable=1"
	case size(path+"-shm") < 0:
		if f.copy, err = snapshot(path); err != nil {
			return nil, fmt.Errorf("copy %s for reading: %w", path, err)
		}
		path, mode = filepath.Join(f.copy, copyName), "rw"
	}
	uri := url.URL{Scheme: "file", Path: slashed(path), RawQuery: "mode=" + mode + "&_pragma=busy_timeout(2000)&_pragma=query_only(1)&_pragma=trusted_schema(0)"}
	connector, err := driver.NewConnector(uri.String())
	if err == nil {
		f.DB = sql.OpenDB(connector)
		f.SetMaxOpenConns(4)
		err = f.PingContext(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), f.Close())
	}
	return f, nil
}

// Close closes the file and removes a private copy.
func (f *File) Close() error {
	var err error
	if f.DB != nil {
		err = f.DB.Close()
	}
	if f.copy != "" {
		err = errors.Join(err, os.RemoveAll(f.copy))
	}
	return err
}

// Has reports whether the file has a table with these columns. A view, a virtual table
// and a table with computed columns are none: reading one runs what the file says, and
// a file of a few kilobytes can say what never ends. Readers name no table that they
// have not asked for here.
func (f *File) Has(ctx context.Context, table string, columns ...string) (bool, error) {
	var n int
	const plain = `SELECT count(*) FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type = 'table' AND rootpage > 0
		AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(sqlite_schema.name) WHERE hidden IN (2, 3))`
	if err := f.QueryRowContext(ctx, plain, table).Scan(&n); err != nil || n == 0 {
		return false, err
	}
	for _, column := range columns {
		var n int
		if err := f.QueryRowContext(ctx, `SELECT count(*) FROM pragma_table_info(?) WHERE name = ?`, table, column).Scan(&n); err != nil || n == 0 {
			return false, err
		}
	}
	return true, nil
}

// OnlyTables reports whether the file holds tables and their indexes alone, and triggers
// whose text has one of these sums: opening a store changes it, and a trigger would run.
func (f *File) OnlyTables(ctx context.Context, triggers ...string) (bool, error) {
	rows, err := f.QueryContext(ctx, `SELECT type, coalesce(sql, '') FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR type = 'table' AND rootpage = 0`)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		var kind, text string
		if err := rows.Scan(&kind, &text); err != nil {
			return false, err
		}
		if kind != "trigger" || !slices.Contains(triggers, fmt.Sprintf("%x", sha256.Sum256([]byte(text)))) {
			return false, nil
		}
	}
	return true, rows.Err()
}

// usesLog reports whether a database is in the mode in which changes go to a log.
func usesLog(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, 20)
	if _, err := io.ReadFull(f, head); err != nil || !isDatabase(head) {
		return false, fmt.Errorf("%s is no SQLite file", path)
	}
	return head[18] == 2 || head[19] == 2, nil
}

// size is a file's size, -1 if there is none.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// copyName is the name of a private copy in its folder.
const copyName = "copy.db"

// Copy makes a private copy of a database and its log. Remove takes it away.
func Copy(path string) (name string, remove func() error, err error) {
	dir, err := snapshot(path)
	if err != nil {
		return "", nil, fmt.Errorf("copy %s for reading: %w", path, err)
	}
	return filepath.Join(dir, copyName), func() error { return os.RemoveAll(dir) }, nil
}

// snapshot copies a database and its log to a private folder. Where they changed
// meanwhile, it begins again.
func snapshot(path string) (string, error) {
	dir, err := os.MkdirTemp("", "trimtab-read-*")
	if err != nil {
		return "", err
	}
	for range 5 {
		before := stamp(path)
		err = copyFile(path, filepath.Join(dir, copyName))
		if err == nil && size(path+"-wal") >= 0 {
			err = copyFile(path+"-wal", filepath.Join(dir, copyName+"-wal"))
		}
		if err == nil && stamp(path) == before {
			return dir, nil
		}
	}
	if err == nil {
		err = errors.New("it keeps changing; try again when its owner rests")
	}
	return "", errors.Join(err, os.RemoveAll(dir))
}

func stamp(path string) string {
	out := ""
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			out += fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano(), " ")
		}
	}
	return out
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// slashed is a path as it stands in a file URI.
func slashed(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	return path
}
