package steps

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/project"
)

// Each worker that takes the item has a working tree of its own, named after its
// fence: an agent that outlived a killed worker edits the old one, and never what
// is pushed.
func (j *Job) place() string {
	return filepath.Join(j.folder, fmt.Sprintf("tree-%d-%d", max(j.Item.Attempt, 1), j.Item.Fence))
}

// stands are where the working tree was set up.
type stands struct {
	git.Tree
	branch string
	base   string // commit
}

// tree returns this worker's working tree in the state that the last of the
// earlier steps left it in.
func (j *Job) tree(ctx context.Context, before improve.StepName) (stands, error) {
	var s stands
	var err error
	if s.branch, err = j.fact(Branch, "branch"); err != nil {
		return s, err
	}
	if s.base, err = j.fact(Branch, "base"); err != nil {
		return s, err
	}
	head, content := s.base, s.base
	list := Steps()
	limit := Place(list, before)
	for _, e := range j.Item.Evidence {
		if Place(list, e.Step) >= limit || e.Error != "" {
			continue
		}
		if c := e.Facts["commit"]; c != "" {
			head = c
		}
		if t := e.Facts["tree"]; t != "" {
			content = t
		}
	}
	if s.Tree, err = j.stand(ctx, s.branch, head); err != nil {
		return s, err
	}
	return s, s.restore(ctx, head, content)
}

// stand sets up this worker's working tree on the branch, which is made where
// there is none.
func (j *Job) stand(ctx context.Context, branch, commit string) (git.Tree, error) {
	path := j.place()
	tree := j.env.opt.Git.In(path)
	if out, err := tree.Run(ctx, "symbolic-ref", "--short", "HEAD"); err == nil && strings.TrimSpace(out) == branch && j.within(ctx, tree) {
		return tree, nil
	}
	if err := j.clear(ctx); err != nil {
		return tree, err
	}
	project := j.project()
	_, err := project.Commit(ctx, "refs/heads/"+branch)
	switch {
	case errors.Is(err, git.ErrNoCommit):
		if err = j.have(ctx, branch, commit); err == nil { // the branch may have been taken away since
			err = project.AddWorktree(ctx, path, branch, commit)
		}
	case err == nil:
		_, err = project.Run(ctx, "worktree", "add", "--quiet", "--force", "--", path, branch)
	}
	if err != nil {
		return tree, err
	}
	return tree, j.setUp(ctx, tree)
}

// errSetUp is a working tree in which the project's commands cannot be run.
var errSetUp = errors.New("the working tree could not be set up")

// setUp brings into a fresh working tree what the project's commands need.
func (j *Job) setUp(ctx context.Context, tree git.Tree) error {
	r, has, err := j.checkOne(ctx, "setup", stands{Tree: tree}, "setup.log")
	if err == nil && has && r.Exit != 0 {
		err = fmt.Errorf("%w: %s exits with %d, see setup.log; set improve.checks.setup to what does, or to none", errSetUp, r.Command, r.Exit)
	}
	return err
}

// link is the file that leads git from a working tree to its repository. An agent
// that changed it could have git read settings, and run commands, of its own.
func link(folder string) (string, error) {
	name := filepath.Join(folder, ".git")
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", err
	}
	raw, err := os.ReadFile(name)
	return string(raw), err
}

// sound refuses a working tree in which a foreign program, which could do so in its
// sandbox, has led git elsewhere: git runs outside of it. Lead is what link said
// before. A repository inside the tree counts, since git looks into it with the
// settings of that one, but not where the project ignores it.
func (j *Job) sound(ctx context.Context, folder, lead string) error {
	if now, err := link(folder); err != nil || now != lead {
		return errors.Join(err, fmt.Errorf("%s: it was changed where git finds its repository; nothing of it is used", folder))
	}
	if folder == j.Item.Project { // the person's own, and nobody may write there
		return nil
	}
	inner, err := repositories(folder)
	if err != nil {
		return fmt.Errorf("the working tree cannot be looked through: %w", err)
	}
	if len(inner) == 0 {
		return nil
	}
	ignored, err := j.env.opt.Git.In(folder).Run(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	if err != nil {
		return err
	}
	for _, name := range inner {
		if !slices.ContainsFunc(strings.Split(ignored, "\x00"), func(s string) bool {
			return strings.HasSuffix(s, "/") && strings.HasPrefix(filepath.ToSlash(name)+"/", s)
		}) {
			return fmt.Errorf("there is a repository of git in %s of the working tree that the project does not ignore; nothing of it is used", filepath.ToSlash(name))
		}
	}
	return nil
}

// repositories are the folders below one that git would take for repositories.
func repositories(folder string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); !strings.EqualFold(name, ".git") && !strings.EqualFold(name, "git~1") {
			return nil
		}
		if at := filepath.Dir(path); at != folder || d.Name() != ".git" {
			inner, err := filepath.Rel(folder, at)
			if err != nil {
				return err
			}
			out = append(out, inner)
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return out, err
}

// within reports whether git takes the folder for a working tree of its own, and
// not for a part of a repository around it.
func (j *Job) within(ctx context.Context, tree git.Tree) bool {
	out, err := tree.Run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return false
	}
	got, err1 := filepath.EvalSymlinks(strings.TrimSpace(out))
	want, err2 := filepath.EvalSymlinks(tree.Folder)
	return err1 == nil && err2 == nil && got == want
}

// clear removes the item's working trees, also those of earlier workers.
func (j *Job) clear(ctx context.Context) error {
	old, err := filepath.Glob(filepath.Join(j.folder, "tree-*"))
	if err != nil {
		return err
	}
	for _, path := range old {
		_ = j.project().RemoveWorktree(ctx, path) // it may be half made
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	_, err = j.project().Run(ctx, "worktree", "prune")
	return err
}

// restore sets the working tree to a commit with some content, whatever an agent
// that was killed had made of it.
func (s stands) restore(ctx context.Context, head, content string) error {
	for _, args := range [][]string{
		{"reset", "--quiet", "--hard", head, "--"},
		{"read-tree", "--reset", "-u", content},
		{"clean", "--quiet", "-ffd"},
	} {
		if _, err := s.Run(ctx, args[0], args[1:]...); err != nil {
			return err
		}
	}
	return nil
}

// snapshot stages all that is there and returns its tree. What tools leave behind
// wherever they run is no part of it.
func (s stands) snapshot(ctx context.Context) (string, error) {
	if _, err := s.Run(ctx, "add", "--all"); err != nil {
		return "", err
	}
	added, err := s.added(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	added = slices.DeleteFunc(added, func(name string) bool { return !project.IsLeaving(name) })
	if err := s.remove(ctx, added, "--cached"); err != nil {
		return "", err
	}
	out, err := s.Run(ctx, "write-tree")
	return strings.TrimSpace(out), err
}

// sweep takes away what a command of the project left behind: files that were not
// there before. What it changed stays, and is seen.
func (s stands) sweep(ctx context.Context, before []string) error {
	after, err := s.strangers(ctx)
	if err != nil || slices.Equal(before, after) {
		return err
	}
	root, err := os.OpenRoot(s.Folder) // what a program still at work does to folders leads nowhere else
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range after {
		if _, was := slices.BinarySearch(before, name); was || project.IsLeaving(name) {
			continue
		}
		if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// strangers are the files, in order, that git does not know and does not ignore.
func (s stands) strangers(ctx context.Context) ([]string, error) {
	out, err := s.Run(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	names := strings.Split(out, "\x00")
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == "" || strings.HasSuffix(name, "/") }), err
}

// added are the files that are staged and not in a commit or tree.
func (s stands) added(ctx context.Context, to string) ([]string, error) {
	out, err := s.Run(ctx, "diff", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=A", "--no-ext-diff", "--no-textconv", "--end-of-options", to)
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), nil
}

// remove takes files out of what is staged, a thousand at a time, and from the disk
// unless a flag says otherwise.
func (s stands) remove(ctx context.Context, names []string, flags ...string) error {
	for some := range slices.Chunk(names, 1000) {
		if _, err := s.Run(ctx, "rm", slices.Concat([]string{"--quiet", "--force"}, flags, []string{"--"}, some)...); err != nil {
			return err
		}
	}
	return nil
}

// patch is what is staged, against the base.
func (s stands) patch(ctx context.Context) ([]byte, error) {
	out, err := s.Run(ctx, "diff", "--cached", "--no-color", "--no-ext-diff", "--ignore-submodules=none", "--no-textconv", "--no-renames", "--binary", "--end-of-options", s.base)
	return []byte(out), err
}

// shown is the patch for somebody who reads it: of a file that is no text, only that
// it differs.
func (s stands) shown(ctx context.Context) (string, error) {
	return s.Run(ctx, "diff", "--cached", "--no-color", "--no-ext-diff", "--ignore-submodules=none", "--no-textconv", "--no-renames", "--end-of-options", s.base)
}

// sameTree refuses a change where none was allowed.
func (s stands) sameTree(ctx context.Context, want string) error {
	got, err := s.snapshot(ctx)
	if err == nil && got != want {
		err = errors.New("something changed files that should only have been looked at")
	}
	return err
}
