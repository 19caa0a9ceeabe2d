package tool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/atomicfile"
)

// maxChange is the largest file that the tools here change, in bytes.
const maxChange = 8 << 20

// maxLinks is how many symbolic links a path may go through.
const maxLinks = 40

// real follows the symbolic links of a path, so that one file has one name. What
// does not exist yet keeps the name it was given. os.Root guards the way again
// when the file is opened.
func (f *Folder) real(rel string) (string, error) {
	here, ahead, links := ".", strings.Split(rel, "/"), 0
	for len(ahead) > 0 {
		part := ahead[0]
		ahead = ahead[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && here == ".":
			return "", linkedOut(rel)
		case part == "..":
			here = path.Dir(here)
			continue
		}
		next := path.Join(here, part)
		info, err := f.root.Lstat(filepath.FromSlash(next))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			here = next
			continue
		case err != nil:
			return "", f.explain(rel, err)
		case info.Mode()&fs.ModeSymlink == 0:
			here = next
			continue
		}
		to, err := f.root.Readlink(filepath.FromSlash(next))
		if err != nil {
			return "", f.explain(rel, err)
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%q goes through too many symbolic links", rel)
		}
		if filepath.IsAbs(to) || filepath.VolumeName(to) != "" {
			return "", linkedOut(rel)
		}
		ahead = append(strings.Split(filepath.ToSlash(to), "/"), ahead...)
	}
	return here, nil
}

func linkedOut(rel string) error {
	return fmt.Errorf("%q leads outside the project folder by a symbolic link; only what lies in the folder can be changed", rel)
}

// target finds the file that a model wants to change. info is nil for a new one.
func (f *Folder) target(name string) (rel string, info fs.FileInfo, err error) {
	if name == "" {
		return "", nil, errors.New(`"path" is missing: name a file`)
	}
	if strings.HasSuffix(name, "/") {
		return "", nil, fmt.Errorf("%q names a folder; name a file", trimtab.Clip(name, 200))
	}
	given, err := f.inside(name)
	if err != nil {
		return "", nil, err
	}
	if rel, err = f.real(given); err != nil {
		return "", nil, err
	}
	if holds(rel, "git") || holds(given, "git") {
		return "", nil, fmt.Errorf("%q belongs to git, which could be made to run programs by it; use git itself", rel)
	}
	info, err = f.root.Lstat(filepath.FromSlash(rel))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return rel, nil, nil
	case err != nil:
		return "", nil, f.explain(rel, err)
	case info.IsDir():
		return "", nil, fmt.Errorf("%q is a folder; name a file", rel)
	case !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("%q is %s, not a regular file", rel, special(info.Mode()))
	case info.Mode().Perm()&0o200 == 0:
		return "", nil, fmt.Errorf("%q is read-only; leave it, and say that it would have to be made writable", rel)
	case info.Size() > maxChange:
		return "", nil, fmt.Errorf("%q is %d bytes; files over %d MiB are not changed here", rel, info.Size(), maxChange>>20)
	}
	return rel, info, nil
}

// holds reports whether a path has the hidden folder of that name in it, however
// a file system may let it be written.
func holds(rel, name string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		part, _, _ = strings.Cut(part, ":") // a stream, on Windows
		part = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) { // passed over by some file systems
				return -1
			}
			return r
		}, part)
		part = strings.ToLower(strings.TrimRight(part, ". "))
		if part == "."+name || strings.HasPrefix(part, name+"~") {
			return true
		}
	}
	return false
}

// load reads a file that is to be changed.
func (f *Folder) load(rel string) ([]byte, error) {
	text, err := f.slurp(rel, maxChange+1)
	if err != nil {
		return nil, err
	}
	if len(text) > maxChange {
		return nil, fmt.Errorf("%q is over %d MiB and is not changed here", rel, maxChange>>20)
	}
	if kind := kindOf(text[:min(len(text), sniffed)]); kind != "" {
		return nil, fmt.Errorf("%q is %s, not text", rel, kind)
	}
	return text, nil
}

// put writes a whole file, so that nobody ever finds half of it. One that is there
// keeps its mode.
func (f *Folder) put(rel string, content []byte, mode fs.FileMode) error {
	if dir := path.Dir(rel); dir != "." {
		if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return f.explain(dir, err)
		}
	}
	if err := atomicfile.WriteIn(f.root, filepath.FromSlash(rel), content, mode.Perm()); err != nil {
		return fmt.Errorf("%q could not be written: %w", rel, inner(err))
	}
	return nil
}

// inner is an error without the path of this machine in it.
func inner(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	case errors.Is(err, io.ErrShortWrite):
		return io.ErrShortWrite
	}
	return err
}
