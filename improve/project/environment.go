package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A fresh working tree lacks what a project never commits: its virtual environment and its
// installed packages. Both are used from the person's own folder, where a sandbox lets them
// be read only. Code of the project itself must come from the working tree, though both
// remember where the person has it.

// venvs are the usual names of a virtual environment.
var venvs = []string{".venv", "venv", "env"}

// venv is the virtual environment of a working tree: its own, else the person's; "" for none.
func (p *Project) venv(dir string) string {
	for _, root := range []string{dir, p.opt.Root} {
		for _, name := range venvs {
			at := filepath.Join(root, name)
			if root == "" || !filepath.IsAbs(at) {
				continue
			}
			if info, err := os.Stat(filepath.Join(at, "pyvenv.cfg")); err == nil && info.Mode().IsRegular() {
				return at
			}
		}
	}
	return ""
}

// binOf is where a virtual environment has its programs.
func binOf(venv string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(venv, "Scripts")
	}
	return filepath.Join(venv, "bin")
}

// python are the variables by which programs use a virtual environment, and find the
// project's own modules in the working tree first.
func (p *Project) python(dir string, env []string) []string {
	venv := p.venv(dir)
	if venv == "" {
		return nil
	}
	path := ""
	for _, pair := range env {
		if v, ok := strings.CutPrefix(pair, "PATH="); ok {
			path = v
		}
	}
	modules := dir
	if info, err := os.Stat(filepath.Join(dir, "src")); err == nil && info.IsDir() {
		modules = filepath.Join(dir, "src") + string(os.PathListSeparator) + dir
	}
	return []string{
		"PATH=" + binOf(venv) + string(os.PathListSeparator) + path, "VIRTUAL_ENV=" + venv, "PYTHONPATH=" + modules, "PYTHONDONTWRITEBYTECODE=1",
		"UV_PROJECT_ENVIRONMENT=" + venv, "UV_NO_SYNC=1", "UV_OFFLINE=1", "POETRY_VIRTUALENVS_CREATE=false",
	}
}

// fitted is a command as it is run where the person's environment is used, and false where
// that makes it needless: what is installed need not be installed again, which would want a
// network.
func (p *Project) fitted(dir string, c Command) (Command, bool) {
	venv := p.venv(dir)
	switch {
	case c.Kind == Setup && venv != "" && slices.Contains([]string{"uv", "poetry"}, c.Argv[0]):
		return c, false
	case c.Kind == Setup && slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, c.Argv[0]) && p.lends(dir):
		return c, false
	case venv != "" && len(c.Argv) > 2 && slices.Contains([]string{"uv", "poetry"}, c.Argv[0]) && c.Argv[1] == "run":
		c.Argv = c.Argv[2:] // the environment is told by variables
	}
	return c, true
}

// byEnvironment is the command for tests that only what is installed shows.
func (p *Project) byEnvironment(dir string) (Command, bool) {
	venv := p.venv(dir)
	if venv == "" {
		return Command{}, false
	}
	for _, name := range []string{"pytest", "pytest.exe"} {
		if _, err := os.Stat(filepath.Join(binOf(venv), name)); err != nil {
			continue
		}
		for _, folder := range []string{"tests", "test"} {
			if info, err := os.Stat(filepath.Join(dir, folder)); err == nil && info.IsDir() {
				return Command{Kind: Test, Argv: []string{"python3", "-m", "pytest"}, From: "the virtual environment"}, true
			}
		}
	}
	return Command{}, false
}

// installed is where packages of Node are.
const installed = "node_modules"

// lends reports whether the person's folder has packages that a working tree can use.
func (p *Project) lends(dir string) bool {
	if p.opt.Root == "" || p.opt.Root == dir || runtime.GOOS == "windows" {
		return false
	}
	info, err := os.Lstat(filepath.Join(p.opt.Root, installed))
	return err == nil && info.IsDir()
}

// maxPackages is the most folders with packages of their own that are looked for.
const maxPackages = 500

// furnish lets a working tree use the packages of the person's folder: a folder of links,
// in which those that lead to packages of the project itself, as workspaces have them, lead
// into the working tree.
func (p *Project) furnish(dir string) error {
	if !p.lends(dir) {
		return nil
	}
	for _, at := range packages(p.opt.Root) {
		from, to := filepath.Join(p.opt.Root, at, installed), filepath.Join(dir, at, installed)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if info, err := os.Lstat(filepath.Join(dir, at)); err != nil || !info.IsDir() {
			continue
		}
		if info, err := os.Lstat(from); err != nil || !info.IsDir() {
			continue
		}
		if err := p.lend(dir, from, to); err != nil {
			return errors.Join(err, os.RemoveAll(to))
		}
	}
	return nil
}

// packages are the folders of a project that have a package.json, its top first.
func packages(root string) []string {
	out := []string{"."}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be read has none
		rel, failed := filepath.Rel(root, path)
		switch {
		case err != nil || failed != nil:
			return fs.SkipDir
		case d.IsDir() && rel != "." && (d.Name() == installed || strings.HasPrefix(d.Name(), ".") || strings.Count(rel, string(filepath.Separator)) > 3):
			return fs.SkipDir
		case len(out) >= maxPackages:
			return fs.SkipAll
		case d.Name() == "package.json" && filepath.Dir(rel) != ".":
			out = append(out, filepath.Dir(rel))
		}
		return nil
	})
	return out
}

// lend makes one folder of links.
func (p *Project) lend(dir, from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, there := filepath.Join(to, e.Name()), filepath.Join(from, e.Name())
		switch {
		case e.Name() == ".cache" || e.Name() == ".vite" || e.Name() == ".vitest": // tools write there
		case strings.HasPrefix(e.Name(), "@") && e.IsDir():
			err = p.lend(dir, there, name)
		default:
			err = os.Symlink(p.ownPackage(dir, there), name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ownPackage is what a link stands for: for one that leads to a part of the project itself,
// that part of the working tree.
func (p *Project) ownPackage(dir, there string) string {
	real, err := filepath.EvalSymlinks(there)
	root, failed := filepath.EvalSymlinks(p.opt.Root)
	if err != nil || failed != nil {
		return there
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) || slices.Contains(strings.Split(rel, string(filepath.Separator)), installed) {
		return there
	}
	return filepath.Join(dir, rel)
}
