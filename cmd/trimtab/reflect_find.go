package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// shelf is where a host keeps its sessions: files below a folder, by how their
// names begin and end.
type shelf struct {
	host  string
	dir   string
	begin string
	end   []string
}

// shelves is the one table of where the hosts keep their sessions, below the home
// folder or where the environment says.
func (a *app) shelves() []shelf {
	home := cmp.Or(a.getenv("HOME"), a.getenv("USERPROFILE"))
	under := func(variable, usual string) string {
		if dir := a.getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
		if home == "" {
			return ""
		}
		return filepath.Join(home, filepath.FromSlash(usual))
	}
	lines := []string{".jsonl"}
	all := []shelf{
		{"claude", sub(under("CLAUDE_CONFIG_DIR", ".claude"), "projects"), "", lines},
		{"codex", sub(under("CODEX_HOME", ".codex"), "sessions"), "rollout-", lines},
		{"codex", sub(under("CODEX_HOME", ".codex"), "archived_sessions"), "rollout-", lines},
		{"opencode", sub(under("XDG_DATA_HOME", ".local/share"), "opencode"), "opencode", []string{".db"}},
		{"gemini", sub(under("", ".gemini"), "tmp"), "session-", []string{".jsonl", ".json"}},
		{"qwen", sub(under("", ".qwen"), "projects"), "", lines},
		{"goose", sub(under("XDG_DATA_HOME", ".local/share"), "goose", "sessions"), "sessions", []string{".db"}},
		{"pi", sub(under("", ".pi"), "agent", "sessions"), "", lines},
	}
	return slices.DeleteFunc(all, func(p shelf) bool { return p.dir == "" })
}

func sub(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

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

// found is what there is to read.
type found struct {
	units  []unit
	looked []string
}

const maxUnits = 500_000

// find collects what to read: what is named, or else all that is there.
func (s *scan) find(ctx context.Context, args []string, host string) (found, error) {
	var f found
	if len(args) == 0 {
		for _, p := range s.app.shelves() {
			if host == "" || host == p.host {
				f.looked = append(f.looked, p.dir)
				f.units = append(f.units, s.below(p)...)
			}
		}
		if store, ok := s.store(); ok && (host == "" || host == trimtab.OwnHost) {
			f.looked = append(f.looked, store)
			f.units = append(f.units, unit{host: host})
		}
		return f, ctx.Err()
	}
	for _, name := range args {
		info, err := os.Stat(name)
		switch {
		case err == nil && info.IsDir():
			f.units = append(f.units, s.folder(name, host)...)
		case err == nil:
			f.units = append(f.units, unit{file: name, host: host, size: info.Size(), named: true})
		case errors.Is(err, fs.ErrNotExist):
			units := s.session(name, host)
			if len(units) == 0 {
				return f, errNoSuchSession(name)
			}
			f.units = append(f.units, units...)
		default:
			return f, err
		}
	}
	return f, ctx.Err()
}

// below lists the files of a shelf that were written since.
func (s *scan) below(p shelf) []unit {
	return s.walk(p.dir, func(base string) bool {
		return strings.HasPrefix(base, p.begin) && slices.Contains(p.end, filepath.Ext(base))
	}, unit{host: p.host})
}

// folder lists what may be sessions in a folder that was named.
func (s *scan) folder(dir, host string) []unit {
	return s.walk(dir, func(base string) bool {
		return slices.Contains([]string{".jsonl", ".json", ".db", ".sqlite"}, filepath.Ext(base))
	}, unit{want: host, maybe: true})
}

// walk lists files. A folder that cannot be read is told and passed over; one that
// is not there holds nothing. Links are not followed.
func (s *scan) walk(dir string, fits func(base string) bool, like unit) []unit {
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
		database := filepath.Ext(path) != ".jsonl" && filepath.Ext(path) != ".json" // what is new in one may still be in its log
		if !database && info.ModTime().Before(s.since) {
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
func (s *scan) session(id, host string) []unit {
	if trimtab.CheckID(id) != nil {
		return nil
	}
	var out []unit
	databases := []unit{}
	for _, p := range s.app.shelves() {
		if host != "" && host != p.host {
			continue
		}
		for _, u := range s.below(p) {
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
	if _, ok := s.store(); ok {
		databases = append(databases, unit{only: id})
	}
	s.wanted = append(s.wanted, id)
	return databases
}

// store is where our own store is, if there is one. Looking back makes none.
func (s *scan) store() (string, bool) {
	if cfg, err := s.app.config(); err == nil && cfg.Store.URL != "" {
		return "the database server", true
	}
	dir, err := s.app.dataDir()
	if err != nil {
		return "", false
	}
	file := filepath.Join(dir, "trimtab.db")
	_, err = os.Stat(file)
	return file, err == nil
}
