package read

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/trimtab/trimtab/internal/atomicfile"
)

// cached is an answer that was paid for. It is kept as it was given, redacted, and checked
// each time that it is used.
type cached struct {
	Agent  string    `json:"agent"`
	At     time.Time `json:"at"`
	Cost   float64   `json:"cost_usd,omitempty"`
	Answer answer    `json:"answer"`
}

// unusedAfter is how long an answer is kept that nobody asks for.
const unusedAfter = 90 * 24 * time.Hour

func (r *Reader) cacheFile(key string) string { return filepath.Join(r.opt.Folder, key+".json") }

// lookup finds the answer for a sheet. A file that cannot be read is none: the session is
// read again.
func (r *Reader) lookup(s sheet) (cached, bool) {
	var c cached
	file := r.cacheFile(s.key)
	raw, err := os.ReadFile(file) // #nosec G304 -- our own folder, named by a hash
	if err != nil || json.Unmarshal(raw, &c) != nil {
		return cached{}, false
	}
	now := r.opt.Now()
	_ = os.Chtimes(file, now, now) // else it is forgotten too early, which costs a reading
	return c, true
}

// keep writes an answer down before anything else happens with it: it was paid for.
func (r *Reader) keep(s sheet, c cached) error {
	raw, err := json.Marshal(c)
	if err == nil {
		err = os.MkdirAll(r.opt.Folder, 0o700)
	}
	if err == nil {
		err = atomicfile.Write(r.cacheFile(s.key), raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep what was read: %w", err)
	}
	return nil
}

// prune forgets answers that were not asked for in a long time: they quote sessions that
// may be gone.
func (r *Reader) prune() error {
	files, err := os.ReadDir(r.opt.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var errs []error
	for _, f := range files {
		info, statErr := f.Info()
		if statErr == nil && info.Mode().IsRegular() && filepath.Ext(f.Name()) == ".json" && r.opt.Now().Sub(info.ModTime()) > unusedAfter {
			errs = append(errs, os.Remove(filepath.Join(r.opt.Folder, f.Name())))
		}
	}
	return errors.Join(append(errs, err)...)
}
