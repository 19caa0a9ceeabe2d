// Package setting finds what a person and a project have set: the settings files in
// their layers, and modes of their own. Every program of ours reads them here, each
// into the settings that it needs.
//
// What a project brings counts only as the very bytes that the person trusts. It
// never changes a file, and a bad one never hides a good one.
//
//	found, err := setting.Find(setting.From{Home: at, Env: os.Environ()})
//	cfg, report := config.Load[Settings](found.Sources)
//	modes := found.Modes()
package setting

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/internal/policy"
	"github.com/trimtab/trimtab/internal/trust"
)

// Limits are the sizes that one message may have.
type Limits struct {
	MaxMessage int `json:"maxMessage" default:"67108864" min:"1024" max:"536870912" doc:"largest message to take, in bytes"`
}

// From is where settings come from.
type From struct {
	Home home.Home
	Env  []string
	Sets []string // key=value, from the command line
}

// Found is what was found.
type Found struct {
	Sources config.Sources
	User    string // the person's file, which may not exist
	Project Project
}

// Project is a project's .trimtab and whether it may take effect.
type Project struct {
	Dir   string // "" where there is none
	State trust.State
	Why   string      // it has no effect
	Files trust.Files // as they are trusted; nil where they are not
}

// notSettings are names under TRIMTAB_ that mean something else.
var notSettings = []string{"TRIMTAB_DATA", "TRIMTAB_CONFIG", "TRIMTAB_SESSION", "TRIMTAB_USER", "TRIMTAB_RUN", "TRIMTAB_RUN_KEY", "TRIMTAB_RUN_URL", "TRIMTAB_E2E_CACHE", "TRIMTAB_HOOKS", "TRIMTAB_IMPROVE", "TRIMTAB_KILLS", "TRIMTAB_TEST_POSTGRES"}

// Find reads the files of every layer.
func Find(from From) (Found, error) {
	out := Found{Sources: config.Sources{Env: from.Env, Ignore: notSettings, Sets: from.Sets}}
	managed := from.Home.ManagedFile()
	data, err := Read(managed)
	switch {
	case err == nil:
		out.Sources.Layers = append(out.Sources.Layers, config.Layer{Name: "managed", File: managed, Data: data, Managed: true})
	case !errors.Is(err, fs.ErrNotExist): // a policy that cannot be read is not the same as none
		return out, fmt.Errorf("managed settings: %w", err)
	}
	dir, err := from.Home.DataDir()
	if err != nil {
		return out, err
	}
	if served, ok, err := policy.Layer(dir); err != nil {
		return out, err
	} else if ok {
		out.Sources.Layers = append(out.Sources.Layers, served)
	}
	file, named, err := from.Home.ConfigFile()
	if err != nil {
		return out, err
	}
	out.User = file
	data, err = Read(file)
	switch {
	case err == nil:
		out.Sources.Layers = append(out.Sources.Layers, config.Layer{Name: "user", File: file, Data: data})
	case named || !errors.Is(err, fs.ErrNotExist):
		return out, fmt.Errorf("settings: %w", err)
	}
	if out.Project, err = project(from.Home); err != nil {
		return out, err
	}
	if data, ok := out.Project.Files["trimtab.json"]; ok {
		out.Sources.Layers = append(out.Sources.Layers, config.Layer{Name: "project", File: filepath.Join(out.Project.Dir, trust.Folder, "trimtab.json"), Data: data, Guarded: true})
	}
	return out, nil
}

// maxFile is the largest settings file that is read.
const maxFile = 1 << 20

// Read reads a settings file.
func Read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: %d bytes are over the limit of %d", file, info.Size(), maxFile)
	}
	return os.ReadFile(file)
}

// Named is the variable by which a program that we start finds the settings file that was
// named to us: it may run in another folder.
func Named(file string) []string {
	if file == "" {
		return nil
	}
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	return []string{"TRIMTAB_CONFIG=" + file}
}

// Folder is the project: the folder that a program was started in.
func Folder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("the current folder: %w", err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir, nil
}

// project finds the project's .trimtab, in this folder or above, and reads it if
// the person trusts it as it is now.
func project(at home.Home) (Project, error) {
	dir, err := Folder()
	if err != nil {
		return Project{}, err
	}
	root := FindProject(dir)
	if root == "" {
		return Project{}, nil
	}
	book, err := Book(at)
	if err != nil {
		return Project{Dir: root, Why: err.Error()}, nil // an unreadable book trusts nothing, and says so
	}
	files, verdict, err := book.Files(root)
	p := Project{Dir: root, State: verdict.State, Why: verdict.String() + "; look at it, then: trimtab trust", Files: files}
	if err != nil { // then there are no files
		p.State, p.Why = trust.Unknown, err.Error()
	}
	return p, nil
}

// Idle reports whether a project's folder is there and has no effect.
func (p Project) Idle() bool {
	return p.Dir != "" && p.State != trust.Trusted && p.State != trust.Absent
}

// FindProject is the nearest folder, from dir upward, that has a .trimtab.
func FindProject(dir string) string {
	for {
		if info, err := os.Lstat(filepath.Join(dir, trust.Folder)); err == nil && info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Book is the person's list of what they trust.
func Book(at home.Home) (*trust.Book, error) {
	dir, err := at.DataDir()
	if err != nil {
		return nil, err
	}
	return trust.Open(filepath.Join(dir, "trust.json"))
}

// Repository is the folder at or above one that git keeps; "" where there is none.
func Repository(dir string) string {
	for dir != "" {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
	return ""
}

// Create writes a file of the person's that must not exist yet, unless forced.
func Create(path string, force bool, write func(io.Writer) error) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600) // #nosec G304 -- the person names it
	if os.IsExist(err) {
		return fmt.Errorf("%s exists already; give --force to overwrite it", path)
	}
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// CreateWith writes a file as Create does, with these bytes.
func CreateWith(path string, force bool, data []byte) error {
	return Create(path, force, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
