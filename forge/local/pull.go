package local

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
)

func pullFile(number int) string  { return path.Join(place("pulls", number), "pull.md") }
func patchFile(number int) string { return path.Join(place("pulls", number), "change.patch") }

func (f *Forge) pull(number int, p page) forge.Pull {
	out := forge.Pull{
		Number: number, Title: p.Title, Body: p.Body, Author: p.Author, Labels: p.Labels, State: forge.State(p.State), Draft: p.Draft,
		Head: p.Head, Base: p.Base, Commit: p.Commit, Created: p.Created, MergedAt: p.Merged,
		URL: filepath.Join(f.cfg.Folder, filepath.FromSlash(pullFile(number))),
	}
	if out.State == "" {
		out.State = forge.Open
	}
	return out
}

// Pull returns one. If it is open and its branch has moved on, the patch is
// written anew; if its commits are part of the base, it is merged.
func (f *Forge) Pull(ctx context.Context, number int) (forge.Pull, error) {
	doing := fmt.Sprintf("look at pull request %d", number)
	if err := ctx.Err(); err != nil {
		return forge.Pull{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.read(doing, pullFile(number))
	if err != nil {
		return forge.Pull{}, err
	}
	out := f.pull(number, p)
	if out.State != forge.Open {
		return out, nil
	}
	head, base, err := f.ends(ctx, doing, p.Head, p.Base)
	if errors.Is(err, forge.ErrRefused) { // a branch was removed: what was proposed stays as it was
		return out, nil
	}
	if err != nil {
		return forge.Pull{}, err
	}
	if err := f.follow(ctx, number, p, head, base); err != nil {
		return forge.Pull{}, f.fail(doing, forge.ErrUnreachable, err.Error())
	}
	if p, err = f.read(doing, pullFile(number)); err != nil {
		return forge.Pull{}, err
	}
	out = f.pull(number, p)
	if out.State == forge.Open {
		out.Merge, err = f.merge(ctx, base, head)
	}
	return out, err
}

// follow writes down where the branches are now.
func (f *Forge) follow(ctx context.Context, number int, p page, head, base string) error {
	merged, err := f.tree.Ancestor(ctx, head, base)
	if err != nil || !merged && head == p.Commit {
		return err
	}
	p.Commit = head
	if merged {
		p.State, p.Merged = string(forge.Merged), f.mergedAt(ctx, head, base)
	} else {
		patch, err := f.tree.Patch(ctx, base, head)
		if err != nil {
			return err
		}
		if err := f.replace(patchFile(number), []byte(patch)); err != nil {
			return err
		}
	}
	return f.replace(pullFile(number), p.write())
}

// mergedAt is when the base came to hold the head: the time of the commit that merged
// it, or now, where the base was only moved on and nothing tells.
func (f *Forge) mergedAt(ctx context.Context, head, base string) time.Time {
	out, err := f.tree.Run(ctx, "log", "--ancestry-path", "--topo-order", "--format=%cI", "--end-of-options", head+".."+base)
	times := strings.Fields(out)
	if err == nil && len(times) > 0 {
		if at, err := time.Parse(time.RFC3339, times[len(times)-1]); err == nil {
			return at
		}
	}
	return f.opt.Now().UTC()
}

func (f *Forge) merge(ctx context.Context, base, head string) (forge.Merge, error) {
	clean, err := f.tree.Merges(ctx, base, head)
	switch {
	case ctx.Err() != nil:
		return forge.MergeUnknown, ctx.Err()
	case err != nil: // a git that cannot try a merge without a working tree
		return forge.MergeUnknown, nil // not knowing is an answer
	case clean:
		return forge.MergeClean, nil
	}
	return forge.MergeConflict, nil
}

// ends returns the commits of two branches.
func (f *Forge) ends(ctx context.Context, doing, headName, baseName string) (head, base string, err error) {
	for name, to := range map[string]*string{headName: &head, baseName: &base} {
		*to, err = f.tree.Commit(ctx, "refs/heads/"+name)
		if errors.Is(err, git.ErrNoCommit) {
			return "", "", f.fail(doing, forge.ErrRefused, fmt.Sprintf("there is no branch %q", name))
		}
		if err != nil {
			return "", "", f.fail(doing, forge.ErrUnreachable, err.Error())
		}
	}
	return head, base, nil
}

// PullsFrom yields the pull requests from a branch.
func (f *Forge) PullsFrom(ctx context.Context, branch string) iter.Seq2[forge.Pull, error] {
	return func(yield func(forge.Pull, error) bool) {
		all, err := f.numbers("pulls")
		if err != nil {
			yield(forge.Pull{}, f.fail("list pull requests", forge.ErrUnreachable, err.Error()))
			return
		}
		for _, n := range all {
			p, err := f.read("list pull requests", pullFile(n))
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(forge.Pull{}, err)
				return
			}
			if p.Head == branch && !yield(f.pull(n, p), nil) {
				return
			}
		}
	}
}

// OpenPull makes one, with the patch beside it.
func (f *Forge) OpenPull(ctx context.Context, r forge.Proposal) (forge.Pull, error) {
	const doing = "open pull request"
	head, base, err := f.ends(ctx, doing, r.Head, r.Base)
	if err != nil {
		return forge.Pull{}, err
	}
	if nothing, err := f.tree.Ancestor(ctx, head, base); err != nil || nothing {
		return forge.Pull{}, f.fail(doing, forge.ErrRefused, fmt.Sprintf("%s has no commit that %s lacks", r.Head, r.Base))
	}
	for other, err := range f.PullsFrom(ctx, r.Head) {
		if err != nil {
			return forge.Pull{}, err
		}
		if other.State == forge.Open && other.Base == r.Base {
			return forge.Pull{}, f.fail(doing, forge.ErrExists, fmt.Sprintf("number %d proposes this branch", other.Number))
		}
	}
	patch, err := f.tree.Patch(ctx, base, head)
	if err != nil {
		return forge.Pull{}, f.fail(doing, forge.ErrUnreachable, err.Error())
	}
	p := page{
		Title: r.Title, Author: f.cfg.Self, State: string(forge.Open), Head: r.Head, Base: r.Base, Commit: head, Draft: r.Draft,
		Created: f.opt.Now().UTC(), Body: r.Body,
	}
	n, err := f.add("pulls", map[string][]byte{"pull.md": p.write(), "change.patch": []byte(patch)})
	if err != nil {
		return forge.Pull{}, f.fail(doing, forge.ErrUnclear, err.Error())
	}
	return f.pull(n, p), nil
}

// EditPull gives one another text.
func (f *Forge) EditPull(ctx context.Context, number int, body string) error {
	return f.change(ctx, fmt.Sprintf("edit pull request %d", number), pullFile(number), func(p *page) { p.Body = body })
}

// MayWrite is true of everybody: who can put a file into the folder can do all.
func (f *Forge) MayWrite(context.Context, string) (bool, error) { return true, nil }

// ClosePull closes one. One that was merged stays merged.
func (f *Forge) ClosePull(ctx context.Context, number int) error {
	return f.change(ctx, fmt.Sprintf("close pull request %d", number), pullFile(number), func(p *page) {
		if p.State != string(forge.Merged) {
			p.State = string(forge.Closed)
		}
	})
}

// Checks finds none: nothing runs here but what people run themselves.
func (f *Forge) Checks(context.Context, string) (forge.Checks, error) { return nil, nil }
