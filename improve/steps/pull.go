package steps

import (
	"context"
	"fmt"
	"strconv"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
)

// pull opens the pull request, or finds the one that was opened.
func pull(ctx context.Context, j *Job) (improve.Evidence, error) {
	name, err := j.fact(Commit, "branch")
	if err != nil {
		return improve.Evidence{}, err
	}
	words, err := j.read(Implement, "implement.md")
	if err != nil {
		return improve.Evidence{}, err
	}
	less, err := j.read(Simplify, "simplify.md")
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.pushed(ctx, Commit); err != nil {
		return improve.Evidence{}, err
	}
	if err := j.stillWanted(ctx); err != nil {
		return improve.Evidence{}, err
	}
	base, err := j.fact(Branch, "base_branch")
	if err != nil {
		return improve.Evidence{}, err
	}
	if !*j.env.cfg.Pulls {
		return improve.Evidence{}, fmt.Errorf("%w: auto_create_prs is false; branch %s is pushed: open the pull request yourself, or set it to true and retry", ErrManual, name)
	}
	out, err := j.pullText(words + "\nSimplified since:\n\n" + less) // or it would tell of what is not there any more
	if err != nil {
		return improve.Evidence{}, err
	}
	id, err := j.mark("")
	if err != nil {
		return improve.Evidence{}, err
	}
	var got forge.Pull
	err = j.outside(ctx, "open the pull request", func(ctx context.Context) error {
		got, err = j.once.Pull(ctx, id, forge.Proposal{Text: forge.Text{Title: out.Title, Body: out.Body}, Head: name, Base: base}, out.Labels)
		return err
	})
	return facts("number", strconv.Itoa(got.Number), "url", got.URL), err
}

// pushed checks that the forge's branch is at the commit that a step pushed.
func (j *Job) pushed(ctx context.Context, step improve.StepName) error {
	name, err := j.fact(Commit, "branch")
	if err != nil {
		return err
	}
	want, err := j.fact(step, "commit")
	if err != nil {
		return err
	}
	there, err := j.remote(ctx, name)
	if err == nil && there != want {
		err = fmt.Errorf("the forge has branch %s at %q, and the step %s pushed %s", name, there, step, want)
	}
	return err
}

// proposal returns the pull request, and refuses one that is not as we left it.
func (j *Job) proposal(ctx context.Context) (got forge.Pull, err error) {
	number, err := j.fact(PullRequest, "number")
	if err != nil {
		return got, err
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return got, fmt.Errorf("the evidence of the step %s: %w", PullRequest, err)
	}
	name, err := j.fact(Commit, "branch")
	if err != nil {
		return got, err
	}
	err = j.outside(ctx, "look at the pull request", func(ctx context.Context) error {
		got, err = j.env.opt.Forge.Pull(ctx, n)
		return err
	})
	switch {
	case err != nil:
		return got, err
	case got.Head != name:
		return got, fmt.Errorf("pull request %d is of branch %s and not of %s", n, got.Head, name)
	case got.State != forge.Open:
		return got, fmt.Errorf("%w: pull request %d is %s", ErrManual, n, got.State)
	}
	return got, nil
}
