package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/trimtab/trimtab"
)

// The errors of this store, next to those of the root.
var (
	ErrAway       = errors.New("the database server does not answer")
	ErrNoDatabase = errors.New("there is no such database")
	ErrDenied     = errors.New("the database server refuses")
	ErrReadOnly   = errors.New("read-only")
	ErrFull       = errors.New("disk full")
	ErrBusy       = errors.New("busy")
	ErrNewer      = errors.New("written by a newer trimtab")
)

// explain says what an error means for the database and what to do.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && !errors.Is(err, trimtab.ErrConflict) && !errors.Is(err, trimtab.ErrExists) {
		return ctx.Err()
	}
	return s.hush(s.meaning(err))
}

func (s *Store) meaning(err error) error {
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg):
		return s.refusal(pg, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %s: no answer within %v; check the server and the network (%w)", ErrAway, s.name, s.limit, err)
	case broken(err):
		return fmt.Errorf("%w: %s: check that it runs, and the name, the port and sslmode in store.url (%w)", ErrAway, s.name, err)
	case errors.Is(err, ErrReadOnly):
		return fmt.Errorf("%w: %s: it is a standby, or default_transaction_read_only is on; name the server that takes changes in store.url", err, s.name)
	}
	return err
}

// refusal is what the server itself says is wrong. Its codes are those of
// PostgreSQL's manual, appendix A.
func (s *Store) refusal(pg *pgconn.PgError, err error) error {
	switch {
	case pg.Code == "3D000":
		return fmt.Errorf("%w: %s: make it with createdb, or name another in store.url (%w)", ErrNoDatabase, s.name, err)
	case strings.HasPrefix(pg.Code, "28"):
		return fmt.Errorf("%w: %s: check the user and the password (%w)", ErrDenied, s.name, err)
	case pg.Code == "42501":
		return fmt.Errorf("%w: %s: the user may not do that; give it CREATE on the schema once, and its tables (%w)", ErrDenied, s.name, err)
	case pg.Code == "25006":
		return fmt.Errorf("%w: %s: it is a standby, or default_transaction_read_only is on; nothing was lost (%w)", ErrReadOnly, s.name, err)
	case pg.Code == "53100":
		return fmt.Errorf("%w: %s (%w); free some space on the server and try again, nothing was lost", ErrFull, s.name, err)
	case pg.Code == "53300":
		return fmt.Errorf("%w: %s: it takes no more connections; lower store.postgres.connections, or raise the server's max_connections (%w)", ErrBusy, s.name, err)
	case pg.Code == "57014" || pg.Code == "55P03" || pg.Code == "40001" || pg.Code == "40P01":
		return fmt.Errorf("%w: %s: gave up after %v; try again (%w)", ErrBusy, s.name, s.limit, err)
	case strings.HasPrefix(pg.Code, "57P") || strings.HasPrefix(pg.Code, "08"):
		return fmt.Errorf("%w: %s: it is stopping or starting; try again (%w)", ErrAway, s.name, err)
	case strings.HasPrefix(pg.Code, "XX00"):
		return fmt.Errorf("%w: %s: see the server's log, and restore a backup (%w)", trimtab.ErrDamaged, s.name, err)
	case pg.Code == "54000":
		return fmt.Errorf("%w for %s (%w)", trimtab.ErrTooLarge, s.name, err)
	case pg.Code == "42P01":
		return fmt.Errorf("%s: a table is gone while in use; start again to make it anew (%w)", s.name, err)
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// broken reports whether a connection could not be made or did not last, so that
// it is unclear what became of a change.
func broken(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return strings.HasPrefix(pg.Code, "57P") || strings.HasPrefix(pg.Code, "08")
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "conn closed")
}

// hushed is an error whose text had something secret in it, or several lines.
type hushed struct {
	text string
	is   error
}

func (h hushed) Error() string        { return h.text }
func (h hushed) Is(target error) bool { return errors.Is(h.is, target) }

// hush takes secrets out of an error, and makes one line of it. What is inside
// can still be told apart, and no longer be had.
func (s *Store) hush(err error) error {
	text := err.Error()
	if strings.Contains(text, "\n") {
		text = strings.Join(strings.Fields(text), " ")
	}
	for _, secret := range s.secret {
		text = strings.ReplaceAll(text, secret, "xxxxx")
	}
	if text == err.Error() {
		return err
	}
	return hushed{text, err}
}

func none(err error) bool { return errors.Is(err, pgx.ErrNoRows) }
