package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/trimtab/trimtab/internal/atomicfile"
)

// maxBook is the size of a book; each project takes about 100 bytes a file.
const maxBook = 64 << 20

const version = 1

type bookJSON struct {
	Version  int      `json:"version"`
	Projects []Record `json:"projects"`
}

// load reads the records of a book. One that does not exist holds none.
func load(name string) ([]Record, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file; remove it", name)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("%w: look through %s, then chmod 600 it", errOpen, name)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxBook+1))
	if err != nil {
		return nil, err
	}
	records, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return records, nil
}

// decode reads a book. It takes all of it or nothing: half a book may lack the
// half that would have said otherwise.
func decode(raw []byte) ([]Record, error) {
	if len(raw) > maxBook {
		return nil, fmt.Errorf("%w: it is larger than %d bytes", errDamaged, maxBook)
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if head.Version > version {
		return nil, fmt.Errorf("%w: version %d, this one knows %d", errNewer, head.Version, version)
	}
	var book bookJSON
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&book); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if book.Version != version {
		return nil, fmt.Errorf("%w: it has no version", errDamaged)
	}
	seen := map[string]bool{}
	for _, r := range book.Projects {
		switch err := r.Digest.check(); {
		case err != nil:
			return nil, fmt.Errorf("%w: %q: %w", errDamaged, r.Dir, err)
		case seen[r.Dir]:
			return nil, fmt.Errorf("%w: %q is there twice", errDamaged, r.Dir)
		case !filepath.IsAbs(r.Dir):
			return nil, fmt.Errorf("%w: %q is not an absolute path", errDamaged, r.Dir)
		}
		seen[r.Dir] = true
	}
	return sorted(book.Projects), nil
}

// save writes a book so that after a crash there is the old one or the new one.
func save(name string, records []Record) error {
	raw, err := json.MarshalIndent(bookJSON{version, sorted(records)}, "", "  ")
	if err != nil {
		return err
	}
	if len(raw) > maxBook {
		return fmt.Errorf("%s would be larger than %d bytes; revoke what is no longer used", name, maxBook)
	}
	return atomicfile.Write(name, append(raw, '\n'), 0o600)
}

// setAside renames a damaged book to the first free name and returns it.
func setAside(name string) (string, error) {
	for n := 1; n <= 1000; n++ {
		kept := fmt.Sprintf("%s.damaged-%d", name, n)
		if _, err := os.Lstat(kept); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return kept, os.Rename(name, kept)
	}
	return "", fmt.Errorf("%s: there are 1,000 damaged ones already; remove some", name)
}
