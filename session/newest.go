package session

import (
	"context"
	"iter"

	"github.com/trimtab/trimtab"
)

// Lister is the part of a store that sessions are looked for in.
type Lister interface {
	List(ctx context.Context, q trimtab.Query) iter.Seq2[trimtab.Info, error]
}

// Newest finds the newest session that a query picks and that no sub-agent had. fits
// may pass over more; nil passes over none. Where the query names a folder, a session of
// that folder goes before one of another clone of its repository: who works in two of
// them means the one they are in. The error is trimtab.ErrNotFound where there is none.
func Newest(ctx context.Context, in Lister, q trimtab.Query, fits func(trimtab.Info) bool) (trimtab.Info, error) {
	var elsewhere trimtab.Info
	for info, err := range in.List(ctx, q) {
		if err != nil {
			return trimtab.Info{}, err
		}
		if info.Parent != "" || fits != nil && !fits(info) {
			continue
		}
		if q.Project == "" || info.Project == q.Project {
			return info, nil
		}
		if elsewhere.ID == "" {
			elsewhere = info
		}
	}
	if elsewhere.ID != "" {
		return elsewhere, nil
	}
	return trimtab.Info{}, trimtab.ErrNotFound
}
