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
// may pass over more; nil passes over none. The error is trimtab.ErrNotFound where there
// is none.
func Newest(ctx context.Context, in Lister, q trimtab.Query, fits func(trimtab.Info) bool) (trimtab.Info, error) {
	for info, err := range in.List(ctx, q) {
		if err != nil {
			return trimtab.Info{}, err
		}
		if info.Parent == "" && (fits == nil || fits(info)) {
			return info, nil
		}
	}
	return trimtab.Info{}, trimtab.ErrNotFound
}
