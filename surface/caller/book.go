package caller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

// Files is where keys are kept: the small files of a store, which all gateways on it share.
type Files interface {
	Save(ctx context.Context, folder string, f improve.File) error
	SaveOnce(ctx context.Context, folder string, f improve.File) (improve.File, error)
	Files(ctx context.Context, folder string) ([]improve.File, error)
}

// folder is where the keys are.
const folder = "callers"

// Book is all keys. It is safe for use by several goroutines.
type Book struct {
	files Files
	clock func() time.Time

	mu    sync.Mutex
	known map[string]record
	read  time.Time // when they were read
}

// NewBook returns the keys that are in a store.
func NewBook(files Files, clock func() time.Time) *Book {
	return &Book{files: files, clock: clock}
}

// Create makes a key. Its secret is returned, and kept nowhere.
func (b *Book) Create(ctx context.Context, p Plan, by string) (secret string, k Key, err error) {
	if err := p.Check(b.clock()); err != nil {
		return "", Key{}, err
	}
	secret, r := made(p, by, b.clock())
	raw, err := json.Marshal(r)
	if err != nil {
		return "", Key{}, err
	}
	kept, err := b.files.SaveOnce(ctx, folder, improve.File{Name: r.ID, Body: raw})
	if err != nil {
		return "", Key{}, fmt.Errorf("keep the key: %w", err)
	}
	if string(kept.Body) != string(raw) {
		return "", Key{}, errors.New("the id of the new key is taken; try again")
	}
	b.forget()
	return secret, r.Key, nil
}

// Revoke ends keys, by id or by name. It reports which ones.
func (b *Book) Revoke(ctx context.Context, which, by string) ([]Key, error) {
	all, err := b.load(ctx)
	if err != nil {
		return nil, err
	}
	var ended []Key
	var found bool
	for _, r := range sorted(all) {
		if r.ID != which && r.Name != which {
			continue
		}
		if found = true; !r.Revoked.IsZero() {
			continue
		}
		r.Revoked, r.RevokedBy = b.clock().UTC().Truncate(time.Second), by
		raw, err := json.Marshal(r)
		if err != nil {
			return ended, err
		}
		if err := b.files.Save(ctx, folder, improve.File{Name: r.ID, Body: raw}); err != nil {
			return ended, fmt.Errorf("revoke %s: %w", r.ID, err)
		}
		ended = append(ended, r.Key)
	}
	b.forget()
	if !found {
		return nil, fmt.Errorf("key %q: %w; trimtab serve key list shows them", which, trimtab.ErrNotFound)
	}
	return ended, nil
}

// List returns all keys, the oldest first.
func (b *Book) List(ctx context.Context) ([]Key, error) {
	all, err := b.load(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Key, 0, len(all))
	for _, r := range sorted(all) {
		list = append(list, r.Key)
	}
	return list, nil
}

func sorted(all map[string]record) []record {
	list := make([]record, 0, len(all))
	for _, r := range all {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b record) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return list
}

func (b *Book) load(ctx context.Context) (map[string]record, error) {
	files, err := b.files.Files(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	all := make(map[string]record, len(files))
	for _, f := range files {
		if r, ok := parse(f); ok {
			all[r.ID] = r
		}
	}
	return all, nil
}

// parse reads a record. One that is damaged is no key.
func parse(f improve.File) (r record, ok bool) {
	err := json.Unmarshal(f.Body, &r)
	return r, err == nil && r.ID == f.Name && len(r.Hash) == 64 && CheckUser(r.User) == nil
}

func (b *Book) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read = time.Time{}
}

// fresh is how long what was read of the keys counts: so long after it was revoked, a key
// may still be answered. For a key that is not among them they are read again sooner: it may
// have been made a moment ago, at another machine.
const (
	fresh    = 2 * time.Second
	freshNew = 100 * time.Millisecond
)

// refresh reads the keys again, where that was a while ago. Where the store does not answer,
// what was known counts on: traffic does not stop with the store.
func (b *Book) refresh(ctx context.Context, age time.Duration) error {
	b.mu.Lock()
	if b.known != nil && b.clock().Sub(b.read) < age {
		b.mu.Unlock()
		return nil
	}
	before := b.read
	b.read = b.clock() // one reads for all
	first := b.known == nil
	if !first {
		b.mu.Unlock()
	} else {
		defer b.mu.Unlock() // nobody can be answered before
	}
	all, err := b.load(ctx)
	if !first {
		b.mu.Lock()
		defer b.mu.Unlock()
	}
	if err != nil {
		if first {
			b.read = before
		}
		return err
	}
	b.known = all
	return nil
}

// find is the key of a secret. known is false where there is no such key; its state is the
// caller's to check.
func (b *Book) find(ctx context.Context, secret string) (k Key, known bool, err error) {
	id, ok := idOf(secret)
	if !ok {
		return k, false, nil
	}
	err = b.refresh(ctx, fresh)
	if _, ok := b.now(id); !ok && err == nil {
		err = b.refresh(ctx, freshNew)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil {
		return k, false, err
	}
	r, ok := b.known[id]
	if !ok || !r.fits(secret) {
		return k, false, nil
	}
	return r.Key, true, nil
}

// now is a key as it is known; ok is false where it is gone.
func (b *Book) now(id string) (Key, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.known[id]
	return r.Key, ok
}
