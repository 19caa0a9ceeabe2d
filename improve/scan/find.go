package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/sessions"
)

// unit is something to read: a file, or our own store where it has no name.
type unit struct {
	file  string
	host  string // "" is found out
	want  string // only if it is this host's
	only  string // the id of the one session that is meant
	size  int64
	named bool // by the person, and so an error where it cannot be read
	maybe bool // found in a named folder: it may be something else
}

// maxUnits bounds the memory that a listing takes.
const maxUnits = 500_000

// find collects what to read: what is named, or else all that is there.
func (s *run) find(ctx context.Context) ([]unit, error) {
	if len(s.query.Names) == 0 {
		return s.findAll(), ctx.Err()
	}
	var units []unit
	for _, name := range s.query.Names {
		info, err := os.Stat(name)
		switch {
		case err == nil && info.IsDir():
			units = append(units, s.folder(name)...)
		case err == nil:
			units = append(units, unit{file: name, host: s.query.Host, size: info.Size(), named: true})
		case errors.Is(err, fs.ErrNotExist):
			found := s.session(name)
			if len(found) == 0 {
				return nil, noSuchSession(name)
			}
			units = append(units, found...)
		default:
			return nil, err
		}
	}
	return units, ctx.Err()
}

// findAll lists the sessions of every host, and our own.
func (s *run) findAll() []unit {
	var units []unit
	host := s.query.Host
	for _, d := range sessions.Dirs(s.opt.Getenv) {
		if host == "" || host == d.Host {
			s.all.Looked = append(s.all.Looked, d.Path)
			units = append(units, s.below(d)...)
		}
	}
	if name, ok := s.storeName(); ok && (host == "" || host == trimtab.OwnHost) {
		s.all.Looked = append(s.all.Looked, name)
		units = append(units, unit{host: host})
	}
	return units
}

// below lists the files of a host that were written since.
func (s *run) below(d sessions.Dir) []unit { return s.walk(d.Path, d.Holds, unit{host: d.Host}) }

// folder lists what may be sessions in a folder that was named.
func (s *run) folder(dir string) []unit {
	return s.walk(dir, func(base string) bool {
		return slices.Contains([]string{".jsonl", ".json", ".txt", ".db", ".sqlite"}, filepath.Ext(base))
	}, unit{want: s.query.Host, maybe: true})
}

// walk lists files. A folder that cannot be read is told and passed over; one that
// is not there holds nothing. Links are not followed.
func (s *run) walk(dir string, fits func(base string) bool, like unit) []unit {
	var out []unit
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			s.unread(path, err, false)
			return fs.SkipDir
		case !d.Type().IsRegular() || !fits(d.Name()):
			return nil
		case len(out) == maxUnits:
			return fs.SkipAll
		}
		info, err := d.Info()
		if err != nil {
			return nil // it went away since it was listed
		}
		database := filepath.Ext(path) == ".db" || filepath.Ext(path) == ".sqlite" // what is new in one may still be in its log
		if !database && info.ModTime().Before(s.query.Since) {
			return nil
		}
		u := like
		u.file, u.size = path, info.Size()
		out = append(out, u)
		return nil
	})
	if err != nil {
		s.unread(dir, err, false)
	}
	return out
}

// session finds a session by its id: files that have it in their name, and the
// databases and our store, which are asked.
func (s *run) session(id string) []unit {
	if trimtab.CheckID(id) != nil {
		return nil
	}
	var out []unit
	databases := []unit{}
	for _, d := range sessions.Dirs(s.opt.Getenv) {
		if s.query.Host != "" && s.query.Host != d.Host {
			continue
		}
		for _, u := range s.below(d) {
			switch {
			case filepath.Ext(u.file) == ".db":
				u.only = id
				databases = append(databases, u)
			case strings.Contains(filepath.Base(u.file), id):
				out = append(out, u)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	if _, ok := s.storeName(); ok {
		databases = append(databases, unit{only: id})
	}
	s.wanted = append(s.wanted, id)
	return databases
}

// storeName says where our own store is, if there is one.
func (s *run) storeName() (string, bool) {
	if s.opt.Store == nil {
		return "", false
	}
	return s.opt.Store.Where()
}

// noSuchSession says where a session was looked for.
func noSuchSession(name string) error {
	return fmt.Errorf("%q is neither a file nor a folder, and no session of that id was found: %w", name, trimtab.ErrNotFound)
}

// within reports whether a folder is another one or below it.
func within(dir, above string) bool {
	rel, err := filepath.Rel(above, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// RealFolder is a folder's name without symbolic links, as agents write it down. It may be
// gone; its sessions are not.
func RealFolder(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real, nil
	}
	return dir, nil
}
