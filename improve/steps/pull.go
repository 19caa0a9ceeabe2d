package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	if err == nil {
		err = j.ourText(got.Body)
	}
	return facts("number", strconv.Itoa(got.Number), "url", got.URL), err
}

// textSums is the paper with the sums of the texts that we gave the pull request.
const textSums = "pull-text"

// ourText remembers a text of the pull request as ours.
func (j *Job) ourText(body string) error {
	var sums []string
	if err := j.keep(textSums, &sums, func() error { return nil }); err != nil {
		return err
	}
	if s := textSum(body); !slices.Contains(sums, s) {
		return j.replace(textSums, append(sums, s))
	}
	return nil
}

// textSum is the same for a text that a forge gives back with other line ends.
func textSum(body string) string {
	return sum([]byte(strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))))
}

// refresh brings the text of the pull request up to date: what was reviewed, proved and
// pushed since it was opened, and what a step that is not over yet has to add. One that a
// person has edited is theirs, and stays.
func (j *Job) refresh(ctx context.Context, more ...improve.Evidence) error {
	told := *j
	told.Item.Evidence = slices.Concat(j.Item.Evidence, more)
	p, err := j.proposal(ctx)
	if err != nil {
		return err
	}
	var sums []string
	if err := j.keep(textSums, &sums, func() error { return nil }); err != nil {
		return err
	}
	if !slices.Contains(sums, textSum(p.Body)) {
		j.say("the text of the pull request was edited by somebody, so it is left as it is")
		return nil
	}
	words, err := j.read(Implement, "implement.md")
	if err != nil {
		return err
	}
	less, err := j.read(Simplify, "simplify.md")
	if err != nil {
		return err
	}
	out, err := told.pullText(words + "\nSimplified since:\n\n" + less)
	if err != nil {
		return err
	}
	id, err := j.mark("")
	if err != nil {
		return err
	}
	return j.outside(ctx, "bring the text of the pull request up to date", func(ctx context.Context) error {
		text, err := j.once.EditPull(ctx, id, p.Number, out.Body, func(text string) error { return j.ourText(text) })
		if errors.Is(err, forge.ErrRefused) || errors.Is(err, forge.ErrNotFound) {
			j.say("the forge does not let us edit the pull request")
			return nil
		}
		if err != nil {
			return err
		}
		return j.ourText(text)
	})
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
