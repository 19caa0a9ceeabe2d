package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// IsCommit reports whether a text is a full commit id.
func IsCommit(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// Init makes an empty bare repository with this default branch.
func (t Tree) Init(ctx context.Context, base string) error {
	_, err := t.Run(ctx, "init", "--quiet", "--bare", "--initial-branch="+base)
	return err
}

// Commit returns the commit that a name stands for, and ErrNoCommit where there
// is none.
func (t Tree) Commit(ctx context.Context, name string) (string, error) {
	out, err := t.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if e, ok := errors.AsType[*Error](err); ok && e.Exit == 1 {
		return "", fmt.Errorf("%s: %w", name, ErrNoCommit)
	}
	return strings.TrimSpace(out), err
}

// ErrNoCommit is a name that stands for no commit.
var ErrNoCommit = errors.New("there is no such commit")

// Ancestor reports whether a commit is another one or comes before it.
func (t Tree) Ancestor(ctx context.Context, before, after string) (bool, error) {
	_, err := t.Run(ctx, "merge-base", "--is-ancestor", "--end-of-options", before, after)
	if e, ok := errors.AsType[*Error](err); ok && e.Exit == 1 {
		return false, nil
	}
	return err == nil, err
}

// Merges reports whether two commits could be merged without a conflict. It
// writes to no branch.
func (t Tree) Merges(ctx context.Context, base, head string) (bool, error) {
	_, err := t.Run(ctx, "merge-tree", "--write-tree", "--end-of-options", base, head)
	if e, ok := errors.AsType[*Error](err); ok && e.Exit == 1 {
		return false, nil
	}
	return err == nil, err
}

// Patch returns the commits of head that base lacks, as git format-patch writes
// them.
func (t Tree) Patch(ctx context.Context, base, head string) (string, error) {
	return t.Run(ctx, "format-patch", "--stdout", "--no-ext-diff", "--no-textconv", "--binary", "--no-signature", "--end-of-options", base+".."+head)
}

// AddWorktree makes a working tree of its own on a new branch.
func (t Tree) AddWorktree(ctx context.Context, path, branch, commit string) error {
	if _, err := t.ref(ctx, branch); err != nil {
		return err
	}
	_, err := t.Run(ctx, "worktree", "add", "--quiet", "--no-track", "-b", branch, "--", path, commit)
	return err
}

// RemoveWorktree removes a working tree with all that is in it. The branch stays.
func (t Tree) RemoveWorktree(ctx context.Context, path string) error {
	_, err := t.Run(ctx, "worktree", "remove", "--force", "--", path)
	return err
}
