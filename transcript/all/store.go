package all

import (
	"context"

	"github.com/trimtab/trimtab/transcript/internal/db"
)

// IsStore reports whether a file is a store of our own. It is not for this package
// to read: open a Copy of it as a store, and see package own.
func IsStore(ctx context.Context, path string) (ok bool, err error) {
	f, err := db.Open(ctx, path)
	if err != nil {
		return false, err
	}
	ok, err = f.Has(ctx, "sessions", "id", "version", "host", "state")
	if closing := f.Close(); err == nil {
		err = closing
	}
	return ok, err
}

// Copy makes a private copy of a database with all that is in its log, so that it
// can be opened by what would change it. Remove takes the copy away.
func Copy(path string) (name string, remove func() error, err error) { return db.Copy(path) }
