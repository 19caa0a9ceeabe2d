// Package postgres keeps sessions and improvements in a PostgreSQL database, for
// a team: several gateways use one database at once, on one machine or on many.
//
// It does what store/sqlite does, and the same suite says so. What Commit
// acknowledges survives a crash of the server, whatever the server's own setting
// for that is. Every call is one statement, so that a distant server costs one
// journey, and ends within a time limit even where the server hangs. A connection
// that breaks in the middle of a change leaves it unclear whether the change was
// made: the store looks, and answers as if nothing had happened where it can.
//
// It never puts a password into an error, never changes tables that are not its
// own, and never makes a database: it says how to.
//
//	store, err := postgres.Open(ctx, "postgres://trimtab@db.example/trimtab?sslmode=verify-full", postgres.Config{})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	s, err := store.Load(ctx, "demo")
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config sets how the database is used. The zero Config works.
type Config struct {
	Connections    int `json:"connections" default:"8" min:"1" max:"256" doc:"connections to the server at the same time"`
	Timeout        int `json:"timeout" default:"10000" min:"100" max:"600000" doc:"milliseconds that one thing may take"`
	ConnectTimeout int `json:"connectTimeout" default:"5000" min:"100" max:"120000" doc:"milliseconds to wait for the server to answer at first"`
}

// Store is an open database. It is safe for use by several goroutines.
type Store struct {
	name   string // the URL without what is secret
	secret []string
	limit  time.Duration
	pool   *pgxpool.Pool
	bell   bell
}

var _ trimtab.Archive = (*Store)(nil)

// IsURL reports whether a URL is one for this store.
func IsURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// Open connects to the database and brings its tables up to date where needed.
func Open(ctx context.Context, url string, cfg Config) (*Store, error) {
	return open(ctx, url, cfg, migrations())
}

func open(ctx context.Context, url string, cfg Config, schema fs.FS) (*Store, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s, conf, err := configure(url, cfg)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, conf); err != nil {
		return nil, fmt.Errorf("store: %w", s.explain(ctx, err))
	}
	err = s.ready(ctx, conf.ConnConfig, schema)
	if err == nil {
		err = s.renumber(ctx)
	}
	if err != nil {
		s.pool.Close()
		return nil, fmt.Errorf("open store: %w", s.explain(ctx, err))
	}
	return s, nil
}

// Look connects to the database, changes nothing, and reports whether its tables
// are there and up to date. It refuses what Open would refuse.
func Look(ctx context.Context, url string, cfg Config) (ready bool, err error) {
	cfg, err = settingtag.Fill(cfg)
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	s, conf, err := configure(url, cfg)
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, conf); err != nil {
		return false, fmt.Errorf("store: %w", s.explain(ctx, err))
	}
	defer s.pool.Close()
	latest, err := newest(migrations())
	if err == nil {
		ready, err = s.current(ctx, latest)
	}
	if err != nil {
		return false, fmt.Errorf("look at store: %w", s.explain(ctx, err))
	}
	return ready, s.Check(ctx)
}

// configure reads the URL.
func configure(text string, cfg Config) (*Store, *pgxpool.Config, error) {
	u, err := url.Parse(text)
	if err != nil || !IsURL(text) {
		// Neither the URL nor the parser's words about it may be shown: either may hold the password.
		return nil, nil, errors.New("store.url cannot be read; write it as postgres://USER@HOST/DATABASE?sslmode=verify-full, with odd characters of a password as %XX")
	}
	conf, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, nil, fmt.Errorf("store.url %s: it has a part that cannot be read, or names a file that is not there (sslrootcert, sslcert, sslkey, passfile, service)", shown(u))
	}
	s := &Store{name: shown(u), limit: time.Duration(cfg.Timeout) * time.Millisecond}
	s.secret = secrets(u, conf.ConnConfig.Password)
	conf.MaxConns = int32(cfg.Connections)
	if !u.Query().Has("connect_timeout") {
		conf.ConnConfig.ConnectTimeout = time.Duration(cfg.ConnectTimeout) * time.Millisecond
	}
	params := conf.ConnConfig.RuntimeParams
	for key, value := range map[string]string{
		"client_encoding":   "UTF8",
		"application_name":  "trimtab",
		"statement_timeout": strconv.Itoa(cfg.Timeout),
		"lock_timeout":      strconv.Itoa(cfg.Timeout),
		// One that is paused in a transaction must not hold up the others for ever.
		"idle_in_transaction_session_timeout": strconv.Itoa(cfg.Timeout),
	} {
		if _, set := params[key]; !set || key == "client_encoding" {
			params[key] = value
		}
	}
	conf.AfterConnect = durable
	return s, conf, nil
}

// durable sees to it that what the server acknowledges is on its disk. Stricter
// settings, as those that wait for a standby, stay.
func durable(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`)
	return err
}

// shown is a URL as it may be seen by anybody.
func shown(u *url.URL) string {
	out := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if name := u.User.Username(); name != "" {
		out.User = url.User(name)
	}
	if q := u.Query(); q.Get("host") != "" && u.Host == "" {
		out.RawQuery = url.Values{"host": q["host"]}.Encode()
	}
	return out.String()
}

// secrets are the words that no error may show, in each form that they come in.
func secrets(u *url.URL, password string) (out []string) {
	in, _ := u.User.Password()
	for _, s := range []string{password, in, u.Query().Get("password"), u.Query().Get("sslpassword")} {
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s), strings.TrimPrefix(url.UserPassword("", s).String(), ":")} {
			if form != "" {
				out = append(out, form)
			}
		}
	}
	return out
}

// Path returns where the database is: its URL without what is secret.
func (s *Store) Path() string { return s.name }

// Close lets go of all connections.
func (s *Store) Close() error {
	s.bell.mu.Lock()
	if s.bell.stop != nil {
		s.bell.stop()
	}
	s.bell.mu.Unlock()
	s.pool.Close()
	return nil
}

// Check asks the server whether it keeps its promises. It reads no table: a
// server sees to its own.
func (s *Store) Check(ctx context.Context) error {
	var synced, whole, standby bool
	err := s.read(ctx, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, `SELECT current_setting('fsync')::bool, current_setting('full_page_writes')::bool, pg_is_in_recovery()`).Scan(&synced, &whole, &standby)
	})
	switch {
	case err != nil:
	case standby:
		err = ErrReadOnly
	case !synced || !whole:
		return fmt.Errorf("check store: %s: the server's fsync or full_page_writes is off: a power cut may lose or damage everything; set both to on", s.name)
	}
	if err != nil {
		return fmt.Errorf("check store: %w", s.explain(ctx, err))
	}
	return nil
}
