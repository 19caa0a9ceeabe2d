package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// grace is how long a change that is under way goes on after its caller has left:
// long enough to learn what became of it, and no longer where the server hangs.
const grace = 250 * time.Millisecond

// read does something that changes nothing, once more if the connection breaks.
func (s *Store) read(ctx context.Context, do func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	once := func() error {
		ctx, cancel := context.WithTimeout(ctx, s.limit)
		defer cancel()
		return do(ctx)
	}
	err := once()
	if again(ctx, err) {
		err = once()
	}
	return err
}

// write does something that changes the database, once more if the connection
// breaks. Unclear says that it may have been done the first time.
func (s *Store) write(ctx context.Context, do func(ctx context.Context, conn *pgxpool.Conn, unclear bool) error) error {
	err := s.once(ctx, do, false)
	if again(ctx, err) {
		err = s.once(ctx, do, true)
	}
	if err == nil {
		s.changed()
	}
	return err
}

// again reports whether a second try can help.
func again(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && broken(err) && !errors.Is(err, context.DeadlineExceeded)
}

func (s *Store) once(ctx context.Context, do func(ctx context.Context, conn *pgxpool.Conn, unclear bool) error, unclear bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	conn, err := s.pool.Acquire(waiting)
	if err != nil {
		return err
	}
	defer conn.Release()
	working, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-working.Done():
		}
	})
	defer stop()
	return do(working, conn, unclear)
}
