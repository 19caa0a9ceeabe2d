// Package handover lets a worker on one machine go on with what a worker on another one
// began: it finds or clones the repository of an item, and keeps the papers, the logs and
// the state of the working tree after each step in the store.
//
// It does no step and files nothing. What it takes out of the store is checked against the
// evidence by the steps that read it.
//
//	h := handover.New(handover.Options{Folder: papers, Clones: clones, Files: queue, Git: program, Repo: repositoryOf})
//	folder, err := h.Checkout(ctx, item)
//	…
//	err = h.Restore(ctx, item, folder, forge.Remote())
//	list := h.Steps(steps.Steps())
package handover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/internal/atomicfile"
)

// Options are what a Handover works with. All but Known are needed.
type Options struct {
	Folder string                                          // of papers: one for each item
	Clones string                                          // folder for repositories that were cloned here
	Files  improve.FileStore                               // of the queue
	Git    git.Program                                     // with a name to commit under
	Repo   func(folder string) string                      // the repository in a folder, "" where none is known
	Known  func(ctx context.Context, repo string) []string // folders of this machine that may hold a repository; nil knows none
}

// Handover takes items over from other machines, and leaves them to others.
type Handover struct {
	opt Options
	mu  sync.Mutex // one at a time changes a clone
}

// New returns a Handover.
func New(opt Options) *Handover { return &Handover{opt: opt} }

// Checkout returns the folder of this machine with the repository of an item: where it was
// seen first, where the person has it, or a clone of our own, which is made.
func (h *Handover) Checkout(ctx context.Context, it improve.Item) (string, error) {
	if it.Repo == "" {
		if info, err := os.Stat(it.Project); err != nil || !info.IsDir() {
			return "", fmt.Errorf("%s is not on this machine, and no server is known that has it: give the project a remote origin", it.Project)
		}
		return it.Project, nil
	}
	candidates := []string{it.Project}
	if h.opt.Known != nil {
		candidates = append(candidates, h.opt.Known(ctx, it.Repo)...)
	}
	for _, folder := range candidates {
		if h.opt.Repo(folder) == it.Repo {
			return folder, nil
		}
	}
	return h.clone(ctx, it)
}

// clone returns our own clone of a repository, which is made where there is none.
func (h *Handover) clone(ctx context.Context, it improve.Item) (string, error) {
	folder := filepath.Join(h.opt.Clones, path.Base(it.Repo)+"-"+improve.Fingerprint("repository", it.Repo)[:8])
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.opt.Repo(folder) != it.Repo {
		if err := h.fresh(ctx, it, folder); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// update shows the newest commit in a clone of ours, before anything is done in it. That it
// cannot is no reason not to begin: the steps fetch what they begin from themselves.
func (h *Handover) update(ctx context.Context, it improve.Item, folder string) {
	if len(it.Evidence) > 0 || filepath.Dir(folder) != h.opt.Clones {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	tree := h.opt.Git.In(folder)
	if all, err := tree.Run(ctx, "worktree", "list", "--porcelain"); err != nil || strings.Count(all, "worktree ") > 1 {
		return // another item is worked on
	}
	if _, err := tree.Run(ctx, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "origin"); err == nil {
		_, _ = tree.Run(ctx, "checkout", "--quiet", "--force", "--detach", "refs/remotes/origin/HEAD")
	}
}

// fresh clones a repository. Nobody is led elsewhere by an item: its address must be that
// of the repository that the item is about.
func (h *Handover) fresh(ctx context.Context, it improve.Item, folder string) error {
	at, ok := git.ParseAddress(it.Remote)
	switch {
	case it.Remote == "":
		return fmt.Errorf("%s is not on this machine, and where it can be cloned is not known", it.Repo)
	case ok && at.String() != it.Repo, !ok && !filepath.IsAbs(it.Remote):
		return fmt.Errorf("%s is not on this machine, and %q is not its address", it.Repo, it.Remote)
	}
	if err := os.MkdirAll(h.opt.Clones, 0o700); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(h.opt.Clones, ".new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	here := h.opt.Git.In(h.opt.Clones)
	if _, err := here.Run(ctx, "clone", "--quiet", "--no-tags", "--no-recurse-submodules", "--", it.Remote, filepath.Join(temp, "c")); err != nil {
		return fmt.Errorf("%s cannot be cloned: %w", it.Repo, err)
	}
	fresh := filepath.Join(temp, "c")
	if got := h.opt.Repo(fresh); got != it.Repo {
		return fmt.Errorf("the clone of %s is one of %q", it.Repo, got)
	}
	// No branch of ours may be checked out where the steps make working trees.
	if _, err := h.opt.Git.In(fresh).Run(ctx, "checkout", "--quiet", "--detach"); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil { // a clone that was broken off or is of something else
		return err
	}
	return os.Rename(fresh, folder)
}

// Steps are the steps, each of which leaves what it made to others: before its evidence is
// recorded, so that whoever sees the evidence has the rest, too.
func (h *Handover) Steps(list []steps.Step) []steps.Step {
	out := make([]steps.Step, len(list))
	for i, s := range list {
		out[i] = s
		out[i].Do = func(ctx context.Context, j *steps.Job) (improve.Evidence, error) {
			e, err := s.Do(ctx, j)
			if err == nil {
				err = j.Guard(ctx) // what another worker left since is not replaced
			}
			if err == nil {
				err = h.save(ctx, j.Item, s.Name, e)
			}
			return e, err
		}
	}
	return out
}

// maxKept is how much of a file is kept, in bytes; of a longer log the end.
const maxKept = 16 << 20

// save keeps the files of a step and the state of the working tree after it.
func (h *Handover) save(ctx context.Context, it improve.Item, step improve.StepName, e improve.Evidence) error {
	for _, name := range e.Files {
		body, err := tail(filepath.Join(h.opt.Folder, it.ID, name))
		if err == nil {
			err = h.opt.Files.Save(ctx, it.ID, improve.File{Name: name, Body: body})
		}
		if err != nil {
			return fmt.Errorf("keep %s for other machines: %w", name, err)
		}
	}
	body, err := h.bundle(ctx, it, e)
	if err != nil || body == nil {
		return err
	}
	return h.opt.Files.Save(ctx, it.ID, improve.File{Name: bundleName(step), Body: body})
}

// bundleName is the file with the state of the working tree after a step. Each has one of
// its own: of a step that is done again only the newer one is right.
func bundleName(step improve.StepName) string {
	return strings.ReplaceAll(string(step), " ", "-") + bundleEnd
}

const bundleEnd = ".bundle"

// tail reads the end of a file.
func tail(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() > maxKept {
		if _, err := f.Seek(-maxKept, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, maxKept))
}

// bundle packs what a step left in the repository: its commit, and the tree that is not
// committed yet, which goes as a commit of its own.
func (h *Handover) bundle(ctx context.Context, it improve.Item, e improve.Evidence) ([]byte, error) {
	base, head, tree := "", "", e.Facts["tree"]
	for _, one := range append(it.Evidence[:len(it.Evidence):len(it.Evidence)], e) {
		if one.Error == "" {
			base, head = cmp.Or(one.Facts["base"], base), cmp.Or(one.Facts["commit"], head)
		}
	}
	if base == "" || tree == "" && e.Facts["commit"] == "" {
		return nil, nil
	}
	head = cmp.Or(head, base)
	project := h.opt.Git.In(it.Project)
	tip := head
	if tree != "" {
		out, err := project.Run(ctx, "commit-tree", "-p", head, "-m", "left by "+it.ID, tree)
		if err != nil {
			return nil, fmt.Errorf("keep the working tree for other machines: %w", err)
		}
		tip = strings.TrimSpace(out)
	}
	ref := "refs/trimtab/" + it.ID
	if _, err := project.Run(ctx, "update-ref", ref, tip); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Join(h.opt.Folder, it.ID), ".bundle-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	_ = file.Close()
	_, err = project.Run(ctx, "bundle", "create", "--quiet", file.Name(), ref, "^"+base)
	_, gone := project.Run(context.WithoutCancel(ctx), "update-ref", "-d", ref)
	if err = errors.Join(err, gone); err != nil {
		return nil, fmt.Errorf("keep the working tree for other machines: %w", err)
	}
	body, err := os.ReadFile(file.Name())
	if err == nil && len(body) > maxKept {
		err = fmt.Errorf("the change comes to %d bytes, which are too many to keep for other machines", len(body))
	}
	return body, err
}

// Restore puts the papers and logs of the steps that are done where the next ones look for
// them, and the state of the working tree into the repository. Remote is where the forge
// has the branches.
func (h *Handover) Restore(ctx context.Context, it improve.Item, project string, remote git.Remote) error {
	if h.update(ctx, it, project); len(it.Evidence) == 0 {
		return nil
	}
	kept, err := h.opt.Files.Files(ctx, it.ID)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for _, f := range kept {
		files[f.Name] = f.Body
	}
	for _, e := range it.Evidence {
		if e.Ended.IsZero() || e.Error != "" {
			continue
		}
		for _, name := range e.Files {
			if body, ok := files[name]; ok {
				if err := h.place(it.ID, name, body); err != nil {
					return err
				}
			}
		}
		if err := h.unpack(ctx, it, e, project, remote, files[bundleName(e.Step)]); err != nil {
			return err
		}
	}
	return nil
}

// place writes a paper, unless it is there.
func (h *Handover) place(id, name string, body []byte) error {
	if !filepath.IsLocal(id) || !filepath.IsLocal(name) {
		return fmt.Errorf("the store has a file %q of %q, which is no name of a paper", name, id)
	}
	file := filepath.Join(h.opt.Folder, id, name)
	if there, err := os.ReadFile(file); err == nil && string(there) == string(body) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, body, 0o600)
}

// unpack brings what a step left into the repository, where it is not there.
func (h *Handover) unpack(ctx context.Context, it improve.Item, e improve.Evidence, project string, remote git.Remote, body []byte) error {
	tree := h.opt.Git.In(project)
	has := func(id, kind string) bool {
		_, err := tree.Run(ctx, "cat-file", "-e", id+"^{"+kind+"}")
		return err == nil
	}
	if base := e.Facts["base"]; base != "" && !has(base, "commit") {
		if err := tree.Fetch(ctx, remote, e.Facts["base_branch"]); err != nil || !has(base, "commit") {
			return errors.Join(fmt.Errorf("commit %s, from which the work began, is not on this machine, and %s does not have it in %s", base, remote.URL, e.Facts["base_branch"]), err)
		}
	}
	if (e.Facts["tree"] == "" || has(e.Facts["tree"], "tree")) && (e.Facts["commit"] == "" || has(e.Facts["commit"], "commit")) {
		return nil
	}
	if body == nil {
		return fmt.Errorf("what the step %s left is neither on this machine nor in the store", e.Step)
	}
	if err := os.MkdirAll(filepath.Join(h.opt.Folder, it.ID), 0o700); err != nil {
		return err
	}
	file := filepath.Join(h.opt.Folder, it.ID, bundleName(e.Step))
	if err := atomicfile.Write(file, body, 0o600); err != nil {
		return err
	}
	defer os.Remove(file)
	if _, err := tree.Run(ctx, "bundle", "unbundle", file); err != nil {
		return fmt.Errorf("what the step %s left cannot be taken over: %w", e.Step, err)
	}
	return nil
}
