package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
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

// versions is the table that tells which migrations are done. Other programs on
// the same database may have one of goose's usual name.
const versions = "trimtab_schema"

// migrating is the number of the lock that keeps two processes from changing the
// schema at once. It means nothing.
const migrating int64 = 0x7472696d746162

// ready sees to it that the tables are there, are ours, and are those that this
// version knows.
func (s *Store) ready(ctx context.Context, conf *pgx.ConnConfig, schema fs.FS) error {
	latest, err := newest(schema)
	if err != nil {
		return err
	}
	if current, err := s.current(ctx, latest); err != nil || current {
		return err
	}
	// The connections for this wait for others as long as it takes, and are two
	// whatever the limit for the rest is.
	conf = conf.Copy()
	conf.RuntimeParams["statement_timeout"], conf.RuntimeParams["lock_timeout"] = "0", "0"
	conf.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	db := stdlib.OpenDB(*conf, stdlib.OptionAfterConnect(durable))
	return errors.Join(s.update(ctx, db, latest, schema), db.Close())
}

func (s *Store) update(ctx context.Context, db *sql.DB, latest int64, schema fs.FS) error {
	lock, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer lock.Close() // and the lock with it: Close gives the connection back to db, which is closed next
	if _, err := lock.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, migrating); err != nil {
		return err
	}
	// Another process may have done it all while we waited.
	if current, err := s.current(ctx, latest); err != nil || current {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, schema, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()), goose.WithTableName(versions))
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("update the schema: %w", err)
	}
	return nil
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
// refuses what we must not change.
func (s *Store) current(ctx context.Context, latest int64) (bool, error) {
	var encoding, where string
	var theirs, ours, closed bool
	err := s.pool.QueryRow(ctx, `SELECT current_setting('server_encoding'), coalesce(current_schema(), ''), current_setting('transaction_read_only')::bool,
		to_regclass(format('%I.sessions', current_schema())) IS NOT NULL OR to_regclass(format('%I.improvements', current_schema())) IS NOT NULL,
		to_regclass(format('%I.trimtab_schema', current_schema())) IS NOT NULL`).Scan(&encoding, &where, &closed, &theirs, &ours)
	switch {
	case err != nil:
		return false, err
	case encoding != "UTF8":
		return false, fmt.Errorf("%s: the database keeps text as %s; make one that keeps UTF8", s.name, encoding)
	case where == "":
		return false, fmt.Errorf("%s: there is no schema to make tables in; check search_path", s.name)
	case !ours && theirs:
		return false, fmt.Errorf("%s: the schema %s has tables of another program; nothing was changed; give trimtab a database or a schema (search_path) of its own", s.name, where)
	case !ours && closed:
		return false, ErrReadOnly
	case !ours:
		return false, nil
	}
	var version int64
	if err := s.pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM `+versions+` WHERE is_applied`).Scan(&version); err != nil {
		return false, err
	}
	if version > latest {
		return false, fmt.Errorf("%w: %s has schema %d and this version knows up to %d; nothing was changed; update trimtab", ErrNewer, s.name, version, latest)
	}
	if version < latest && closed {
		return false, ErrReadOnly
	}
	return version == latest, nil
}
