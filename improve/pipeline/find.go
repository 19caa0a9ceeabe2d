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

// Samples makes the samples of the demo agent; see improve/assembly.
type Samples interface {
	IsSample(project string) bool
	SamplePaths(ctx context.Context, kind improve.Kind) (project, transcript string, err error)
}

// FileSample files the sample of a kind, approved, for the demo agent, which knows no other
// project. The item has no id where a sample is at work already; filed is true where it
// was done before.
func (p *Pipeline) FileSample(ctx context.Context, kind improve.Kind, samples Samples) (it improve.Item, filed bool, err error) {
	q, err := p.opt.Queue(ctx)
	if err != nil {
		return it, false, err
	}
	todo, err := q.Items(ctx, improve.Queued, improve.Running)
	if err != nil {
		return it, false, err
	}
	for _, each := range todo {
		if !samples.IsSample(each.Project) {
			return it, false, fmt.Errorf("%s (%s) waits for a real agent, and the demo agent knows only its sample: choose another --agent, or try the sample with --data of its own", each.ID, each.Project)
		}
	}
	if len(todo) > 0 {
		return it, false, nil
	}
	project, transcript, err := samples.SamplePaths(ctx, kind)
	if err != nil {
		return it, false, err
	}
	it, filed, err = p.FileFirst(ctx, project, transcript)
	if err == nil && !filed {
		p.notify("the sample: %s\nits transcript: %s", project, transcript)
	}
	return it, filed, err
}

// OfferSample makes a request of the sample of a kind, which waits for a person.
func (p *Pipeline) OfferSample(ctx context.Context, kind improve.Kind, samples Samples) error {
	project, transcript, err := samples.SamplePaths(ctx, kind)
	if err == nil {
		quiet := *p
		quiet.opt.Notify = func(string) {} // what is told of a request is for whoever made it
		_, err = quiet.New(ctx, Query{Project: project, Names: []string{transcript}}, "", false)
	}
	return err
}

// Ended reads items again. Bad is how many of them did not end as a person wants.
func Ended(ctx context.Context, q improve.Backlog, items []improve.Item) (ended []improve.Item, bad int, err error) {
	ended = []improve.Item{}
	for _, it := range items {
		it, err := q.Item(ctx, it.ID)
		if err != nil {
			return nil, 0, err
		}
		ended = append(ended, it)
		if it.State != improve.Done && it.State != improve.Cancelled {
			bad++
		}
	}
	return ended, bad, nil
}

// Names are the ids of all requests, each with a tab and what a person knows it by, as
// shells complete them.
func Names(ctx context.Context, q improve.Backlog) ([]string, error) {
	items, err := q.Items(ctx)
	var ids []string
	for _, it := range items {
		ids = append(ids, it.ID+"\t"+string(it.State)+" "+it.Request.Title)
	}
	return ids, err
}
