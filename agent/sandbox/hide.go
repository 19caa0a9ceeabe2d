package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The limits of what is hidden.
const (
	mostRules = 8000 // files and folders beside hidden ones, each a rule for the kernel
	mostLinks = 40   // symbolic links from one to the next, as many as the kernel follows
)

// ErrHide is a hidden path that cannot be hidden.
var ErrHide = errors.New("this cannot be hidden from commands")

// view is what commands see where something is hidden from them.
type view struct {
	hidden []string // real paths, none below another
	dirs   []string // folders beside the way to a hidden path, open whole
	files  []string // files there
	read   []string // what is open although it may lie below a hidden path
}

// look resolves what is hidden and what is open all the same. A folder to write to
// is open to reading, so none may hold what is hidden.
func look(s spec) (view, error) {
	var v view
	for _, path := range s.Hide {
		if !filepath.IsAbs(path) {
			return v, fmt.Errorf("%w: %q is not a full path", ErrHide, path)
		}
		v.hidden = append(v.hidden, resolve(path)...)
	}
	v.hidden = outer(v.hidden)
	for _, path := range v.hidden {
		if filepath.Dir(path) == path {
			return v, fmt.Errorf("%w: %s is the whole file system", ErrHide, path)
		}
		for _, dir := range s.Write {
			if within(dir, path) {
				return v, fmt.Errorf("%w: %s lies in %s, which may be written to; name the folders beside it to write to, such as in tools.sandbox.write", ErrHide, path, dir)
			}
		}
	}
	for _, path := range s.Read {
		found, err := filepath.EvalSymlinks(path)
		if err == nil && !slices.ContainsFunc(v.hidden, func(h string) bool { return within(found, h) }) {
			v.read = append(v.read, found)
		}
	}
	return v, nil
}

// around finds all that lies beside the ways to the hidden paths. The kernel's rules
// open a folder with all that is below it and take nothing back, so the way itself is
// opened nowhere, and what appears on it later stays shut.
func (v *view) around() error {
	if len(v.hidden) == 0 {
		return nil
	}
	top := v.hidden[0]
	for filepath.Dir(top) != top {
		top = filepath.Dir(top)
	}
	return v.beside(top)
}

func (v *view) beside(dir string) error {
	entries, err := list(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		full := filepath.Join(dir, e.Name())
		if slices.Contains(v.hidden, full) {
			continue
		}
		info, err := e.Info()
		switch {
		case err != nil: // gone, or out of reach
		case info.Mode()&fs.ModeSymlink != 0: // a rule would open what it leads to, and following it needs none
		case !info.IsDir():
			v.files = append(v.files, full)
		case slices.ContainsFunc(v.hidden, func(h string) bool { return within(full, h) }):
			if err := v.beside(full); err != nil {
				return err
			}
		default:
			v.dirs = append(v.dirs, full)
		}
		if len(v.dirs)+len(v.files) > mostRules {
			return crowded(dir)
		}
	}
	return nil
}

// covers are bubblewrap's arguments: over puts something empty over what is hidden and
// brings back what is open below it; shut keeps the empty folders from being written
// to, once all that lies in them is in its place.
func (v *view) covers() (over, shut []string) {
	for _, h := range v.hidden {
		info, err := os.Lstat(h)
		switch {
		case err != nil || info.Mode()&fs.ModeSymlink != 0: // nothing there, or what it leads to is covered
		case info.IsDir():
			over, shut = append(over, "--tmpfs", h), append(shut, "--remount-ro", h)
		default:
			over = append(over, "--ro-bind", os.DevNull, h)
		}
	}
	for _, r := range v.read {
		if slices.ContainsFunc(v.hidden, func(h string) bool { return within(h, r) }) {
			over = append(over, "--ro-bind", r, r)
		}
	}
	return over, shut
}

// list reads a folder of no more entries than can be dealt with. One that may not be
// listed shows nothing, and so nothing in it is opened.
func list(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir) // #nosec G304 -- on the way to a path that our caller hides
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHide, err)
	}
	defer f.Close()
	entries, err := f.ReadDir(mostRules + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", ErrHide, err)
	}
	if len(entries) > mostRules {
		return nil, crowded(dir)
	}
	return entries, nil
}

func crowded(dir string) error {
	return fmt.Errorf("%w: there are more than %d files and folders beside what is hidden, the last in %s; move them into folders, or set tools.sandbox.mode to bubblewrap", ErrHide, mostRules, dir)
}

// resolve returns where a path really is and, for a symbolic link, the place of the
// link, too: it may be a file tomorrow.
func resolve(path string) []string {
	path = filepath.Clean(path)
	return []string{filepath.Join(where(filepath.Dir(path), mostLinks), filepath.Base(path)), where(path, mostLinks)}
}

// where is a path without symbolic links, also where it does not exist to its end.
func where(path string, links int) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	parent := filepath.Dir(path)
	if parent == path || links == 0 {
		return path
	}
	parent = where(parent, links)
	path = filepath.Join(parent, filepath.Base(path))
	to, err := os.Readlink(path)
	switch {
	case err != nil:
		return path
	case !filepath.IsAbs(to):
		to = filepath.Join(parent, to)
	}
	return where(to, links-1)
}

// outer sorts paths and leaves out those below another.
func outer(paths []string) []string {
	var out []string
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if !slices.ContainsFunc(out, func(o string) bool { return within(o, p) }) {
			out = append(out, p)
		}
	}
	return out
}

// within reports whether path is dir or lies below it.
func within(dir, path string) bool {
	if dir == path {
		return true
	}
	sep := string(filepath.Separator)
	return strings.HasPrefix(path, strings.TrimSuffix(dir, sep)+sep)
}
