package tool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The limits of a walk.
const (
	maxDepth   = 64
	maxEntries = 50000 // of one folder
)

// entry is something a walk comes by.
type entry struct {
	path   string // relative to the project folder, with forward slashes
	kind   fs.FileMode
	depth  int  // 1 is right below the start
	hidden bool // an ignore file names it; the walk does not go into it
}

func (e entry) dir() bool { return e.kind.IsDir() }

// walk goes through what lies below a folder.
type walk struct {
	*Folder
	depth  int  // how deep to go
	all    bool // go into what is ignored, too
	visit  func(entry) error
	unread []string // folders that could not be read, or not to their end
}

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// from walks, each folder in the order of its names. The repository's own folder
// is left out; symbolic links are shown and not followed.
func (w *walk) from(ctx context.Context, dir string) error {
	err := w.into(ctx, dir, 1, w.around(dir))
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (w *walk) into(ctx context.Context, dir string, depth int, ig *ignores) error {
	names, err := w.names(dir)
	if err != nil {
		w.unread = append(w.unread, dir)
	}
	ig = w.rules(dir, ig)
	for _, d := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.Name() == ".git" {
			continue
		}
		e := entry{path: path.Join(dir, d.Name()), kind: d.Type(), depth: depth}
		e.hidden = !w.all && ig.hides(e.path, e.dir())
		if err := w.visit(e); err != nil {
			return err
		}
		if e.dir() && !e.hidden && depth < w.depth {
			if err := w.into(ctx, e.path, depth+1, ig); err != nil {
				return err
			}
		}
	}
	return nil
}

// names reads a folder, in order. With an error come the names it could read.
func (f *Folder) names(dir string) ([]fs.DirEntry, error) {
	file, err := f.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	names, err := file.ReadDir(maxEntries)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if len(names) == maxEntries {
		err = errors.New("too many entries")
	}
	slices.SortFunc(names, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return names, err
}

// around gathers the rules of the folders above dir, from the project folder on.
func (f *Folder) around(dir string) *ignores {
	if dir == "." {
		return nil
	}
	above := path.Dir(dir)
	return f.rules(above, f.around(above))
}

// rules adds the ignore files of a folder to those above it. A line of .ignore
// outweighs one of .gitignore.
func (f *Folder) rules(dir string, above *ignores) *ignores {
	ig := &ignores{above: above, base: dir}
	for _, name := range []string{".gitignore", ".ignore"} {
		rel := path.Join(dir, name)
		info, err := f.root.Lstat(filepath.FromSlash(rel))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := f.slurp(rel, maxIgnore)
		if err != nil {
			continue
		}
		ig.rules = append(ig.rules, parseIgnore(string(text))...)
	}
	if len(ig.rules) == 0 {
		return above
	}
	return ig
}

// slurp reads a file, up to a size.
func (f *Folder) slurp(rel string, limit int64) ([]byte, error) {
	file, _, err := f.open(rel)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit))
}
