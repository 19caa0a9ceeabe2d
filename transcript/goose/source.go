// Package goose reads the sessions that goose keeps in its SQLite database.
//
// A session is rows of messages, each with a list of contents. Open changes
// nothing, also while goose is at work. Only what a person could see of a prompt
// is a Person's: what goose shows to the model alone is the Host's. A sub-agent's
// conversation is a session of its own: read it with Options.Side.
//
// A row that is not as it should be is a transcript.Damaged, and the next one is
// read.
//
//	file, err := goose.Open(ctx, path)
//	if err != nil {
//		return err
//	}
//	defer file.Close()
//	for info, err := range file.Sessions(ctx) {
//		for item, err := range file.Read(ctx, info.ID, transcript.Options{}) {
//			…
//		}
//	}
package goose

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/db"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// Host is the name of the sessions' host.
const Host = "goose"

// Source is an open database.
type Source struct {
	file   *db.File
	parent string // what says which session started one
	kind   string // what says of which kind a session is
	meta   string // what is known beside a message
}

var _ transcript.Source = (*Source)(nil)

// Open opens a database for reading.
func Open(ctx context.Context, path string) (*Source, error) {
	file, err := db.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Source{file: file, parent: "''", kind: "''", meta: "NULL"}
	if err := s.look(ctx, path); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// look finds out which columns this version's tables have.
func (s *Source) look(ctx context.Context, path string) error {
	for table, columns := range map[string][]string{
		"sessions": {"id", "working_dir", "created_at", "updated_at"},
		"messages": {"id", "session_id", "role", "content_json", "created_timestamp"},
	} {
		ok, err := s.file.Has(ctx, table, columns...)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s is not a database of goose", path)
		}
	}
	for _, c := range []struct {
		table, column, as string
		to                *string
	}{
		{"sessions", "parent_session_id", "coalesce(parent_session_id, '')", &s.parent},
		{"sessions", "session_type", "coalesce(session_type, '')", &s.kind},
		{"messages", "metadata_json", "CAST(metadata_json AS BLOB)", &s.meta},
	} {
		ok, err := s.file.Has(ctx, c.table, c.column)
		if err != nil {
			return err
		}
		if ok {
			*c.to = c.as
		}
	}
	return nil
}

// Close closes the database.
func (s *Source) Close() error { return s.file.Close() }

// Sessions lists the sessions, newest first.
func (s *Source) Sessions(ctx context.Context) iter.Seq2[trimtab.Info, error] {
	return func(yield func(trimtab.Info, error) bool) {
		rows, err := s.file.QueryContext(ctx, `SELECT id, `+s.parent+`, `+s.kind+`, coalesce(working_dir, ''), coalesce(CAST(created_at AS TEXT), ''), coalesce(CAST(updated_at AS TEXT), '')
			FROM sessions ORDER BY updated_at DESC, id`)
		if err != nil {
			yield(trimtab.Info{}, fmt.Errorf("list sessions: %w", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			info := trimtab.Info{Host: Host}
			var kind, created, updated string
			if err := rows.Scan(&info.ID, &info.Parent, &kind, &info.Project, &created, &updated); err != nil {
				if !yield(info, transcript.Damaged{Row: info.ID, Text: "it is not a session"}) {
					return
				}
				continue
			}
			if info.Parent == "" && kind == "sub_agent" {
				info.Parent = "unknown"
			}
			info.Created, info.Updated = when(created), when(updated)
			if !yield(info, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(trimtab.Info{}, fmt.Errorf("list sessions: %w", err))
		}
	}
}

// when reads a time as SQLite writes it, which is in UTC.
func when(s string) time.Time {
	for _, form := range []string{time.DateTime, time.RFC3339Nano, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// Read returns the messages of a session.
func (s *Source) Read(ctx context.Context, session string, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return feed.Run(opt, func(f *feed.Feed) error {
		r := &reader{Feed: f, session: session}
		var parent, kind string
		err := s.file.QueryRowContext(ctx, `SELECT `+s.parent+`, `+s.kind+`, coalesce(working_dir, '') FROM sessions WHERE id = ?`, session).Scan(&parent, &kind, &r.project)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("session %s: %w", session, trimtab.ErrNotFound)
		case err != nil:
			return fmt.Errorf("session %s: %w", session, err)
		}
		if r.side = parent != "" || kind == "sub_agent"; r.side && !f.Opt.Side {
			return nil
		}
		return s.rows(ctx, r)
	})
}

// rows goes through the messages in their order. The ids are those of the table,
// which rise.
func (s *Source) rows(ctx context.Context, r *reader) error {
	rows, err := s.file.QueryContext(ctx, `SELECT CAST(id AS TEXT), role, coalesce(created_timestamp, 0), CASE WHEN length(CAST(content_json AS BLOB)) <= ? THEN CAST(content_json AS BLOB) END, `+s.meta+`
		FROM messages WHERE session_id = ? ORDER BY id`, r.Opt.MaxLine, r.session)
	if err != nil {
		return fmt.Errorf("messages: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		r.N++
		var w row
		bad := rows.Scan(&w.id, &w.role, &w.created, &w.content, &w.meta)
		switch {
		case bad != nil:
			bad = errors.New("it is not a message")
		case w.content == nil:
			bad = fmt.Errorf("it is empty or longer than %d bytes", r.Opt.MaxLine)
		default:
			bad = r.message(&w)
		}
		if errors.Is(bad, feed.ErrStopped) {
			return bad
		}
		if bad != nil {
			if err := r.Damage(transcript.Damaged{Line: r.N, Row: w.id, Text: bad.Error()}); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}
