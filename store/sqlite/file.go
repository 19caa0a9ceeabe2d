package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// private makes the folder and, in it, an empty file that nobody else can read.
// A file that is there stays as it is.
//
// The file comes to its place by a link, already closed: on Unix, closing any
// descriptor of a file drops the locks that SQLite holds on it in this process.
func private(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	tmp, err := temp(dir)
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	if err := place(tmp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	syncDir(dir)
	syncDir(filepath.Dir(dir))
	return nil
}

// temp makes an empty file, 0600.
func temp(dir string) (string, error) {
	f, err := os.CreateTemp(dir, ".trimtab-*")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// place gives the file tmp the name path, unless there is one of that name.
func place(tmp, path string) error {
	err := os.Link(tmp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// No hard links on this file system. Claim the name, then take it.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// syncDir makes a new name in a folder durable. Where folders cannot be synced,
// as on Windows, the file system sees to it.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// tighten takes a file of ours away from the eyes of others. It belongs to
// someone else where that fails, and the choice is theirs.
func tighten(path string) {
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(path, 0o600)
	}
}
