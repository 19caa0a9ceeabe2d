package trust

import (
	"fmt"
	"path/filepath"
	"time"
)

// File says how a file stands of which the caller has read data. It is the data
// that is judged and nothing is read, so what was judged is what is used. A file
// is known by its folder and its own name, whatever it links to.
func (b *Book) File(name string, data []byte) (Verdict, error) {
	dir, base, err := place(name)
	if err != nil {
		return Verdict{Dir: dir, File: base, State: Unknown}, fmt.Errorf("trust: %w", err)
	}
	records, err := b.List()
	v := judge(filepath.Join(dir, base), digestOf(base, data), records)
	v.Dir, v.File = dir, base
	return v, err
}

// TrustFile notes that a person trusts the data, which they were shown, in the
// file of that name. A damaged book is kept as by Trust.
func (b *Book) TrustFile(name string, data []byte, now time.Time) (kept string, err error) {
	dir, base, err := place(name)
	if err != nil {
		return "", fmt.Errorf("trust: %w", err)
	}
	return b.note(filepath.Join(dir, base), digestOf(base, data), now)
}

// place splits the name of a file into the folder as it is known and the file's
// own name.
func place(name string) (dir, base string, err error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", "", err
	}
	dir, err = resolve(filepath.Dir(abs))
	return dir, filepath.Base(abs), err
}

// digestOf is the digest of one file. No path in a folder begins like its key,
// so that no folder that takes the file's place has the same digest.
func digestOf(base string, data []byte) Digest { return Files{"../" + base: data}.Digest() }
