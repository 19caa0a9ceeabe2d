package subprocess

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/trimtab/trimtab/agent/sandbox"
)

// Setting is where a program runs and what it may write to.
type Setting struct {
	Dir      string   // the folder it runs in
	ReadOnly bool     // it may not write there either, where a sandbox can keep it from that
	Write    []string // further folders that it may write to; those that do not exist are left out
	Cache    string   // a folder for what programs build, kept from one run to the next; "" keeps nothing
	Hide     []string // files and folders that it may not read, where there is a sandbox; see Secrets
	Sandbox  sandbox.Config
	Self     string // this program, for the sandbox; found out if not given
}

// Place is a private folder and a sandbox for one run.
type Place struct {
	Home string // a home of its own, empty
	Temp string

	root  string
	dir   string
	cache string
	box   *sandbox.Box
}

// Open makes a place. The caller closes it.
func Open(s Setting) (*Place, error) {
	dir, err := folder(s.Dir)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp("", "trimtab-run-")
	if err != nil {
		return nil, fmt.Errorf("make a private folder for the run: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("make a private folder for the run: %w", err)
	}
	p := &Place{root: root, dir: dir, cache: s.Cache, Home: filepath.Join(root, "home"), Temp: filepath.Join(root, "tmp")}
	for _, d := range []string{p.Home, p.Temp} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("make a private folder for the run: %w", err), p.Close())
		}
	}
	cfg := s.Sandbox
	cfg.Write = append(append([]string{}, cfg.Write...), root)
	for _, w := range s.Write {
		if info, err := os.Stat(w); err == nil && info.IsDir() {
			cfg.Write = append(cfg.Write, w)
		}
	}
	writable := dir
	if s.ReadOnly { // the sandbox always opens one folder; this one is nobody's
		writable = root
	}
	if p.box, err = sandbox.New(cfg, sandbox.Options{Dir: writable, Self: s.Self, Cache: s.Cache, Hide: s.Hide, Read: []string{dir}}); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// folder is a full path without symbolic links.
func folder(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("no folder to run in")
	}
	real, err := filepath.Abs(dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return "", fmt.Errorf("the folder to run in: %w", err)
	}
	return real, nil
}

// Boxed names the sandbox: "landlock", "bubblewrap", or "" for none.
func (p *Place) Boxed() string {
	if kind := p.box.Status().Kind; kind != sandbox.None {
		return string(kind)
	}
	return ""
}

// Close takes away the private folder.
func (p *Place) Close() error {
	var errs []error
	if p.box != nil {
		errs = append(errs, p.box.Close())
	}
	if err := os.RemoveAll(p.root); err != nil {
		// A program may leave folders that cannot be entered, as Go's module cache does.
		_ = filepath.WalkDir(p.root, func(name string, d os.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(name, 0o700) // #nosec G302 -- a folder of ours, about to be removed
			}
			return nil
		})
		errs = append(errs, os.RemoveAll(p.root))
	}
	return errors.Join(errs...)
}
