package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/transcript/all"
)

// otherStore takes in the sessions of another store of ours, as they are. It reads a
// copy: opening a store may bring it up to date.
func (im Importer) otherStore(ctx context.Context, path string, opt Options) (out []Result) {
	name, remove, err := all.Copy(path)
	if err != nil {
		return []Result{{Err: err}}
	}
	defer func() {
		if err := remove(); err != nil {
			out = append(out, Result{Err: err})
		}
	}()
	from, err := sqlite.Open(ctx, name, sqlite.Config{})
	if err != nil {
		return []Result{{Err: err}}
	}
	defer func() {
		if err := from.Close(); err != nil {
			out = append(out, Result{Err: err})
		}
	}()
	var ids []string
	for info, err := range from.List(ctx, trimtab.Query{}) {
		if err != nil {
			return append(out, Result{Err: err})
		}
		if opt.Only == "" || opt.Only == info.ID {
			ids = append(ids, info.ID)
		}
	}
	if opt.ID != "" && len(ids) != 1 {
		return []Result{{Err: fmt.Errorf("%w, and %d were found", ErrOneID, len(ids))}}
	}
	for _, id := range ids {
		r := im.stored(ctx, from, id, opt.ID)
		if r.Known && len(ids) > 1 { // in a store most sessions were there last time
			r.Err = nil
		}
		out = append(out, r)
	}
	return out
}

// stored takes in one session of another store of ours.
func (im Importer) stored(ctx context.Context, from trimtab.Archive, id, as string) Result {
	s, err := from.Load(ctx, id)
	if err != nil {
		return Result{Session: id, Err: err}
	}
	commit := trimtab.Commit{}
	for m, err := range from.Messages(ctx, id, 0) {
		if err != nil {
			return Result{Session: id, Err: err}
		}
		commit.Messages = append(commit.Messages, m)
	}
	for e, err := range from.Journal(ctx, id, 0) {
		if err != nil {
			return Result{Session: id, Err: err}
		}
		commit.Entries = append(commit.Entries, e)
	}
	s.ID, s.Version = cmp.Or(as, id), 0
	commit.Session = s
	r := Result{Host: s.Host, Session: s.ID, Messages: s.Seq, Title: s.Title}
	_, r.Err = im.Store.Commit(ctx, commit)
	if errors.Is(r.Err, trimtab.ErrExists) || errors.Is(r.Err, trimtab.ErrConflict) {
		r.Known, r.Err = true, fmt.Errorf("session %s %w", s.ID, trimtab.ErrExists)
	}
	return r
}
