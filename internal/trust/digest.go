package trust

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Files are the contents of a folder by path, with slashes.
type Files map[string][]byte

// Digest stands for the paths and contents of a folder's files. Modes, times
// and empty folders are no part of it.
type Digest struct {
	Sum   string            `json:"sum"`   // SHA-256 over all of Files, in hexadecimal
	Files map[string]string `json:"files"` // SHA-256 of each file by path, in hexadecimal
}

// Digest returns the digest of the files.
func (f Files) Digest() Digest {
	d := Digest{Files: make(map[string]string, len(f))}
	for name, data := range f {
		sum := sha256.Sum256(data)
		d.Files[name] = hex.EncodeToString(sum[:])
	}
	d.Sum = total(d.Files)
	return d
}

// total hashes paths and sums. Each is preceded by its length, so that no two
// folders are written the same way.
func total(files map[string]string) string {
	h := sha256.New()
	put := func(s string) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	put("trimtab trust 1")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		put(name)
		put(files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// check refuses a digest that does not hold together.
func (d Digest) check() error {
	for name, sum := range d.Files {
		if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size {
			return fmt.Errorf("%q has no SHA-256 sum", name)
		}
	}
	if d.Sum != total(d.Files) {
		return fmt.Errorf("the sum is not that of the files")
	}
	return nil
}

// Change is a file that is not as it was trusted.
type Change struct {
	Path string `json:"path"`
	How  string `json:"how"` // "added", "removed" or "changed"
}

// String is the change in short, fit for a terminal.
func (c Change) String() string { return c.How + " " + fmt.Sprintf("%q", c.Path) }

// changes lists what became of the files of one digest in another, by path.
func changes(before, after Digest) []Change {
	var all []Change
	for name, sum := range before.Files {
		switch now, ok := after.Files[name]; {
		case !ok:
			all = append(all, Change{name, "removed"})
		case now != sum:
			all = append(all, Change{name, "changed"})
		}
	}
	for name := range after.Files {
		if _, ok := before.Files[name]; !ok {
			all = append(all, Change{name, "added"})
		}
	}
	slices.SortFunc(all, func(a, b Change) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return all
}
