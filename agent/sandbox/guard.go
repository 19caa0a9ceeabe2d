package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// gitFixed are files and folders of a repository by which git runs programs: hooks,
// and settings such as core.fsmonitor. A person's next git status would run what a
// command wrote there, outside of every box.
var gitFixed = []string{"config", "config.worktree", "hooks", "info", "modules", "worktrees"}

// gitBinds are bubblewrap's arguments that keep those from being written to. The
// folder itself is bound over itself, so that it cannot be moved out of the way. The
// rest of it stays as it is, since a command may commit.
func (b *Box) gitBinds() []string {
	var args []string
	for _, dir := range b.write {
		git := filepath.Join(dir, ".git")
		info, err := os.Lstat(git)
		switch {
		case err != nil || info.Mode()&os.ModeSymlink != 0:
		case !info.IsDir(): // a worktree's, which names the folder
			args = append(args, "--ro-bind", git, git)
		default:
			args = append(args, "--bind", git, git)
			_ = os.Mkdir(filepath.Join(git, "hooks"), 0o755) // #nosec G301 -- as git makes it; else a command could
			for _, name := range gitFixed {
				name = filepath.Join(git, name)
				if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink == 0 {
					args = append(args, "--ro-bind", name, name)
				}
			}
		}
	}
	return args
}

// expose takes out of what is hidden what the person opened, and what lies in a
// folder to write to, which cannot be hidden.
func (b *Box) expose(read []string, home string) error {
	var opened []string
	for _, path := range read {
		full, err := expand(path, home)
		if err != nil {
			return err
		}
		opened = append(opened, full)
	}
	b.hide = slices.DeleteFunc(slices.Clone(b.hide), func(path string) bool {
		return slices.ContainsFunc(resolve(path), func(real string) bool {
			return slices.ContainsFunc(opened, func(o string) bool { return within(o, real) || within(o, path) })
		})
	})
	return nil
}

// inside are the hidden paths that lie in a folder to write to.
func (b *Box) inside(path string) bool {
	return slices.ContainsFunc(resolve(path), func(real string) bool {
		return filepath.Dir(real) == real || slices.ContainsFunc(b.write, func(dir string) bool { return within(dir, real) })
	})
}

// open says what a guarded box leaves open.
func (b *Box) open(sockets bool) []string {
	var out []string
	before := len(b.hide)
	b.hide = slices.DeleteFunc(b.hide, b.inside)
	if len(b.hide) < before {
		out = append(out, "secrets in the project folder can be read")
	}
	if b.kind == Landlock {
		out = append(out, "git's hooks and settings in the project can be changed, and the mode and times of files outside: install bubblewrap")
	}
	if b.sockets && !sockets {
		out = append(out, "programs outside can be reached by their sockets")
	}
	return out
}
