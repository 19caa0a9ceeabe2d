package trust

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Folder is the name of the folder inside a project.
const Folder = ".trimtab"

// The limits of a folder. One that passes them is refused, not cut.
const (
	maxFiles = 1000    // files and folders in it
	maxBytes = 8 << 20 // of all files together
	maxDepth = 16      // folders inside each other
)

// refusalError is a folder that cannot be trusted as it is, whatever a person says.
type refusalError struct {
	Path string // inside the project
	Why  string
}

func (r *refusalError) Error() string { return fmt.Sprintf("%q cannot be trusted: %s", r.Path, r.Why) }

// Read returns the files of dir/.trimtab and the digest of exactly these bytes.
// The error is fs.ErrNotExist where there is no such folder, and a refusalError where
// it holds what no trusted folder may hold.
func Read(dir string) (Files, Digest, error) {
	dir, err := resolve(dir)
	if err != nil {
		return nil, Digest{}, err
	}
	files, err := readFolder(dir, func() {})
	if err != nil {
		return nil, Digest{}, fmt.Errorf("%s: %w", dir, err)
	}
	return files, files.Digest(), nil
}

// resolve makes a folder's name the one it is known by: absolute, without
// symbolic links.
func resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// readFolder reads the folder of a project. What a test does between the look at the
// folder and its opening is what somebody else may do there.
func readFolder(dir string, between func()) (Files, error) {
	project, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	seen, err := project.Lstat(Folder)
	if err != nil {
		return nil, err
	}
	if !seen.IsDir() {
		return nil, &refusalError{Folder, "it is " + kind(seen.Mode()) + ", not a folder"}
	}
	between()
	inside, err := project.OpenRoot(Folder)
	if err != nil {
		return nil, err
	}
	defer inside.Close()
	// A link may have taken the folder's place since it was looked at.
	if now, err := inside.Stat("."); err != nil || !os.SameFile(seen, now) {
		return nil, &refusalError{Folder, "it was replaced while it was read"}
	}
	r := &folder{root: inside, files: Files{}, names: map[string]string{}}
	err = r.walk(".", 1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &refusalError{Folder, "it changed while it was read"}
	}
	if err != nil {
		return nil, err
	}
	return r.files, nil
}

// folder is a folder being read.
type folder struct {
	root  *os.Root
	files Files
	names map[string]string // what was seen, by its name in lower case
	bytes int64
}

func refuse(name, format string, args ...any) error {
	return &refusalError{path.Join(Folder, name), fmt.Sprintf(format, args...)}
}

func (r *folder) walk(dir string, depth int) error {
	if depth > maxDepth {
		return refuse(dir, "folders are nested deeper than %d", maxDepth)
	}
	entries, err := r.list(dir)
	if err != nil {
		return err
	}
	for _, base := range entries {
		name := path.Join(dir, base)
		if err := r.name(name, base); err != nil {
			return err
		}
		info, err := r.root.Lstat(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		switch mode := info.Mode(); {
		case mode.IsDir():
			err = r.walk(name, depth+1)
		case mode.IsRegular():
			err = r.file(name, info)
		default:
			err = refuse(name, "it is %s", kind(mode))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list returns the names in a folder, in order, without reading more of a huge
// one than is needed to refuse it.
func (r *folder) list(dir string) ([]string, error) {
	f, err := r.root.OpenFile(filepath.FromSlash(dir), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	for len(r.names)+len(names) <= maxFiles {
		some, err := f.Readdirnames(maxFiles + 1 - len(r.names) - len(names))
		names = append(names, some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return names, nil
}

// name refuses names that are not the same to every system and every eye, and
// more of them than a folder may have.
func (r *folder) name(name, base string) error {
	if len(r.names) >= maxFiles {
		return refuse("", "it holds more than %d files and folders", maxFiles)
	}
	if !utf8.ValidString(base) || strings.ContainsFunc(base, func(c rune) bool { return c == '\\' || c == utf8.RuneError || !unicode.IsPrint(c) }) {
		return refuse(name, "its name holds characters that cannot be seen, or a backslash")
	}
	folded := fold(name)
	if other, taken := r.names[folded]; taken {
		return refuse(name, "its name differs from %q in upper and lower case only", other)
	}
	r.names[folded] = name
	return nil
}

// fold gives names that differ only in case the same form.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			least = min(least, c)
		}
		return least
	}, name)
}

func (r *folder) file(name string, seen fs.FileInfo) error {
	if r.bytes+seen.Size() > maxBytes {
		return refuse("", "its files hold more than %d bytes", maxBytes)
	}
	// Without waiting: a pipe may have taken the file's place, and opening one
	// would hang.
	f, err := r.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return err
	}
	if !now.Mode().IsRegular() || !os.SameFile(seen, now) {
		return refuse(name, "it was replaced while it was read")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBytes-r.bytes+1))
	if err != nil {
		return err
	}
	if r.bytes += int64(len(data)); r.bytes > maxBytes {
		return refuse("", "its files hold more than %d bytes", maxBytes)
	}
	r.files[name] = data
	return nil
}

// kind names what is not a plain file.
func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode.IsRegular():
		return "a file"
	}
	return "neither a file nor a folder"
}
