package sqlite

import (
	"context"
	"fmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/row"
)

// CommitAll stores the changes of several sessions in one transaction: all of
// them, or none. It returns their new versions once they are on the disk. Pages
// that they share are written once, and the disk is waited for once.
func (s *Store) CommitAll(ctx context.Context, all []trimtab.Commit) ([]int, error) {
	rows, versions := make([]row.Commit, len(all)), make([]int, len(all))
	for i, c := range all {
		err := trimtab.CheckID(c.Session.ID)
		if err == nil {
			rows[i], err = row.OfCommit(c)
		}
		if err != nil {
			return nil, fmt.Errorf("commit session %s: %w", c.Session.ID, err)
		}
		versions[i] = rows[i].Version
	}
	tx, err := s.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("commit %d sessions: %w", len(all), s.explain(ctx, err))
	}
	at := context.WithoutCancel(ctx) // as in Commit
	for _, r := range rows {
		if err = s.put(at, tx, r); err != nil {
			_ = tx.Rollback() // as in Commit
			return nil, fmt.Errorf("commit session %s among %d: %w", r.ID, len(all), s.explain(ctx, err))
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("commit %d sessions: %w", len(all), s.explain(ctx, err))
	}
	return versions, nil
}
