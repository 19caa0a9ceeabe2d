package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/filelock"
)

// Why a book cannot be used.
var (
	errDamaged = errors.New("the book of trusted projects is damaged, so nothing is trusted")
	errNewer   = errors.New("the book of trusted projects is from a newer trimtab, so nothing is trusted")
	errOpen    = errors.New("others may write to the book of trusted projects, so nothing is trusted")
)

// lockWait is how long a change waits for other processes that change the book.
const lockWait = 5 * time.Second

// Book is the file of what a person trusted. It is read anew for each question,
// so that what another process trusts or revokes counts at once. It is safe to
// share.
type Book struct {
	path string
}

// Open returns the book at path. There need not be a file yet. It fails where
// one exists that cannot be read at all; a damaged one is reported by each
// question.
func Open(path string) (*Book, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("trust: %w", err)
	}
	b := &Book{abs}
	if _, err := b.List(); err != nil && !errors.Is(err, errDamaged) && !errors.Is(err, errNewer) && !errors.Is(err, errOpen) {
		return nil, err
	}
	return b, nil
}

// List returns what is trusted, by folder.
func (b *Book) List() ([]Record, error) {
	records, err := load(b.path)
	if err != nil {
		return nil, fmt.Errorf("trust: %w", err)
	}
	return records, nil
}

// Files returns the contents of the project's folder if they are trusted, and
// nil in every other case; the verdict says in which.
func (b *Book) Files(dir string) (Files, Verdict, error) {
	dir, err := resolve(dir)
	if err != nil {
		return nil, Verdict{Dir: dir, State: Unknown}, fmt.Errorf("trust: %w", err)
	}
	files, digest, err := Read(dir)
	var refusal *refusalError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Verdict{Dir: dir, State: Absent}, nil
	case errors.As(err, &refusal):
		return nil, Verdict{Dir: dir, State: Refused, Why: refusal.Error()}, nil
	case err != nil:
		return nil, Verdict{Dir: dir, State: Unknown}, fmt.Errorf("trust: %w", err)
	}
	records, err := b.List()
	v := judge(dir, digest, records)
	if v.State != Trusted {
		files = nil
	}
	if v.State == Absent {
		err = nil
	}
	return files, v, err
}

// Trusted says how the project's folder stands. To use what is in it, call
// Files: between two calls it may change.
func (b *Book) Trusted(dir string) (Verdict, error) {
	_, v, err := b.Files(dir)
	return v, err
}

// Trust notes that a person trusts what the digest stands for in the project:
// what they were shown, not what the folder holds by now. A damaged book is kept
// under another name, which is returned, and a new one begun.
func (b *Book) Trust(dir string, d Digest, now time.Time) (kept string, err error) {
	if dir, err = resolve(dir); err != nil {
		return "", fmt.Errorf("trust: %w", err)
	}
	return b.note(dir, d, now)
}

// note writes that a digest is trusted under a name.
func (b *Book) note(name string, d Digest, now time.Time) (kept string, err error) {
	if !utf8.ValidString(name) {
		return "", fmt.Errorf("trust %q: the path is not UTF-8, so the book cannot hold it", name)
	}
	if err := d.check(); err != nil {
		return "", fmt.Errorf("trust %s: %w", name, err)
	}
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return "", fmt.Errorf("trust: %w", err)
	}
	err = b.change(func(records []Record, damaged bool) ([]Record, error) {
		if damaged {
			if kept, err = setAside(b.path); err != nil {
				return nil, err
			}
		}
		records = without(records, name)
		return append(records, Record{name, d, now.UTC()}), nil
	})
	return kept, err
}

// Revoke takes back the trust in a project, or in a file. It says so where there
// was none.
func (b *Book) Revoke(dir string) error {
	names := []string{dir}
	if abs, err := filepath.Abs(dir); err == nil {
		names = append(names, abs) // also one that is gone by now
	}
	if real, err := resolve(dir); err == nil {
		names = append(names, real)
	}
	if folder, base, err := place(dir); err == nil {
		names = append(names, filepath.Join(folder, base))
	}
	return b.change(func(records []Record, damaged bool) ([]Record, error) {
		if damaged {
			return nil, errDamaged
		}
		left := without(records, names...)
		if len(left) == len(records) {
			return nil, fmt.Errorf("%s is not trusted: %w", dir, fs.ErrNotExist)
		}
		return left, nil
	})
}

// change rewrites the book while nobody else does.
func (b *Book) change(edit func(records []Record, damaged bool) ([]Record, error)) error {
	unlock, err := filelock.Lock(b.path+".lock", lockWait)
	if err != nil {
		return fmt.Errorf("trust: lock %s: %w", b.path, err)
	}
	defer unlock()
	records, err := load(b.path)
	damaged := errors.Is(err, errDamaged)
	if err != nil && !damaged {
		return fmt.Errorf("trust: %w", err)
	}
	records, err = edit(records, damaged)
	if err == nil {
		err = save(b.path, records)
	}
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	return nil
}

func without(records []Record, dirs ...string) []Record {
	var left []Record
	for _, r := range records {
		if !slices.Contains(dirs, r.Dir) {
			left = append(left, r)
		}
	}
	return left
}

func sorted(records []Record) []Record {
	return slices.SortedFunc(slices.Values(records), func(a, b Record) int { return strings.Compare(a.Dir, b.Dir) })
}
