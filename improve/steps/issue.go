package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// issue opens the issue, or finds the one that was opened.
func issue(ctx context.Context, j *Job) (improve.Evidence, error) {
	if j.env.guide.issueFirst {
		if err := j.able(); err != nil { // nothing is public that cannot be done here
			return improve.Evidence{}, err
		}
	} else if _, err := j.read(Clarify, "requirements.md"); err != nil {
		return improve.Evidence{}, err
	}
	seen, err := j.greenBase(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	got, err := j.openIssue(ctx)
	e := facts("number", strconv.Itoa(got.Number), "url", got.URL, "labels", strings.Join(got.Labels, ", "), "forge", j.here())
	maps.Copy(e.Facts, seen)
	return e, err
}

// greenBase runs the project's tests on the base, before anything is public: on a red one
// nothing could be shown, and an issue would stand there for nothing. The command that
// failed in the sessions is run there, too; it returns what is known of that.
func (j *Job) greenBase(ctx context.Context) (map[string]string, error) {
	_, base, err := j.base(ctx)
	if err != nil {
		return nil, err
	}
	folder := j.paper(fmt.Sprintf("tree-base-%d", j.Item.Fence))
	if err := j.clear(ctx); err != nil {
		return nil, err
	}
	if _, err := j.project().Run(ctx, "worktree", "add", "--quiet", "--force", "--detach", "--", folder, base); err != nil {
		return nil, err
	}
	tree := j.env.opt.Git.In(folder)
	s := stands{Tree: tree, base: base}
	err = j.setUp(ctx, tree)
	var ran Run
	if err == nil {
		ran, err = j.test(ctx, s, "first-test.log")
	}
	if j.guidance() { // it needs no tests, and no command that failed: the recorded turns must go wrong again
		if !errors.Is(err, errUntested) {
			err = j.usable(ran, err)
		} else {
			err = nil
		}
		if err == nil {
			_, err = j.recurs(ctx, s)
		}
		return nil, errors.Join(err, j.clear(context.WithoutCancel(ctx)))
	}
	var seen map[string]string
	if err = j.usable(ran, err); err == nil {
		seen, err = j.fails(ctx, s)
	}
	return seen, errors.Join(err, j.clear(context.WithoutCancel(ctx)))
}

// usable says why a project whose tests ended like this cannot be worked on. Nothing was
// filed yet, so all of it is a person's to mend, and none of it anybody else's to read.
func (j *Job) usable(ran Run, err error) error {
	const filed = "so nothing was filed"
	switch {
	case errors.Is(err, project.ErrTime), errors.Is(err, project.ErrOutput), errors.Is(err, errSetUp):
		return fmt.Errorf("%w: the project's own commands did not come to an end before anything was changed, %s: %w", ErrManual, filed, err)
	case err != nil:
		return err
	case ran.Exit != 0 && offline().MatchString(ran.Said):
		return fmt.Errorf("%w: the project's own tests fail before anything was changed (%s exits with %d, see first-test.log), and say that they cannot reach a network, %s; start what they need, or set improve.checks.test to tests that need none, and retry", ErrManual, ran.Command, ran.Exit, filed)
	case ran.Exit != 0 && lacking().MatchString(ran.Said):
		return fmt.Errorf("%w: the project's own tests fail before anything was changed (%s exits with %d, see first-test.log), and lack something that is not installed (%s), %s; install it into the project's .venv or node_modules, or set improve.checks.setup to what brings it into a fresh working tree, and retry", ErrManual, ran.Command, ran.Exit, j.line(lacking().FindString(ran.Said)), filed)
	case ran.Exit != 0:
		return fmt.Errorf("%w: the project's own tests fail before anything was changed (%s exits with %d, see first-test.log), %s; mend them, or set improve.checks.test (and improve.checks.setup for what a fresh working tree lacks), and retry", ErrManual, ran.Command, ran.Exit, filed)
	case strings.TrimSpace(ran.Said) == "":
		return fmt.Errorf("%w: %s prints nothing, so that it tested anything cannot be told, %s; set improve.checks.test to a command that says what it ran, and retry", ErrManual, ran.Command, filed)
	}
	return nil
}

// lacking are the words of programs that miss a part of their environment.
var lacking = lazyregexp.Pattern(`(?i)(ModuleNotFoundError: )?No module named ['"]?[\w.]+|Cannot find (module|package) ['"]?[\w@/.-]+|[\w./-]+: (command )?not found|ERR_MODULE_NOT_FOUND|could not find gem [^\n]{0,60}|missing go\.sum entry[^\n]{0,60}`)

// offline are the words of programs that found no network.
var offline = lazyregexp.Pattern(`(?i)could not resolve host|temporary failure in name resolution|name or service not known|no such host|network is unreachable|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|connection refused|getaddrinfo`)

func (j *Job) openIssue(ctx context.Context) (got forge.Issue, err error) {
	if !*j.env.cfg.Issues {
		return got, fmt.Errorf("%w: auto_create_issues is false; open the issue yourself (trimtab improve show tells what it would say) or set it to true and retry", ErrManual)
	}
	out, err := j.env.issueText(j.Item)
	if err != nil {
		return got, err
	}
	err = j.outside(ctx, "open the issue", func(ctx context.Context) error {
		got, err = j.once.Issue(ctx, j.Item.Fingerprint, forge.Text{Title: out.Title, Body: out.Body}, out.Labels)
		return err
	})
	return got, err
}

// branch sets up a working tree on a branch from the default branch.
func branch(ctx context.Context, j *Job) (improve.Evidence, error) {
	number, err := j.fact(Issue, "number")
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.ourIssue(ctx, number); err != nil {
		return improve.Evidence{}, err
	}
	if _, err := j.read(Clarify, "requirements.md"); err != nil {
		return improve.Evidence{}, err
	}
	if !*j.env.cfg.Branches {
		return improve.Evidence{}, fmt.Errorf("%w: auto_create_branches is false; issue %s says what is wanted, or set it to true and retry", ErrManual, number)
	}
	name := branchName(number, j.Item.Request.Title)
	baseName, base, err := j.base(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.own(ctx, name); err != nil {
		return improve.Evidence{}, err
	}
	if err := j.free(ctx, name, base); err != nil {
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

// branchName is the branch for an issue.
func branchName(number, title string) string {
	return fmt.Sprintf("feat/issue-%s-%s", number, Slug(title))
}

// ourIssue checks that the issue is at the forge and bears our marker.
func (j *Job) ourIssue(ctx context.Context, number string) error {
	return j.outside(ctx, "look for the issue", func(ctx context.Context) error {
		found, ok, err := j.once.Find(ctx, j.Item.Fingerprint)
		if err == nil && (!ok || strconv.Itoa(found.Number) != number) {
			err = fmt.Errorf("issue %s is not there with our marker", number)
		}
		if err == nil {
			err = wanted(found)
		}
		return err
	})
}

// wanted refuses an issue that somebody closed: that is a no, or it is done.
func wanted(is forge.Issue) error {
	if is.State == forge.Open {
		return nil
	}
	return fmt.Errorf("%w: issue %d is %s; open it again if it is still wanted, and retry", ErrManual, is.Number, is.State)
}

// stillWanted looks whether the issue is open.
func (j *Job) stillWanted(ctx context.Context) error {
	number, err := j.fact(Issue, "number")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return fmt.Errorf("the evidence of the step %s: %w", Issue, err)
	}
	return j.outside(ctx, "look at the issue", func(ctx context.Context) error {
		is, err := j.env.opt.Forge.Issue(ctx, n)
		if err == nil {
			err = wanted(is)
		}
		return err
	})
}

// remote returns where a branch of the forge is, "" for none.
func (j *Job) remote(ctx context.Context, name string) (commit string, err error) {
	err = j.outside(ctx, "look at branch "+name, func(ctx context.Context) error {
		commit, err = j.project().Branch(ctx, j.env.opt.Forge.Remote(), name)
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
		repo, err = j.env.opt.Forge.Repo(ctx)
		return err
	}); err != nil {
		return "", "", err
	}
	repo.Base = cmp.Or(j.env.cfg.Base, repo.Base)
	if j.env.opt.Forge.Traits().Name == "local" {
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
	if err := j.project().Fetch(ctx, j.env.opt.Forge.Remote(), name); err != nil {
		return fmt.Errorf("commit %s of %s is not on this machine; run git fetch in %s and retry: %w", commit, name, j.Item.Project, err)
	}
	return nil
}

// seed brings the repository of a local forge up to the person's own: nobody
// else pushes there.
func (j *Job) seed(ctx context.Context, name string) error {
	mine, err := j.trunk(ctx, name)
	if err != nil {
		return fmt.Errorf("%s has no commit to begin from; make the first one and retry: %w", j.Item.Project, err)
	}
	if out, err := j.project().Run(ctx, "rev-parse", "--is-shallow-repository"); err != nil || strings.TrimSpace(out) == "true" {
		return errors.Join(err, fmt.Errorf("%w: %s is a shallow clone, which cannot be brought to a local forge; run git fetch --unshallow there and retry", ErrManual, j.Item.Project))
	}
	there, err := j.remote(ctx, name)
	if err != nil || there == mine {
		return err
	}
	if there != "" {
		if err := j.have(ctx, name, there); err != nil {
			return err
		}
		if ahead, err := j.project().Ancestor(ctx, mine, there); err != nil || ahead {
			return err // a person merged something there: it is not for us to move
		}
		if behind, err := j.project().Ancestor(ctx, there, mine); err != nil || !behind {
			return errors.Join(err, j.parted(name, there, mine))
		}
	}
	return j.outside(ctx, "bring "+name+" to the local forge", func(ctx context.Context) error {
		return j.once.Push(ctx, j.project(), git.Update{Branch: name, From: there, To: mine})
	})
}

// parted says that the local forge and the person's own repository have gone apart,
// as after a rewrite of the history: which of the two counts, only a person knows.
func (j *Job) parted(name, there, mine string) error {
	url := j.env.opt.Forge.Remote().URL
	return fmt.Errorf("%w: the history of %s was rewritten, or something else was merged at the local forge, which has it at %.12s; if yours counts, run git -C %s push --force %s %s:refs/heads/%s and retry",
		ErrManual, name, there, j.Item.Project, url, mine, name)
}

// trunk is the commit of a project's default branch: of that name, or what its
// origin or usage call so. What happens to be checked out is the last resort, since
// somebody may be in the middle of something there.
func (j *Job) trunk(ctx context.Context, name string) (commit string, err error) {
	for _, ref := range []string{"refs/heads/" + name, "refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "refs/heads/trunk", "refs/heads/develop", "HEAD"} {
		if commit, err = j.project().Commit(ctx, ref); !errors.Is(err, git.ErrNoCommit) {
			return commit, err
		}
	}
	return "", err
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
		return j.once.Push(ctx, j.project(), git.Update{Branch: name, From: there})
	})
}

// free refuses a branch of this machine in which somebody works who is not us: it
// would be set back to the base.
func (j *Job) free(ctx context.Context, name, base string) error {
	tip, err := j.project().Commit(ctx, "refs/heads/"+name)
	if errors.Is(err, git.ErrNoCommit) {
		return nil
	}
	if err != nil {
		return err
	}
	if at, err := j.project().Run(ctx, "symbolic-ref", "--quiet", "HEAD"); err == nil && strings.TrimSpace(at) == "refs/heads/"+name {
		return fmt.Errorf("branch %s is checked out in %s; check out another one, rename it and retry", name, j.Item.Project)
	}
	if old, err := j.project().Ancestor(ctx, tip, base); err != nil || old || j.signed(ctx, j.project(), tip) {
		return err
	}
	return fmt.Errorf("%s has a branch %s with commits that are not ours; rename it (git branch -m) and retry", j.Item.Project, name)
}

// trailer names the item in a commit.
const trailer = "Trimtab-Improvement: "

// signed reports whether a commit is one of this item's.
func (j *Job) signed(ctx context.Context, tree git.Tree, commit string) bool {
	out, err := tree.Run(ctx, "log", "-1", "--no-show-signature", "--format=%B", "--end-of-options", commit)
	return err == nil && strings.Contains("\n"+out, "\n"+trailer+j.Item.ID+"\n")
}
