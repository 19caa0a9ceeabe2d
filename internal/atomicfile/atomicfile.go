// Package atomicfile writes files whole or not at all: after a crash, a full disk
// or a power cut there is the old file or the new one, never half of one.
//
//	err := atomicfile.Write(path, data, 0o600)
//
// It makes no folder and takes no lock: of two writers at once, the last one to
// finish wins. A symbolic link at the path is replaced by a file; whoever wants to
// keep the link resolves it first.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Write replaces the file of a path. One that is there keeps its permissions;
// perm is for a new one.
func Write(path string, data []byte, perm fs.FileMode) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return WriteIn(root, filepath.Base(path), data, perm)
}

// WriteIn is Write for a file below a root, which no link leads out of.
func WriteIn(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() {
		perm = info.Mode().Perm()
	}
	dir := filepath.Dir(name)
	temp := filepath.Join(dir, ".trimtab-"+rand.Text()[:10]+".tmp")
	file, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		// Before the rename: else a power cut may leave the new name without its text.
		err = errors.Join(file.Chmod(perm), file.Sync())
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return syncFolder(root, dir)
}

// syncFolder makes a rename survive a power cut. Windows has no such call, and
// some file systems refuse it: there it is the system's own affair.
func syncFolder(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
