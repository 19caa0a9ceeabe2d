package local

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"

	"github.com/trimtab/trimtab/forge"
)

// add makes a numbered folder with files in it, under the next number. The
// folder is filled under another name first and then moved: a folder that has
// something in it cannot be replaced by that, so a number is given once.
func (f *Forge) add(kind string, files map[string][]byte) (int, error) {
	fresh := path.Join(kind, ".new-"+f.opt.Name())
	if err := f.root.Mkdir(fresh, 0o700); err != nil {
		return 0, err
	}
	defer f.root.RemoveAll(fresh)
	for name, raw := range files {
		if err := f.put(path.Join(fresh, name), raw); err != nil {
			return 0, err
		}
	}
	if err := f.sync(fresh); err != nil {
		return 0, err
	}
	for range 1000 {
		all, err := f.numbers(kind)
		if err != nil {
			return 0, err
		}
		next := 1
		if len(all) > 0 {
			next = all[0] + 1
		}
		err = f.root.Rename(fresh, place(kind, next))
		if err == nil {
			return next, f.sync(kind)
		}
		if _, taken := f.root.Stat(place(kind, next)); taken != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("%s: found no free number", kind)
}

// place is the folder of a number.
func place(kind string, number int) string { return path.Join(kind, fmt.Sprintf("%04d", number)) }

// numbers returns those that were given, the highest first.
func (f *Forge) numbers(kind string) ([]int, error) {
	entries, err := f.entries(kind)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err == nil && n > 0 && e.IsDir() && path.Base(place(kind, n)) == e.Name() {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return b - a })
	return out, nil
}

func (f *Forge) entries(folder string) ([]fs.DirEntry, error) {
	dir, err := f.root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}

// read reads a page.
func (f *Forge) read(doing, name string) (page, error) {
	file, err := f.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return page{}, f.fail(doing, forge.ErrNotFound, "")
	}
	if err != nil {
		return page{}, f.fail(doing, forge.ErrUnreachable, err.Error())
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxPage+1))
	if err != nil {
		return page{}, f.fail(doing, forge.ErrUnreachable, err.Error())
	}
	p, err := readPage(raw)
	if err != nil {
		return page{}, &forge.Error{Forge: "local", Doing: doing, Err: forge.ErrRefused, Said: name + ": " + err.Error(), Do: "fix the file"}
	}
	return p, nil
}

// replace writes a file under another name and moves it into its place: a reader
// sees the old one or the new one.
func (f *Forge) replace(name string, raw []byte) error {
	fresh := path.Join(path.Dir(name), ".new-"+f.opt.Name())
	defer f.root.Remove(fresh)
	if err := f.put(fresh, raw); err != nil {
		return err
	}
	if err := f.root.Rename(fresh, name); err != nil {
		return err
	}
	return f.sync(path.Dir(name))
}

// put writes a new file down to the disk.
func (f *Forge) put(name string, raw []byte) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, bytes.NewReader(raw))
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
