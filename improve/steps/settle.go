package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
)

// ErrCancelled is work that a person stopped.
var ErrCancelled = errors.New("cancelled")

// Settle ends work that stopped at a step, and says how it ended. What a person
// must go on with is left as it is. Otherwise the pull request of the attempt is
// closed; its branch is left at the forge where the work failed, and taken back where a
// person cancelled it. The issue, which is opened if that had not been done, says where
// it stopped and what is left. Papers and logs are kept. It may be done again.
func (j *Job) Settle(ctx context.Context, at Step, stopped error) (improve.State, string, error) {
	why := j.env.opt.Keep(stopped.Error()) // report and explain redact what they write
	if errors.Is(stopped, ErrManual) {
		return improve.Manual, why, j.explain(why)
	}
	if err := j.moved(); err != nil {
		why += "\n" + j.env.opt.Keep(err.Error())
		return improve.Manual, why, j.explain(why)
	}
	state := improve.Failed
	if errors.Is(stopped, ErrCancelled) {
		state, why = improve.Cancelled, fmt.Sprintf("by a person, at step %d, %s", at.Number, at.Name)
	}
	j.salvage(ctx)
	left, cleared, err := j.takeBack(ctx, state == improve.Failed)
	if err == nil {
		err = j.report(ctx, at, state, why, left, cleared)
	}
	if left != "" {
		why += "\nwhat was done is left in branch " + left + " of the forge"
	}
	if err == nil {
		err = j.clear(ctx)
	}
	switch {
	case err == nil:
		return state, why, nil
	case errors.Is(err, ErrManual): // the forge cannot be reached: leave everything readable
		why += "\n" + j.env.opt.Keep(err.Error())
		return improve.Manual, why, j.explain(why)
	case errors.Is(err, improve.ErrLost), ctx.Err() != nil:
		return "", "", err
	}
	return state, why + "\nclearing up: " + j.env.opt.Keep(err.Error()), nil
}

// Finish removes the working tree of work that is done, and the branch of the person's own
// repository where the forge has the same: there it stays.
func (j *Job) Finish(ctx context.Context) error {
	if err := j.clear(ctx); err != nil {
		return err
	}
	name, err := j.fact(Branch, "branch")
	if err != nil {
		return nil // there is none
	}
	tip, err := j.project().Commit(ctx, "refs/heads/"+name)
	if err != nil {
		return nil // it is gone already
	}
	if there, err := j.remote(ctx, name); err != nil || there != tip {
		return err
	}
	return j.dropBranch(ctx, name)
}

// dropBranch takes a branch away from the person's own repository.
func (j *Job) dropBranch(ctx context.Context, name string) error {
	_, err := j.project().Run(ctx, "branch", "--quiet", "--delete", "--force", "--", name)
	if e, ok := errors.AsType[*git.Error](err); ok && strings.Contains(e.Said, "not found") {
		return nil
	}
	return err
}

// salvage keeps the change for a person to see, since its working tree goes: as the
// last step that looked at it recorded it. That tells nobody why the work stopped,
// so what goes wrong here is no reason to leave the rest lying about.
func (j *Job) salvage(ctx context.Context) {
	base, tree := "", ""
	for _, e := range j.Item.Evidence {
		base, tree = cmp.Or(e.Facts["base"], base), cmp.Or(e.Facts["tree"], tree)
	}
	if base == "" || tree == "" {
		return
	}
	patch, err := j.project().Run(ctx, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--binary", "--end-of-options", base, tree, "--")
	if err == nil && patch != "" {
		err = j.write("change.patch", patch)
	}
	if err != nil {
		j.say("the change could not be kept: " + j.redact(err.Error()))
	}
}

// takeBack closes the pull request of this attempt. Its branch is removed, unless it shall
// be kept and the forge has it: then it is named.
func (j *Job) takeBack(ctx context.Context, keep bool) (left string, cleared bool, err error) {
	name := j.made(ctx)
	if name == "" {
		return "", false, nil
	}
	if err := j.withdraw(ctx, name); err != nil {
		return "", false, err
	}
	there, err := j.remote(ctx, name)
	if err != nil {
		return "", false, err
	}
	if there != "" && j.have(ctx, name, there) == nil && j.signed(ctx, j.project(), there) {
		if keep {
			return name, false, j.clear(ctx)
		}
		if err := j.outside(ctx, "remove branch "+name, func(ctx context.Context) error {
			return j.once.Push(ctx, j.project(), git.Update{Branch: name, From: there})
		}); err != nil {
			return "", false, err
		}
	}
	if err := j.clear(ctx); err != nil {
		return "", false, err
	}
	return "", true, j.dropBranch(ctx, name)
}

// made is the branch of this attempt, "" for none. Who was killed, or cancelled, in
// the step that makes it has left no name; then it is taken back only where nobody
// else works in it.
func (j *Job) made(ctx context.Context) string {
	name, err := j.fact(Branch, "branch")
	if err == nil {
		return name
	}
	number, err := j.fact(Issue, "number")
	if err != nil || !j.begun(Branch) {
		return ""
	}
	name = branchName(number, j.Item.Request.Title)
	if _, err := j.project().Commit(ctx, "refs/heads/"+name); err != nil {
		return ""
	}
	if _, base, err := j.base(ctx); err != nil || j.free(ctx, name, base) != nil {
		return ""
	}
	return name
}

// begun reports whether a step was begun, by whichever worker.
func (j *Job) begun(step improve.StepName) bool {
	return slices.ContainsFunc(j.Item.Evidence, func(e improve.Evidence) bool { return e.Step == step })
}

// withdraw closes our pull request. It is looked for by its marker, since who was
// killed after opening it has left no number.
func (j *Job) withdraw(ctx context.Context, branch string) error {
	id, err := j.mark("")
	if err != nil {
		return nil // nothing was pushed, so none was opened
	}
	return j.outside(ctx, "close the pull request", func(ctx context.Context) error {
		p, ok, err := j.once.FindPull(ctx, id, branch)
		if err != nil || !ok || p.State != forge.Open {
			return err
		}
		return j.forge().ClosePull(ctx, p.Number)
	})
}

// report comments on the issue where the work stopped.
func (j *Job) report(ctx context.Context, at Step, state improve.State, why, left string, cleared bool) error {
	n, err := j.told(ctx, state)
	if err != nil {
		return err
	}
	if n == 0 {
		return j.explain(why)
	}
	var done []string
	for _, e := range j.Item.Evidence {
		if e.Error == "" && !e.Ended.IsZero() {
			done = append(done, fmt.Sprintf("%d %s", e.Number, e.Step))
		}
	}
	if len(done) == 0 {
		done = []string{"none"}
	}
	body, err := fill("stopped.md", map[string]any{
		"Number": at.Number, "Step": at.Name, "Why": j.block(j.placeless(why)), "Done": strings.Join(done, ", "), "Cleared": cleared, "Left": left, "ID": j.Item.ID, "Next": max(j.Item.Attempt, 1) + 1,
	})
	if err != nil {
		return err
	}
	return j.outside(ctx, "comment on the issue", func(ctx context.Context) error {
		_, err := j.once.Comment(ctx, fmt.Sprintf("%s.%d.stopped", j.Item.ID, max(j.Item.Attempt, 1)), forge.Ref{Kind: forge.IssueKind, Number: n}, j.redact(body))
		return err
	})
}

// told is the number of the issue that is told, 0 for none. One that was not opened
// yet is opened for a failure, and not for what a person cancelled; but it may have
// been opened by somebody who was stopped before telling its number.
func (j *Job) told(ctx context.Context, state improve.State) (int, error) {
	if number, err := j.fact(Issue, "number"); err == nil {
		return strconv.Atoi(number)
	}
	if state == improve.Cancelled {
		if !j.begun(Issue) {
			return 0, nil
		}
		var found forge.Issue
		err := j.outside(ctx, "look for the issue", func(ctx context.Context) (err error) {
			found, _, err = j.once.Find(ctx, j.Item.Fingerprint)
			return err
		})
		return found.Number, err
	}
	if !*j.env.cfg.Issues {
		return 0, nil
	}
	opened, err := j.openIssue(ctx)
	return opened.Number, err
}

// placeless takes the folders of this machine out of a text that leaves it.
func (j *Job) placeless(s string) string {
	return strings.NewReplacer(j.folder, "(papers)", j.env.cfg.Folder, "(papers)", j.Item.Project, "(project)").Replace(s)
}

// explain leaves the whole request where a person can read it.
func (j *Job) explain(why string) error {
	out, err := j.env.issueText(j.Item)
	if err != nil {
		return err
	}
	return j.write("request.md", fmt.Sprintf("# %s\n\n%s\n\n## Why it waits for a person\n\n%s\n", out.Title, out.Body, why))
}
