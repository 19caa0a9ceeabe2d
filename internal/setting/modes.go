package setting

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/trust"
	"github.com/trimtab/trimtab/steer/mode"
)

// Mode is a mode and where it comes from.
type Mode struct {
	mode.Definition
	Source string `json:"source"` // "built in", or its file
}

// Modes are the modes from files, and what is wrong with the rest.
type Modes struct {
	List     []Mode
	Problems []mode.Problem
}

const maxModes = 200 // files that are read

// ModeFolder is where a person's own modes are.
func (f Found) ModeFolder() string { return filepath.Join(filepath.Dir(f.User), "modes") }

// Modes reads the modes from files: the person's own, and the project's if it is
// trusted. A bad file never hides the good ones.
func (f Found) Modes() (*Modes, error) {
	own := &Modes{}
	dir := f.ModeFolder()
	names, err := filepath.Glob(filepath.Join(globSafe(dir), "*.json"))
	if err != nil {
		return nil, fmt.Errorf("modes in %s: %w", dir, err)
	}
	for _, file := range names[:min(len(names), maxModes)] {
		own.Read(file)
	}
	n := 0
	for _, name := range slices.Sorted(maps.Keys(f.Project.Files)) {
		if ok, err := path.Match("modes/*.json", name); err != nil || !ok {
			continue
		}
		if n++; n <= maxModes {
			own.add(filepath.Join(f.Project.Dir, trust.Folder, filepath.FromSlash(name)), f.Project.Files[name])
		}
	}
	return own, nil
}

// globSafe guards a folder's name against being taken as a pattern.
func globSafe(dir string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(dir)
}

// Read adds the mode of a file, or what is wrong with it.
func (m *Modes) Read(file string) {
	data, err := readMode(file)
	if err != nil {
		m.Problems = append(m.Problems, mode.Problem{File: file, Text: err.Error()})
		return
	}
	m.add(file, data)
}

// add adds the mode of a file's text, which may have comments and commas before a
// closing bracket, or what is wrong with it.
func (m *Modes) add(file string, data []byte) {
	if len(data) <= mode.MaxFile { // of a longer one, Parse says so
		plain, line, err := config.Standardize(bytes.TrimPrefix(data, []byte("\ufeff")))
		if err != nil {
			m.Problems = append(m.Problems, mode.Problem{File: file, Line: line, Text: err.Error()})
			return
		}
		data = plain
	}
	def, problems := mode.Parse(file, data)
	m.Problems = append(m.Problems, problems...)
	if len(problems) > 0 {
		return
	}
	for _, other := range m.List {
		if other.ID == def.ID {
			m.Problems = append(m.Problems, mode.Problem{File: file, Line: 1, Path: "id", Text: fmt.Sprintf("the mode %q is in %s already; give another id", def.ID, other.Source)})
			return
		}
	}
	m.List = append(m.List, Mode{def, file})
}

// readMode reads a file, a little more than is allowed at most.
func readMode(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	return io.ReadAll(io.LimitReader(f, mode.MaxFile+1))
}

// builtIn is the Source of a mode that is no file's.
const builtIn = "built in"

// All are the built-in modes, with those from files beside them or in the place of the
// one that may be replaced.
func (m *Modes) All() []Mode {
	var all []Mode
	for _, def := range append(mode.BuiltIn(), mode.Sessions()...) {
		if !slices.ContainsFunc(m.List, func(own Mode) bool { return own.ID == def.ID }) {
			all = append(all, Mode{Definition: def, Source: builtIn})
		}
	}
	return append(all, m.List...)
}

// Find finds one of All by its id or name.
func (m *Modes) Find(id string) (Mode, error) {
	var ids []string
	for _, each := range m.All() {
		if strings.EqualFold(each.ID, id) || strings.EqualFold(each.Name, id) {
			return each, nil
		}
		ids = append(ids, each.ID)
	}
	if near := config.Nearest(id, ids); near != "" {
		return Mode{}, fmt.Errorf("no mode is called %q; did you mean %s?", id, near)
	}
	return Mode{}, fmt.Errorf("no mode is called %q", id)
}

// Definitions are the modes from files, for the engine.
func (m *Modes) Definitions() []mode.Definition {
	var out []mode.Definition
	for _, own := range m.List {
		out = append(out, own.Definition)
	}
	return out
}
