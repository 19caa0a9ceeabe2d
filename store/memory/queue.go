package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/store/row"
)

// queue keeps improvements as rows. Its zero value is empty.
type queue struct {
	mu      sync.Mutex
	items   map[string]row.Item
	filed   map[filing]bool
	intents map[string]time.Time
	halted  bool
	files   map[string]map[string][]byte // by folder and name
	changes *changes
}

// filing is what there may be one item of.
type filing struct{ project, fingerprint string }

// Queue returns the store's queue of improvements.
func (s *Store) Queue() improve.Queue {
	q := &s.queue
	return improve.Queue{Backlog: q, Leases: q, EffectLog: q, Switch: q, FileStore: q}
}

func (q *queue) Add(ctx context.Context, it improve.Item) error {
	r, err := row.OfItem(it)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	what := filing{r.Project, r.Fingerprint}
	if _, ok := q.items[r.ID]; ok || q.filed[what] {
		return fmt.Errorf("improvement %s: %w", r.ID, improve.ErrFiled)
	}
	if q.items == nil {
		q.items, q.filed = map[string]row.Item{}, map[filing]bool{}
	}
	q.items[r.ID], q.filed[what] = r, true
	q.changed(r)
	return nil
}

func (q *queue) Item(ctx context.Context, id string) (improve.Item, error) {
	r, err := q.find(ctx, id)
	if err != nil {
		return improve.Item{}, err
	}
	return r.Item()
}

func (q *queue) find(ctx context.Context, id string) (row.Item, error) {
	if err := cmp.Or(row.CheckItemID(id), ctx.Err()); err != nil {
		return row.Item{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	r, ok := q.items[id]
	if !ok {
		return row.Item{}, noItem(id)
	}
	return r, nil
}

func (q *queue) Items(ctx context.Context, states ...improve.State) ([]improve.Item, error) {
	if err := cmp.Or(row.CheckStates(states...), ctx.Err()); err != nil {
		return nil, err
	}
	var out []improve.Item
	for _, r := range q.pick(func(r row.Item) bool { return len(states) == 0 || slices.Contains(states, improve.State(r.State)) }) {
		it, err := r.Item()
		if err != nil {
			return nil, err
		}
		out = append(out, it)
	}
	slices.Reverse(out)
	return out, nil
}

// pick returns rows, the oldest first.
func (q *queue) pick(which func(row.Item) bool) []row.Item {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []row.Item
	for _, r := range q.items {
		if which(r) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, older)
	return out
}

func older(a, b row.Item) int {
	return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
}

// Change calls change without holding anything, so that it may use the queue.
func (q *queue) Change(ctx context.Context, id string, fence int64, change func(*improve.Item) error) (improve.Item, error) {
	for {
		was, err := q.find(ctx, id)
		if err != nil {
			return improve.Item{}, err
		}
		next, err := was.Change(fence, change)
		if err != nil {
			return improve.Item{}, err
		}
		if next, ok := q.swap(was, next); ok {
			return next.Item()
		}
	}
}

func (q *queue) swap(was, next row.Item) (row.Item, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.items[was.ID]
	if now.Version != was.Version {
		return next, false
	}
	if next.Until != "" {
		next.Until = now.Until // it may have been renewed
	}
	q.items[was.ID] = next
	q.changed(next)
	return next, true
}

func (q *queue) changed(r row.Item) {
	q.changes.add(feed.Change{Kind: feed.Improvement, ID: r.ID, Version: int(r.Version)})
}

func (q *queue) Take(ctx context.Context, worker string, now, until time.Time, most improve.Limits) (improve.Item, bool, error) {
	if err := cmp.Or(row.CheckWorker(worker), ctx.Err()); err != nil {
		return improve.Item{}, false, err
	}
	r, ok := q.take(worker, row.Stamp(now), row.Stamp(until), most)
	if !ok {
		return improve.Item{}, false, nil
	}
	it, err := r.Item()
	return it, err == nil, err
}

func (q *queue) take(worker, now, until string, most improve.Limits) (next row.Item, found bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	busy, at := 0, map[string]int{}
	for _, r := range q.items {
		if r.State == string(improve.Running) && r.Until > now {
			busy++
			at[r.Project]++
		}
	}
	for _, r := range q.items {
		if r.State != string(improve.Queued) && (r.State != string(improve.Running) || r.Until > now) {
			continue
		}
		if limit, ok := most.Projects[r.Project]; ok && at[r.Project] >= limit {
			continue
		}
		if !found || older(r, next) < 0 {
			next, found = r, true
		}
	}
	if !found || busy >= most.All {
		return row.Item{}, false
	}
	next.State, next.Worker, next.Until, next.Updated = string(improve.Running), worker, until, now
	next.Fence++
	next.Version++
	q.items[next.ID] = next
	q.changed(next)
	return next, true
}

func (q *queue) Renew(ctx context.Context, id string, fence int64, until time.Time) error {
	if err := cmp.Or(row.CheckItemID(id), ctx.Err()); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	r, ok := q.items[id]
	switch {
	case !ok:
		return noItem(id)
	case r.Fence != fence || r.State != string(improve.Running) || r.Worker == "":
		return fmt.Errorf("improvement %s: %w", id, improve.ErrLost)
	}
	r.Until = row.Stamp(until)
	q.items[id] = r
	return nil
}

func (q *queue) Begin(ctx context.Context, key string, at time.Time) error {
	if err := cmp.Or(row.CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.intents == nil {
		q.intents = map[string]time.Time{}
	}
	if at.After(q.intents[key]) {
		q.intents[key] = at.Round(0).UTC()
	}
	return nil
}

func (q *queue) Last(ctx context.Context, key string) (time.Time, error) {
	if err := cmp.Or(row.CheckKey(key), ctx.Err()); err != nil {
		return time.Time{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.intents[key], nil
}

func (q *queue) Halt(ctx context.Context, halt bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.halted = halt
	return nil
}

func (q *queue) Halted(ctx context.Context) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.halted, ctx.Err()
}

func noItem(id string) error { return fmt.Errorf("improvement %s: %w", id, improve.ErrNoItem) }

func (q *queue) Save(ctx context.Context, folder string, f improve.File) error {
	if err := cmp.Or(row.CheckFile(folder, f), ctx.Err()); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(folder, f)
	return nil
}

func (q *queue) SaveOnce(ctx context.Context, folder string, f improve.File) (improve.File, error) {
	if err := cmp.Or(row.CheckFile(folder, f), ctx.Err()); err != nil {
		return improve.File{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if body, ok := q.files[folder][f.Name]; ok {
		return improve.File{Name: f.Name, Body: slices.Clone(body)}, nil
	}
	q.put(folder, f)
	return f, nil
}

func (q *queue) put(folder string, f improve.File) {
	if q.files == nil {
		q.files = map[string]map[string][]byte{}
	}
	if q.files[folder] == nil {
		q.files[folder] = map[string][]byte{}
	}
	q.files[folder][f.Name] = slices.Clone(f.Body)
}

func (q *queue) RemoveFolders(ctx context.Context, from, to string) (n int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for folder, files := range q.files {
		if folder >= from && folder < to {
			n += len(files)
			delete(q.files, folder)
		}
	}
	return n, nil
}

func (q *queue) Files(ctx context.Context, folder string) ([]improve.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []improve.File
	for _, name := range slices.Sorted(maps.Keys(q.files[folder])) {
		all = append(all, improve.File{Name: name, Body: slices.Clone(q.files[folder][name])})
	}
	return all, nil
}
