package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/improve"
)

// design has the agent write a design and tests that fail, on a base whose tests
// pass: only so does the failure say something.
func design(ctx context.Context, j *Job) (improve.Evidence, error) {
	s, err := j.tree(ctx, Design)
	if err != nil {
		return improve.Evidence{}, err
	}
	if head, err := s.Commit(ctx, "HEAD"); err != nil || head != s.base {
		return improve.Evidence{}, errors.Join(err, fmt.Errorf("the working tree is at %s and not at its base %s", head, s.base))
	}
	green, err := j.test(ctx, s, "base-test.log")
	if err != nil {
		return improve.Evidence{}, err
	}
	if green.Exit != 0 {
		return improve.Evidence{}, fmt.Errorf("the project's own tests fail before anything was changed (%s exits with %d); fix them first", green.Command, green.Exit)
	}
	neat, err := j.neat(ctx, s, "base-format.log")
	if err != nil {
		return improve.Evidence{}, err
	}
	var t task
	for try := 1; ; try++ {
		e, again, err := j.drawn(ctx, s, t, green.Command)
		if err == nil && again == "" && try == 1 && neat == "" { // a second time it is not worth the work: the step Check decides
			again, err = j.neat(ctx, s, "design-format.log")
		}
		if err != nil || again == "" || try == 2 {
			if err == nil && again != "" {
				err = errors.New(again)
			}
			return e, err
		}
		t.Again = again
	}
}

// neat says what the project's format command, where there is one, objects to. The
// tests of the design may not be changed later, so it is asked while they may.
func (j *Job) neat(ctx context.Context, s stands, log string) (string, error) {
	r, has, err := j.checkOne(ctx, "format", s, log)
	if err != nil || !has || r.Exit == 0 {
		return "", err
	}
	return fmt.Sprintf("the format of the tests is not the project's, and they may not be changed later: %s exits with %d: %s", r.Command, r.Exit, r.Said), nil
}

// drawn has the design made once, and says what is wrong with it.
func (j *Job) drawn(ctx context.Context, s stands, t task, base string) (e improve.Evidence, again string, err error) {
	words, err := j.ask(ctx, "design", s.Folder, false, t)
	if err != nil {
		return e, "", err
	}
	if err := j.write("design.md", words+"\n"); err != nil {
		return e, "", err
	}
	red, err := j.test(ctx, s, "design-test.log")
	if err != nil {
		return e, "", err
	}
	size, tree, err := j.measure(ctx, s)
	if err != nil {
		return e, "", err
	}
	e = facts("tree", tree, "command", red.Command, "exit", strconv.Itoa(red.Exit), "base_exit", "0", "tests", strings.Join(size.Tests, ", "), "sha256", sum([]byte(j.redact(words+"\n"))))
	e.Files = []string{"design.md", "base-test.log", "design-test.log"}
	if again, err = j.sameCommand(ctx, s, red, base); err != nil || again != "" {
		return e, again, err
	}
	switch {
	case len(size.Tests) == 0:
		again = "the change holds no test"
	case red.Exit == 0:
		again = "the new tests pass without an implementation, so they show nothing"
	}
	return e, again, nil
}

// implement has the agent make the tests pass.
func implement(ctx context.Context, j *Job) (improve.Evidence, error) {
	s, err := j.tree(ctx, Implement)
	if err != nil {
		return improve.Evidence{}, err
	}
	if exit, err := j.fact(Design, "exit"); err != nil || exit == "0" {
		return improve.Evidence{}, errors.Join(err, errors.New("the tests of the design were not seen to fail"))
	}
	t := task{}
	if t.Tests, err = j.fact(Design, "tests"); err != nil {
		return improve.Evidence{}, err
	}
	if t.Design, err = j.read(Design, "design.md"); err != nil {
		return improve.Evidence{}, err
	}
	return j.green(ctx, s, "implement", t, func(Size, *improve.Evidence) string { return "" })
}

// simplify has the agent take away what is not needed, and holds the change to
// its limits.
func simplify(ctx context.Context, j *Job) (improve.Evidence, error) {
	s, err := j.tree(ctx, Simplify)
	if err != nil {
		return improve.Evidence{}, err
	}
	if exit, err := j.fact(Implement, "exit"); err != nil || exit != "0" {
		return improve.Evidence{}, errors.Join(err, errors.New("the implementation was not seen to pass"))
	}
	patch, err := s.shown(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	return j.green(ctx, s, "simplify", task{Patch: patch}, j.inLimits(ctx, s))
}

// inLimits says what is over the limits. The change is kept for a person to see.
func (j *Job) inLimits(ctx context.Context, s stands) func(Size, *improve.Evidence) string {
	lines, components := j.limits()
	return func(size Size, e *improve.Evidence) string {
		over := over(size, lines, components)
		if over == "" {
			return ""
		}
		if patch, err := s.patch(ctx); err == nil && j.write("over.patch", string(patch)) == nil {
			e.Files = append(e.Files, "over.patch")
		}
		return over
	}
}

// over says what of a change is over its limits, "" for nothing.
func over(size Size, lines, components int) string {
	switch {
	case size.Lines > lines:
		return fmt.Sprintf("%d lines are changed, and %d are allowed: do less", size.Lines, lines)
	case len(size.Components) > components:
		return fmt.Sprintf("%d components are changed (%s), and %d are allowed: do less", len(size.Components), strings.Join(size.Components, ", "), components)
	}
	return ""
}

// green has the agent work until the tests pass and nothing else is wrong, twice
// at most.
func (j *Job) green(ctx context.Context, s stands, step string, t task, wrong func(Size, *improve.Evidence) string) (improve.Evidence, error) {
	log := step + "-test.log"
	base, err := j.fact(Design, "command")
	if err != nil {
		return improve.Evidence{}, err
	}
	for try := 1; ; try++ {
		words, err := j.ask(ctx, step, s.Folder, false, t)
		if err != nil {
			return improve.Evidence{}, err
		}
		paper, err := j.leave(step+".md", cmp.Or(words, "The agent did not say what it did.")+"\n")
		if err != nil {
			return improve.Evidence{}, err
		}
		ran, err := j.test(ctx, s, log)
		if err != nil {
			return improve.Evidence{}, err
		}
		size, tree, err := j.measure(ctx, s)
		if err != nil {
			return improve.Evidence{}, err
		}
		e := facts("tree", tree, "command", ran.Command, "exit", strconv.Itoa(ran.Exit), "lines", strconv.Itoa(size.Lines),
			"components", strings.Join(size.Components, ", "), "tests", strings.Join(size.Tests, ", "), "sha256", paper)
		e.Files = []string{step + ".md", log}
		if t.Again, err = j.honest(ctx, s, ran, base, size); err != nil {
			return e, err
		}
		t.Log = ""
		switch {
		case t.Again != "":
		case ran.Exit != 0:
			t.Again, t.Log = fmt.Sprintf("the tests do not pass: %s exits with %d", ran.Command, ran.Exit), ran.Said
		default:
			t.Again = wrong(size, &e)
			if t.Again == "" && step == "implement" {
				t.Again, _, err = j.canary(ctx, s, size, tree, "canary-test.log")
				if err != nil {
					return e, err
				}
			}
			if t.Again == "" && step == "implement" {
				if t.Again, err = j.broken(ctx, s, tree, "implement-command.log"); err != nil {
					return e, err
				}
			}
		}
		switch {
		case t.Again == "":
			return e, nil
		case try == 2:
			return e, errors.New(t.Again)
		}
		j.say(t.Again)
	}
}

// honest says what is wrong with a run as evidence.
func (j *Job) honest(ctx context.Context, s stands, ran Run, base string, size Size) (string, error) {
	if wrong, err := j.sameCommand(ctx, s, ran, base); err != nil || wrong != "" {
		return wrong, err
	}
	return j.sameTests(ctx, s, size)
}

// measure stages what is there and says what it comes to.
func (j *Job) measure(ctx context.Context, s stands) (size Size, tree string, err error) {
	if tree, err = s.snapshot(ctx); err != nil {
		return size, "", err
	}
	patch, err := s.patch(ctx)
	if err != nil {
		return size, "", err
	}
	size, err = j.env.opt.Measure(patch)
	return size, tree, err
}
