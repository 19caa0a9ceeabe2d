package trimtab

import (
	"context"
	"iter"
	"time"
)

// Entry is one line of a session's journal: an event and what came of it. A
// journal replayed through the same engine gives the same session.
type Entry struct {
	Seq     int       // its number in the session's journal, from 1
	At      time.Time // the time that Step was given
	Event   Event     // Said refers to its message by id only
	Actions []Taken
	Changes []Change
	Faults  []Fault
}

// Commit is one change to a session: all of it is stored, or nothing.
type Commit struct {
	Session  Session   // its Version is the one it was loaded with; 0 is a new session
	Messages []Message // said since then, in order; the last one is number Session.Seq
	Entries  []Entry   // in order; numbered by the store
}

// Store keeps sessions. Commit returns ErrConflict when the stored session is
// not of the version that the change began with, and the new version otherwise.
// What it acknowledges survives a crash and a power cut.
type Store interface {
	Load(ctx context.Context, id string) (Session, error)
	Commit(ctx context.Context, c Commit) (version int, err error)
}

// Archive is a Store that can be looked through. After skips what has a number
// up to that one.
type Archive interface {
	Store
	List(ctx context.Context, q Query) iter.Seq2[Info, error]
	Messages(ctx context.Context, id string, after int) iter.Seq2[Message, error]
	Journal(ctx context.Context, id string, after int) iter.Seq2[Entry, error]
	Remove(ctx context.Context, id string) error
}

// Query picks sessions, newest first. The zero Query picks all.
type Query struct {
	Project, Repo, Host string    // only those of this folder (with Repo: of this repository wherever it lies, and of this folder where none is known), of this host
	Users               []string  // only those of these users; "" is nobody's
	Before              time.Time // only those last updated before
	Limit               int       // at most so many; 0 is no limit
}
