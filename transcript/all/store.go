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

// ownTriggers are the triggers of our stores, by the SHA-256 of their text: those that
// number changes. One that says anything else may do anything.
var ownTriggers = []string{
	"b8fc13574aced419a8e40d37eea2e13fa103b987a355893f1a4f4079b4abc650", // sessions_added
	"ce564a9fe1003991cab69c6254ae9d9f3f6d5fb206f267aff8fd178367492c22", // sessions_changed
	"3e0b414b3c08506517e18428cbd044f60ecac0a0c33dec179d50b6a53cba0296", // sessions_removed
	"dc8699453f7712baea70da5b85390dbbd4c75cb8ae79e67b5692bb7fc466819a", // improvements_added
	"9ff645811ff7693211a277659a67d96ba49f0b1d20c97534164637ccdfa6223b", // improvements_changed
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
		if plain, err = f.OnlyTables(ctx, ownTriggers...); err == nil && !plain {
			err = fmt.Errorf("%w: %s holds views or triggers that no store of ours has", trimtab.ErrDamaged, path)
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
