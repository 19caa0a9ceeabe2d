// Package opencode reads the sessions that opencode keeps in its SQLite database, and
// the JSON that "opencode export" writes of one of them (ReadExport).
//
// A session is rows of messages and of their parts. Open changes nothing, also
// while opencode is at work; Read returns the conversation, with the results of
// tools behind the reply that asked for them. Text that opencode itself put into a
// prompt is the Host's. A sub-agent's conversation is a session of its own, with a
// parent: read it with Options.Side.
//
// A row that is not as it should be is a transcript.Damaged, and the next one is
// read.
//
//	file, err := opencode.Open(ctx, path)
//	if err != nil {
//		return err
//	}
//	defer file.Close()
//	for info, err := range file.Sessions(ctx) {
//		for item, err := range file.Read(ctx, info.ID, transcript.Options{}) {
//			…
//		}
//	}
package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/db"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// Host is the name of the sessions' host.
const Host = "opencode"

// Source is an open database.
type Source struct{ file *db.File }

var _ transcript.Source = (*Source)(nil)

// Open opens a database for reading.
func Open(ctx context.Context, path string) (*Source, error) {
	file, err := db.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Source{file: file}
	if ok, err := s.mine(ctx); err != nil || !ok {
		if err == nil {
			err = fmt.Errorf("%s is not a database of opencode", path)
		}
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

func (s *Source) mine(ctx context.Context) (bool, error) {
	for table, columns := range map[string][]string{
		"session": {"id", "parent_id", "directory", "title", "time_created", "time_updated", "revert"},
		"message": {"id", "session_id", "time_created", "data"},
		"part":    {"id", "message_id", "data"},
	} {
		if ok, err := s.file.Has(ctx, table, columns...); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// Close closes the database.
func (s *Source) Close() error { return s.file.Close() }

// Sessions lists the sessions, newest first.
func (s *Source) Sessions(ctx context.Context) iter.Seq2[trimtab.Info, error] {
	return func(yield func(trimtab.Info, error) bool) {
		rows, err := s.file.QueryContext(ctx, `SELECT id, coalesce(parent_id, ''), coalesce(directory, ''), coalesce(title, ''), coalesce(time_created, 0), coalesce(time_updated, 0)
			FROM session ORDER BY time_updated DESC, id`)
		if err != nil {
			yield(trimtab.Info{}, fmt.Errorf("list sessions: %w", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			info := trimtab.Info{Host: Host}
			var created, updated int64
			if err := rows.Scan(&info.ID, &info.Parent, &info.Project, &info.Title, &created, &updated); err != nil {
				if !yield(info, transcript.Damaged{Row: info.ID, Text: "it is not a session"}) {
					return
				}
				continue
			}
			info.Created, info.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
			if !yield(info, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(trimtab.Info{}, fmt.Errorf("list sessions: %w", err))
		}
	}
}

// Read returns the messages of a session.
func (s *Source) Read(ctx context.Context, session string, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return feed.Run(opt, func(f *feed.Feed) error {
		r := &reader{Feed: f, file: s.file, session: session}
		revert, err := r.open(ctx)
		if err != nil || r.parent != "" && !f.Opt.Side {
			return err
		}
		ids, err := r.messages(ctx, revert)
		if err != nil {
			return err
		}
		for i, id := range ids {
			f.N = i + 1
			err := r.message(ctx, id)
			var d transcript.Damaged
			if errors.As(err, &d) {
				err = f.Damage(d)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// reader is one pass over a session.
type reader struct {
	*feed.Feed
	file                     *db.File
	session, parent, project string
}

// open reads who the session is, and from which message on it was taken back.
func (r *reader) open(ctx context.Context) (revert string, err error) {
	var raw sql.NullString
	err = r.file.QueryRowContext(ctx, `SELECT coalesce(parent_id, ''), coalesce(directory, ''), revert FROM session WHERE id = ?`, r.session).Scan(&r.parent, &r.project, &raw)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("session %s: %w", r.session, trimtab.ErrNotFound)
	}
	if err != nil {
		return "", fmt.Errorf("session %s: %w", r.session, err)
	}
	if !raw.Valid || r.Opt.Branches {
		return "", nil
	}
	revert, _ = jsonscan.String(jsonscan.FindFirst([]byte(raw.String), "messageID"))
	return revert, nil
}

// messages lists the messages that stand. Ids rise with time.
func (r *reader) messages(ctx context.Context, revert string) ([]string, error) {
	rows, err := r.file.QueryContext(ctx, `SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id`, r.session)
	if err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("messages: %w", err)
		}
		if id == revert {
			break
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
