package row

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// Commit is a change to a session as rows.
type Commit struct {
	ID               string
	Version          int // that it makes
	Step             int
	Host, Project    string
	User, Repo       string
	Model            string
	Title, Parent    string
	Created, Updated string
	State            string
	First            int // number of the first message
	Messages         []Said
	Entries          []Entry // without their numbers
}

// Said is a message as a row.
type Said struct{ ID, Role, Origin, Body string }

// Entry is a line of the journal as a row.
type Entry struct{ At, Kind, Body string }

// OfCommit makes rows of a change. The session gets its next version.
func OfCommit(c trimtab.Commit) (Commit, error) {
	c.Session.Version++
	s := c.Session
	r := Commit{
		ID: s.ID, Version: s.Version, Step: s.Step, Host: s.Host, Project: s.Project, User: s.User, Repo: s.Repo, Model: s.Model, Title: s.Title, Parent: s.Parent,
		Created: Stamp(s.Created), Updated: Stamp(s.Updated), First: s.Seq - len(c.Messages) + 1,
		Messages: make([]Said, 0, len(c.Messages)), Entries: make([]Entry, 0, len(c.Entries)),
	}
	if r.First < 1 {
		return r, fmt.Errorf("%d messages, but the session counts %d", len(c.Messages), s.Seq)
	}
	state, err := s.MarshalJSON()
	if err != nil {
		return r, err
	}
	r.State = string(state)
	for _, m := range c.Messages {
		body, err := m.MarshalJSON()
		if err != nil {
			return r, err
		}
		r.Messages = append(r.Messages, Said{m.ID, string(m.Role), m.From, string(body)})
	}
	for i, e := range c.Entries {
		e.Seq = 0 // the row has it
		body, err := e.MarshalJSON()
		if err != nil {
			return r, fmt.Errorf("entry %d: %w", i+1, err)
		}
		r.Entries = append(r.Entries, Entry{Stamp(e.At), Kind(e.Event), string(body)})
	}
	return r, nil
}

// New reports whether the session begins with this change.
func (r Commit) New() bool { return r.Version == 1 }

// Kind is the name of an event: said, calling, …
func Kind(ev trimtab.Event) string {
	name := fmt.Sprintf("%T", ev)
	return strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
}
