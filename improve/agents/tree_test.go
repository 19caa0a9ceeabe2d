package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
)

// The limits of a tree that is looked at.
const (
	maxTree  = 500_000 // entries
	maxBytes = 4 << 20 // of a file that is read whole; of a larger one, size and time count
)

// Tree is what a folder holds, by path: enough to tell whether anything changed.
type Tree map[string]string

// Look takes a folder down before a job that may only look; Changed tells
// afterwards what it changed all the same. It follows no symbolic link and leaves
// out git's own folder, but not the .git file of a linked working tree, which would
// lead git elsewhere.
func Look(dir string) (Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the folder: %w", err)
	}
	defer root.Close()
	out := Tree{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission): // it cannot be read, and so not by others who run as we do
			out[name] = "closed"
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && path.Base(name) == ".git":
			return fs.SkipDir
		case len(out) == maxTree:
			return fmt.Errorf("more than %d files", maxTree)
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		out[name], err = traits(root, name, info)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look at the folder %s: %w", dir, err)
	}
	return out, nil
}

// traits are what tells one state of an entry from another.
func traits(root *os.Root, name string, info fs.FileInfo) (string, error) {
	mode := info.Mode()
	switch {
	case mode.IsDir():
		return mode.String(), nil
	case mode&fs.ModeSymlink != 0:
		to, err := root.Readlink(name)
		return mode.String() + " " + to, err
	case !mode.IsRegular():
		return mode.String(), nil
	case info.Size() > maxBytes:
		return fmt.Sprintf("%s %d %d", mode, info.Size(), info.ModTime().UnixNano()), nil
	}
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return mode.String() + " closed", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(file, maxBytes+1)); err != nil {
		return "", err
	}
	return mode.String() + " " + hex.EncodeToString(sum.Sum(nil)), nil
}

// Changed returns the paths that are other than they were, sorted.
func (t Tree) Changed(after Tree) []string {
	var out []string
	for name := range maps.Keys(t) {
		if after[name] != t[name] {
			out = append(out, name)
		}
	}
	for name := range maps.Keys(after) {
		if _, ok := t[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
