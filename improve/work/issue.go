package work

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
)

// issue opens the issue, or finds the one that was opened.
func issue(ctx context.Context, j *Job) (improve.Evidence, error) {
	if _, err := j.read(1, "requirements.md"); err != nil {
		return improve.Evidence{}, err
	}
	got, err := j.openIssue(ctx)
	return facts("number", strconv.Itoa(got.Number), "url", got.URL, "labels", strings.Join(got.Labels, ", ")), err
}

func (j *Job) openIssue(ctx context.Context) (got forge.Issue, err error) {
	if !*j.yard.cfg.Issues {
		return got, fmt.Errorf("%w: auto_create_issues is false; open the issue yourself (trimtab improve show tells what it would say) or set it to true and retry", ErrManual)
	}
	out, err := j.yard.issueText(j.Item)
	if err != nil {
		return got, err
	}
	err = j.outside(ctx, "open the issue", func(ctx context.Context) error {
		got, err = j.clerk.Issue(ctx, j.Item.Fingerprint, forge.Text{Title: out.Title, Body: out.Body}, out.Labels)
		return err
	})
	return got, err
}

// branch sets up a working tree on a branch from the default branch.
func branch(ctx context.Context, j *Job) (improve.Evidence, error) {
	number, err := j.fact(2, "number")
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.ourIssue(ctx, number); err != nil {
		return improve.Evidence{}, err
	}
	if !*j.yard.cfg.Branches {
		return improve.Evidence{}, fmt.Errorf("%w: auto_create_branches is false; issue %s says what is wanted, or set it to true and retry", ErrManual, number)
	}
	name := fmt.Sprintf("feat/issue-%s-%s", number, Slug(j.Item.Request.Title))
	baseName, base, err := j.base(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.own(ctx, name); err != nil {
		return improve.Evidence{}, err
	}
	tree, err := j.stand(ctx, name, base)
	if err != nil {
		return improve.Evidence{}, err
	}
	head, err := tree.Commit(ctx, "HEAD")
	if err != nil {
		return improve.Evidence{}, err
	}
	if head != base { // a former attempt left it: begin anew
		if _, err := tree.Run(ctx, "reset", "--quiet", "--hard", base, "--"); err != nil {
			return improve.Evidence{}, err
		}
	}
	return facts("path", tree.Folder, "branch", name, "base", base, "base_branch", baseName), nil
}

// ourIssue checks that the issue is at the forge and bears our marker.
func (j *Job) ourIssue(ctx context.Context, number string) error {
	return j.outside(ctx, "look for the issue", func(ctx context.Context) error {
		found, ok, err := j.clerk.Find(ctx, j.Item.Fingerprint)
		if err == nil && (!ok || strconv.Itoa(found.Number) != number) {
			err = fmt.Errorf("issue %s is not there with our marker", number)
		}
		return err
	})
}

// remote returns where a branch of the forge is, "" for none.
func (j *Job) remote(ctx context.Context, name string) (commit string, err error) {
	err = j.outside(ctx, "look at branch "+name, func(ctx context.Context) error {
		commit, err = j.project().Branch(ctx, j.yard.opt.Forge.Remote(), name)
		if e, ok := errors.AsType[*git.Error](err); ok && ctx.Err() == nil {
			return fmt.Errorf("%w: %w", forge.ErrUnreachable, e)
		}
		return err
	})
	return commit, err
}

// base returns the default branch of the forge and its commit, which this
// machine then has.
func (j *Job) base(ctx context.Context) (name, commit string, err error) {
	var repo forge.Repo
	if err = j.outside(ctx, "look at the repository", func(ctx context.Context) error {
		repo, err = j.yard.opt.Forge.Repo(ctx)
		return err
	}); err != nil {
		return "", "", err
	}
	if j.yard.opt.Forge.Traits().Name == "local" {
		if err := j.seed(ctx, repo.Base); err != nil {
			return "", "", err
		}
	}
	if commit, err = j.remote(ctx, repo.Base); err != nil {
		return "", "", err
	}
	if commit == "" {
		return "", "", fmt.Errorf("the forge has no branch %s; push it first", repo.Base)
	}
	return repo.Base, commit, j.have(ctx, repo.Base, commit)
}

// have sees that a commit of the forge is on this machine.
func (j *Job) have(ctx context.Context, name, commit string) error {
	if _, err := j.project().Commit(ctx, commit); !errors.Is(err, git.ErrNoCommit) {
		return err
	}
	_, err := j.project().Run(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--end-of-options", j.yard.opt.Forge.Remote().URL, "refs/heads/"+name)
	if err != nil {
		return fmt.Errorf("commit %s of %s is not on this machine; run git fetch in %s and retry: %w", commit, name, j.Item.Project, err)
	}
	return nil
}

// seed brings the repository of a local forge up to the person's own: nobody
// else pushes there.
func (j *Job) seed(ctx context.Context, name string) error {
	mine, err := j.project().Commit(ctx, "refs/heads/"+name)
	if errors.Is(err, git.ErrNoCommit) {
		mine, err = j.project().Commit(ctx, "HEAD")
	}
	if err != nil {
		return fmt.Errorf("%s has no commit to begin from: %w", j.Item.Project, err)
	}
	there, err := j.remote(ctx, name)
	if err != nil || there == mine {
		return err
	}
	if there != "" {
		if _, err := j.project().Commit(ctx, there); err != nil {
			return nil // it has commits that we lack: it is not for us to move
		}
		if ahead, err := j.project().Ancestor(ctx, there, mine); err != nil || !ahead {
			return err
		}
	}
	return j.outside(ctx, "bring "+name+" to the local forge", func(ctx context.Context) error {
		return j.clerk.Push(ctx, j.project(), git.Update{Branch: name, From: there, To: mine})
	})
}

// own refuses a branch that somebody else made, and removes from the forge what
// a former attempt of ours left there.
func (j *Job) own(ctx context.Context, name string) error {
	there, err := j.remote(ctx, name)
	if err != nil || there == "" {
		return err
	}
	if err := j.have(ctx, name, there); err != nil {
		return err
	}
	if !j.signed(ctx, j.project(), there) {
		return fmt.Errorf("the forge has a branch %s that is not ours; remove or rename it and retry", name)
	}
	return j.outside(ctx, "remove the branch of a former attempt", func(ctx context.Context) error {
		return j.clerk.Push(ctx, j.project(), git.Update{Branch: name, From: there})
	})
}

// trailer names the item in a commit.
const trailer = "Trimtab-Improvement: "

// signed reports whether a commit is one of this item's.
func (j *Job) signed(ctx context.Context, tree git.Tree, commit string) bool {
	out, err := tree.Run(ctx, "log", "-1", "--format=%B", "--end-of-options", commit)
	return err == nil && strings.Contains("\n"+out, "\n"+trailer+j.Item.ID+"\n")
}
