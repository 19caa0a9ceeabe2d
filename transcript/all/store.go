package all

import (
	"context"
	"fmt"
	"os"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/db"
)

// OwnKind is what of our own a file is.
type OwnKind int

// The kinds of our own files. A file of a host is none of them.
const (
	NotOwn OwnKind = iota
	OwnExport
	OwnStore
)

// DetectOwn tells our own exports and stores from files of hosts. A host that the
// caller names is believed: the file is then not looked at for another's marks.
func DetectOwn(ctx context.Context, path, host string) (OwnKind, error) {
	f, err := os.Open(path)
	if err != nil {
		return NotOwn, err
	}
	defer f.Close()
	format, err := look(f)
	switch {
	case err != nil || host != "" && host != trimtab.OwnHost:
		return NotOwn, err
	case format == transcript.SQLite:
		if ok, err := isStore(ctx, path); err != nil || ok {
			return OwnStore, err
		}
	case format == trimtab.OwnHost || host == trimtab.OwnHost:
		return OwnExport, nil
	}
	return NotOwn, nil
}

// isStore reports whether a database is a store of our own. It is not for this
// package to read: open a Copy of it as a store, and see package own.
func isStore(ctx context.Context, path string) (ok bool, err error) {
	f, err := db.Open(ctx, path)
	if err != nil {
		return false, err
	}
	if ok, err = f.Has(ctx, "sessions", "id", "version", "host", "state"); ok && err == nil {
		var plain bool
		if plain, err = f.OnlyTables(ctx); err == nil && !plain {
			err = fmt.Errorf("%w: %s holds views or triggers, which no store of ours does", trimtab.ErrDamaged, path)
		}
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return ok, err
}

// Copy makes a private copy of a database with all that is in its log, so that it
// can be opened by what would change it. Remove takes the copy away.
func Copy(path string) (name string, remove func() error, err error) { return db.Copy(path) }
