package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/config"
)

// FindItem finds a request by its id, or by the end of one that no other has. An error
// that is improve.ErrNoItem says what the person may have meant.
func FindItem(ctx context.Context, q improve.Backlog, id string) (improve.Item, error) {
	it, err := q.Item(ctx, id)
	if !errors.Is(err, improve.ErrNoItem) {
		return it, err
	}
	all, err := q.Items(ctx)
	if err != nil {
		return improve.Item{}, err
	}
	var ids []string
	for _, each := range all {
		ids = append(ids, each.ID)
		if strings.HasSuffix(each.ID, "_"+id) {
			if it.ID != "" {
				return improve.Item{}, noItem(fmt.Sprintf("%q is the end of %s and of %s; give more of it", id, it.ID, each.ID))
			}
			it = each
		}
	}
	switch near := config.Nearest(id, ids); {
	case it.ID != "":
		return it, nil
	case near != "":
		return improve.Item{}, noItem(fmt.Sprintf("no improvement %q; did you mean %s?", id, near))
	}
	return improve.Item{}, noItem(fmt.Sprintf("no improvement %q; trimtab improve list shows those there are", id))
}

// noItem is improve.ErrNoItem in words for a person.
type noItem string

func (e noItem) Error() string { return string(e) }
func (e noItem) Unwrap() error { return improve.ErrNoItem }

// FileFirst files the worst that one transcript shows of a project, approved. filed is
// true where the queue has it already, and nothing was done.
func (p *Pipeline) FileFirst(ctx context.Context, project, transcript string) (it improve.Item, filed bool, err error) {
	f, err := p.Look(ctx, Query{Project: project, Names: []string{transcript}})
	if err != nil {
		return it, false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c, err := f.Choose("")
	if err != nil {
		return it, false, err
	}
	if it, filed = f.Filed(c); filed {
		return it, true, nil
	}
	it, err = p.File(ctx, f, c, true)
	return it, false, err
}
