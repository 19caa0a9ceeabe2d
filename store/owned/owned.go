// Package owned gives one user their own part of a store that others use too. It is
// the one place that decides whose session is whose: every surface looks sessions up
// through it, so that "this folder's newest session" is the user's own, and another's
// can neither be read nor changed without a role that allows it.
//
// It knows no settings and no forge: who the user is, and which repository lies in a
// folder, it is told. It is no boundary against whoever has the password of the
// database: see SECURITY.md.
//
//	mine, err := owned.New(store, owned.Options{User: "ann", Shared: true, Repo: repositoryOf})
//	for info, err := range mine.List(ctx, trimtab.Query{Project: folder}) {
//		… // ann's, of the repository in that folder
//	}
package owned

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/trimtab/trimtab"
)

// ErrForbidden is a session of another user's.
var ErrForbidden = errors.New("belongs to another user")

// Role is what a user may do with sessions of others. Each role may do what those
// before it may.
type Role string

// The roles, the least one first.
const (
	Use     Role = "use"   // their own sessions only
	View    Role = "view"  // read those of others
	Steer   Role = "steer" // change those of others
	Approve Role = "approve"
)

// AtLeast reports whether the role may do what another may.
func (r Role) AtLeast(other Role) bool {
	order := []Role{Use, View, Steer, Approve}
	return slices.Index(order, r) >= slices.Index(order, other)
}

// Everyone names all users where one can be named.
const Everyone = "all"

// Options say whose part of the store it is.
type Options struct {
	User   string                     // whose sessions these are; "" is a person who has the store alone
	Role   Role                       // what they may do with those of others; "" is Use
	Show   string                     // whose sessions are listed, where it is not the user: a name, or Everyone
	Serves bool                       // a gateway for others: a new session is whose it says, and those of a user can be asked for
	Shared bool                       // a server: a session of nobody is listed for nobody, and is whose who knows its id
	Repo   func(folder string) string // the repository in a folder, "" where none is known; nil knows none
	// Content is a change as it is to be stored; nil stores all of it. See package content.
	Content func(trimtab.Commit) trimtab.Commit
}

// Store is a user's part of a store. It is safe for use by several goroutines.
type Store struct {
	trimtab.Archive
	opt Options

	mu    sync.Mutex
	known map[string]bool // ids of sessions that may be read
}

// maxKnown bounds the ids that are remembered; they are asked for again afterwards.
const maxKnown = 10_000

// New returns a user's part of a store, or ErrForbidden where they ask for that of
// somebody else and their role does not allow it.
func New(st trimtab.Archive, opt Options) (*Store, error) {
	if opt.Role == "" {
		opt.Role = Use
	}
	if opt.Show != "" && opt.Show != opt.User && opt.User != "" && !opt.Role.AtLeast(View) {
		return nil, fmt.Errorf("sessions of %s: %w: you are %s, and the role %q shows only your own (user.role)", opt.Show, ErrForbidden, opt.User, opt.Role)
	}
	return &Store{Archive: st, opt: opt, known: map[string]bool{}}, nil
}

// User is whose part it is.
func (s *Store) User() string { return s.opt.User }

// Load returns the session, if the user may read it.
func (s *Store) Load(ctx context.Context, id string) (trimtab.Session, error) {
	session, err := s.Archive.Load(ctx, id)
	if err != nil {
		return session, err
	}
	if err := s.may(session.Info, View); err != nil {
		return trimtab.Session{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= maxKnown {
		clear(s.known)
	}
	s.known[id] = true
	return session, nil
}

// Commit stores the change. A new session is the user's; so is one of nobody that they
// change. The repository is found when the folder is known.
func (s *Store) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	c, err := s.own(c)
	if err != nil {
		return 0, err
	}
	return s.Archive.Commit(ctx, c)
}

// CommitAll stores the changes of several sessions at once, where the store can; else it
// is errors.ErrUnsupported.
func (s *Store) CommitAll(ctx context.Context, all []trimtab.Commit) ([]int, error) {
	many, ok := s.Archive.(interface {
		CommitAll(ctx context.Context, all []trimtab.Commit) ([]int, error)
	})
	if !ok {
		return nil, errors.ErrUnsupported
	}
	mine := make([]trimtab.Commit, len(all))
	for i, c := range all {
		var err error
		if mine[i], err = s.own(c); err != nil {
			return nil, err
		}
	}
	return many.CommitAll(ctx, mine)
}

// own is a change with the user and the repository in it, if the user may make it.
func (s *Store) own(c trimtab.Commit) (trimtab.Commit, error) {
	switch info := &c.Session.Info; {
	case s.opt.User == "": // has the store alone
	case c.Session.Version == 0 && info.User != "" && s.opt.Serves: // a caller's
	case c.Session.Version == 0: // whoever brings it in, as from a file, is its owner
		info.User = s.opt.User
	case info.User == "":
		info.User = s.opt.User
	default:
		if err := s.may(*info, Steer); err != nil {
			return c, err
		}
	}
	if c.Session.Repo == "" {
		c.Session.Repo = s.repo(c.Session.Project)
	}
	if s.opt.Content != nil {
		c = s.opt.Content(c)
	}
	return c, nil
}

// Version is that of a session, without reading it where the store can. Whoever asks has
// loaded it.
func (s *Store) Version(ctx context.Context, id string) (int, error) {
	if v, ok := s.Archive.(interface {
		Version(ctx context.Context, id string) (int, error)
	}); ok {
		return v.Version(ctx, id)
	}
	session, err := s.Archive.Load(ctx, id)
	return session.Version, err
}

// List returns the user's sessions that q picks. Those of a folder are those of the
// repository in it, and never those of another repository that lay in the same folder
// somewhere else.
func (s *Store) List(ctx context.Context, q trimtab.Query) iter.Seq2[trimtab.Info, error] {
	if q.Project != "" && q.Repo == "" {
		q.Repo = s.repo(q.Project)
	}
	switch show := s.opt.Show; {
	case s.opt.Serves && len(q.Users) > 0:
	case show == Everyone:
	case show != "":
		q.Users = []string{show}
	case s.opt.User == "": // has the store alone
	case s.opt.Shared:
		q.Users = []string{s.opt.User}
	default: // a file from before there were users
		q.Users = []string{s.opt.User, ""}
	}
	return s.Archive.List(ctx, q)
}

// Messages returns the session's messages in order, if the user may read it.
func (s *Store) Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error] {
	if err := s.readable(ctx, id); err != nil {
		return failed[trimtab.Message](err)
	}
	return s.Archive.Messages(ctx, id, after)
}

// Journal returns the session's journal in order, if the user may read it.
func (s *Store) Journal(ctx context.Context, id string, after int) iter.Seq2[trimtab.Entry, error] {
	if err := s.readable(ctx, id); err != nil {
		return failed[trimtab.Entry](err)
	}
	return s.Archive.Journal(ctx, id, after)
}

// Remove forgets a session that the user may change.
func (s *Store) Remove(ctx context.Context, id string) error {
	if err := s.removable(ctx, id); err != nil {
		return err
	}
	return s.Archive.Remove(ctx, id)
}

// RemoveAll forgets sessions, many at once where the store can. Where the user may not
// change one of them, it removes none.
func (s *Store) RemoveAll(ctx context.Context, ids []string) (int, error) {
	for _, id := range ids {
		if err := s.removable(ctx, id); err != nil {
			return 0, err
		}
	}
	if many, ok := s.Archive.(interface {
		RemoveAll(context.Context, []string) (int, error)
	}); ok {
		return many.RemoveAll(ctx, ids)
	}
	for i, id := range ids {
		if err := s.Archive.Remove(ctx, id); err != nil {
			return i, err
		}
	}
	return len(ids), nil
}

// may reports why the user may not do something with a session.
func (s *Store) may(info trimtab.Info, need Role) error {
	if s.opt.User == "" || info.User == "" || info.User == s.opt.User || s.opt.Role.AtLeast(need) {
		return nil
	}
	return fmt.Errorf("session %s: %w (%s): you are %s, and that takes the role %q (user.role)", info.ID, ErrForbidden, info.User, s.opt.User, need)
}

// MayApprove reports why the user may not decide which improvements become work. In a file
// of their own they may.
func (s *Store) MayApprove() error {
	if !s.opt.Shared || s.opt.Role.AtLeast(Approve) {
		return nil
	}
	return fmt.Errorf("you are %s with the role %q, and that takes the role %q (user.role)", s.opt.User, s.opt.Role, Approve)
}

// readable is may for a session of which only the id is known.
func (s *Store) readable(ctx context.Context, id string) error {
	s.mu.Lock()
	known := s.known[id]
	s.mu.Unlock()
	if known || s.opt.User == "" || s.opt.Role.AtLeast(View) {
		return nil
	}
	_, err := s.Load(ctx, id)
	if errors.Is(err, ErrForbidden) {
		return err
	}
	return nil // what else is wrong, whoever reads it says
}

func (s *Store) removable(ctx context.Context, id string) error {
	if s.opt.User == "" || s.opt.Role.AtLeast(Steer) {
		return nil
	}
	session, err := s.Archive.Load(ctx, id)
	if err != nil {
		return nil // the removal says what is wrong, and a damaged one can be removed
	}
	return s.may(session.Info, Steer)
}

func (s *Store) repo(folder string) string {
	if s.opt.Repo == nil || folder == "" {
		return ""
	}
	return s.opt.Repo(folder)
}

func failed[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}
