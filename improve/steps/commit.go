package steps

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
)

// commit makes the commit and pushes it.
func commit(ctx context.Context, j *Job) (improve.Evidence, error) {
	if _, err := j.fact(Check, "test"); err != nil {
		return improve.Evidence{}, err
	}
	s, err := j.tree(ctx, Commit)
	if err != nil {
		return improve.Evidence{}, err
	}
	number, err := j.fact(Issue, "number")
	if err != nil {
		return improve.Evidence{}, err
	}
	text := fmt.Sprintf("%s\n\nRefs #%s\n\n%s%s\n", subject(j.line(j.Item.Request.Title)), number, trailer, j.Item.ID)
	checked, err := j.fact(Check, "tree")
	if err != nil {
		return improve.Evidence{}, err
	}
	id, err := j.ship(ctx, s, checked, "", text)
	return facts("commit", id, "branch", s.branch, "attempt", strconv.Itoa(max(j.Item.Attempt, 1))), err
}

// subject is a title as the first line of a commit. Brackets in it could tell a
// forge to skip its checks.
func subject(title string) string { return strings.NewReplacer("[", "(", "]", ")").Replace(title) }

// ship commits what is in the working tree, which must be what was checked, and moves the forge's branch there
// from where it was, "" for a branch that is new. It finds what it did before.
func (j *Job) ship(ctx context.Context, s stands, checked, from, text string) (string, error) {
	if err := s.sameTree(ctx, checked); err != nil {
		return "", fmt.Errorf("what would be pushed is not what was checked: %w", err)
	}
	patch, err := s.patch(ctx)
	if err != nil {
		return "", err
	}
	if places := j.env.opt.Secrets(patch); len(places) > 0 {
		return "", fmt.Errorf("the change holds secrets and was not pushed: %s", strings.Join(places, "; "))
	}
	id, err := j.shipped(ctx, s, from)
	if err != nil {
		return "", err
	}
	if id == "" {
		if id, err = j.seal(ctx, s, text); err != nil {
			return "", err
		}
	}
	if err := j.outside(ctx, "push "+s.branch, func(ctx context.Context) error {
		return j.once.Push(ctx, s.Tree, git.Update{Branch: s.branch, From: from, To: id})
	}); err != nil {
		return "", err
	}
	there, err := j.remote(ctx, s.branch)
	if err == nil && there != id {
		err = fmt.Errorf("the forge has branch %s at %q and not at %s", s.branch, there, id)
	}
	return id, err
}

// shipped returns the commit that an earlier try of this step pushed, "" for
// none: the forge has a commit of ours with the same content.
func (j *Job) shipped(ctx context.Context, s stands, from string) (string, error) {
	there, err := j.remote(ctx, s.branch)
	if err != nil || there == "" || there == from {
		return "", err
	}
	if err := j.have(ctx, s.branch, there); err != nil {
		return "", err
	}
	if !j.signed(ctx, s.Tree, there) {
		return "", fmt.Errorf("the forge has commits in branch %s that are not ours", s.branch)
	}
	if _, err := s.Run(ctx, "diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv", "--end-of-options", there); err != nil {
		return "", fmt.Errorf("the forge has another commit of ours in branch %s; remove the branch and retry", s.branch)
	}
	_, err = s.Run(ctx, "reset", "--quiet", "--soft", there, "--")
	return there, err
}

// seal commits what is staged.
func (j *Job) seal(ctx context.Context, s stands, text string) (string, error) {
	if _, err := s.Run(ctx, "diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv", "HEAD"); err == nil {
		return "", errors.New("nothing is changed, so there is nothing to commit")
	}
	if err := j.guard(ctx); err != nil {
		return "", err
	}
	if _, err := s.Run(ctx, "commit", "--quiet", "--no-verify", "--cleanup=verbatim", "--message="+j.redact(text)+j.coAuthor()); err != nil {
		return "", fmt.Errorf("%w (git needs a name: git config --global user.name and user.email)", err)
	}
	return s.Commit(ctx, "HEAD")
}
