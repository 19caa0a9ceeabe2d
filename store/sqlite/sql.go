package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/row"
)

// All SQL that touches sessions is here. It keeps to what PostgreSQL reads too.
const (
	sqlLoad    = `SELECT state FROM sessions WHERE id = $1`
	sqlVersion = `SELECT version FROM sessions WHERE id = $1`
	sqlExists  = `SELECT count(*) FROM sessions WHERE id = $1`
	sqlRemove  = `DELETE FROM sessions WHERE id = $1`

	sqlInsert = `INSERT INTO sessions (id, version, host, project, model, title, parent, step, created, updated, state, owner, repo)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (id) DO NOTHING`
	// A session that was removed and begun again under its id is another one,
	// even if it has come to the same version: created tells them apart.
	sqlUpdate = `UPDATE sessions SET version = $2, host = $3, project = $4, model = $5, title = $6, parent = $7, step = $8,
		updated = $10, state = $11, owner = $12, repo = $13 WHERE id = $1 AND version = $2 - 1 AND created = $9`

	sqlLast = `SELECT (SELECT coalesce(max(seq), 0) FROM messages WHERE session = $1),
		(SELECT coalesce(max(seq), 0) FROM journal WHERE session = $1),
		(SELECT coalesce(max(seq), 0) FROM changes WHERE kind = 'session' AND id = $1)`
	sqlMessage = `INSERT INTO messages (session, seq, id, role, origin, body) VALUES ($1, $2, $3, $4, $5, $6)`
	sqlEntry   = `INSERT INTO journal (session, seq, at, kind, body, change) VALUES ($1, $2, $3, $4, $5, $6)`

	sqlList = `SELECT id, host, owner, project, repo, model, title, parent, created, updated FROM sessions`
)

// lines is a table of what is stored by session and number.
type lines string

const (
	messages lines = "messages"
	journal  lines = "journal"
)

// word is what one of the lines is called.
func (l lines) word() string {
	if l == messages {
		return "message"
	}
	return "journal entry"
}

// chunk reads the next lines, after finds the number of the next one without
// reading it, and one reads a single line.
func (l lines) chunk() string {
	return `SELECT seq, body FROM ` + string(l) + ` WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`
}

func (l lines) after() string {
	return `SELECT coalesce(min(seq), 0) FROM ` + string(l) + ` WHERE session = $1 AND seq > $2`
}

func (l lines) one() string {
	return `SELECT body FROM ` + string(l) + ` WHERE session = $1 AND seq = $2`
}

// list is the query for the sessions that q picks, newest first.
func list(q trimtab.Query) (text string, args []any) {
	var where []string
	add := func(cond string, arg any) {
		args = append(args, arg)
		where = append(where, fmt.Sprintf("%s $%d", cond, len(args)))
	}
	switch {
	case q.Repo != "" && q.Project != "": // what is not known to be another repository's
		args = append(args, q.Repo, q.Project)
		where = append(where, "(repo = $1 OR repo = '' AND project = $2)")
	case q.Repo != "":
		add("repo =", q.Repo)
	case q.Project != "":
		add("project =", q.Project)
	}
	if len(q.Users) > 0 {
		var marks []string
		for _, user := range q.Users {
			args = append(args, user)
			marks = append(marks, fmt.Sprintf("$%d", len(args)))
		}
		where = append(where, "owner IN ("+strings.Join(marks, ", ")+")")
	}
	if q.Host != "" {
		add("host =", q.Host)
	}
	if !q.Before.IsZero() {
		add("updated <", row.Stamp(q.Before))
	}
	text = sqlList
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	text += " ORDER BY updated DESC, id"
	if q.Limit > 0 {
		args = append(args, q.Limit)
		text += fmt.Sprintf(" LIMIT $%d", len(args))
	}
	return text, args
}

// statements are those that run all the time, compiled once.
type statements struct {
	load, version, insert, update, last, message, entry *sql.Stmt
	chunk                                               map[lines]*sql.Stmt
}

func prepare(ctx context.Context, write, read *sql.DB) (on statements, err error) {
	on.chunk = map[lines]*sql.Stmt{}
	prep := func(db *sql.DB, text string) *sql.Stmt {
		if err != nil {
			return nil
		}
		var st *sql.Stmt
		st, err = db.PrepareContext(ctx, text)
		return st
	}
	on.load, on.version = prep(read, sqlLoad), prep(read, sqlVersion)
	on.insert, on.update = prep(write, sqlInsert), prep(write, sqlUpdate)
	on.last, on.message, on.entry = prep(write, sqlLast), prep(write, sqlMessage), prep(write, sqlEntry)
	for _, l := range []lines{messages, journal} {
		on.chunk[l] = prep(read, l.chunk())
	}
	return on, err
}
