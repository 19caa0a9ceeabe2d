package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab"
)

// Folder is the project folder that the tools work in. Nothing outside of it
// can be reached through it.
type Folder struct {
	dir  string // absolute
	root *os.Root
	memo memos
	jobs jobs

	grants Grants // nil keeps nothing beyond a session
}

// SetGrants has the tools keep what a person allows beyond a session. It is called
// before the tools are used.
func (f *Folder) SetGrants(g Grants) { f.grants = g }

func (f *Folder) granted() Grant {
	if f.grants == nil {
		return Grant{}
	}
	return f.grants.Granted()
}

// grant keeps what is allowed for longer than the session.
func (f *Folder) grant(scope Scope, g Grant) error {
	if scope == ForSession || f.grants == nil {
		return nil
	}
	return f.grants.Add(scope, g)
}

// Open opens a project folder. The caller closes it.
func Open(dir string) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open project folder %s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open project folder: %w", err)
	}
	return &Folder{dir: abs, root: root}, nil
}

// Dir is the path of the folder.
func (f *Folder) Dir() string { return f.dir }

// Close ends commands in the background and lets go of the folder. Its tools no longer work.
func (f *Folder) Close() error {
	f.endJobs()
	return f.root.Close()
}

// Tools returns the tools that look at the folder.
func (f *Folder) Tools() []Tool { return []Tool{f.Read(), f.List(), f.Search()} }

// Changes returns the tools that change files of the folder, after asking.
func (f *Folder) Changes() []Tool { return []Tool{f.Write(), f.Edit()} }

// inside turns the path that a model gave into one relative to the folder, with
// forward slashes. It only looks at the words; os.Root guards the way itself.
func (f *Folder) inside(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", errors.New("a path has no NUL in it")
	}
	rel := name
	if filepath.IsAbs(name) {
		r, err := filepath.Rel(f.dir, name)
		if err != nil {
			return "", outside(name)
		}
		rel = r
	}
	rel = path.Clean(filepath.ToSlash(rel))
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return "", outside(name)
	}
	return rel, nil
}

func outside(name string) error {
	return fmt.Errorf("%q is outside the project folder; give a path below it, relative to it, such as \"README.md\"", trimtab.Clip(name, 200))
}

// find looks up a path. Symbolic links are followed as long as they stay inside.
func (f *Folder) find(name string) (rel string, info fs.FileInfo, err error) {
	rel, err = f.inside(name)
	if err != nil {
		return "", nil, err
	}
	info, err = f.root.Stat(filepath.FromSlash(rel))
	if err != nil {
		return "", nil, f.explain(rel, err)
	}
	return rel, info, nil
}

// open opens a regular file for reading.
func (f *Folder) open(rel string) (*os.File, fs.FileInfo, error) {
	file, err := f.root.Open(filepath.FromSlash(rel))
	if err != nil {
		return nil, nil, f.explain(rel, err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no longer a regular file")
	}
	if err != nil {
		return nil, nil, errors.Join(f.explain(rel, err), file.Close())
	}
	return file, info, nil
}

// explain says what is wrong with a path in words that a model can act on, and
// without the path of the folder itself.
func (f *Folder) explain(rel string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %q in the project folder; list shows what there is", rel)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%q may not be opened: permission denied", rel)
	case strings.Contains(err.Error(), "escapes"): // os has no name for this error
		return fmt.Errorf("%q leads outside the project folder by a symbolic link; only what lies in the folder can be read", rel)
	}
	return fmt.Errorf("%q cannot be opened: %w", rel, err)
}
