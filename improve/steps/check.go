package steps

import (
	"context"
	"fmt"
	"strconv"

	"github.com/trimtab/trimtab/improve"
)

// check runs the project's own test, lint and format commands. What they object
// to may be mended once.
func check(ctx context.Context, j *Job) (improve.Evidence, error) {
	s, err := j.tree(ctx, Check)
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.proved(Simplify, "the simplified change was not seen to pass"); err != nil {
		return improve.Evidence{}, err
	}
	e, bad, err := j.checkAll(ctx, s, "check")
	if err != nil || bad == nil {
		return e, err
	}
	j.say(bad.Error())
	if _, err := j.ask(ctx, "check", s.Folder, false, task{Log: bad.log}); err != nil {
		return e, err
	}
	if e, bad, err = j.checkAll(ctx, s, "check"); err != nil || bad == nil {
		return e, err
	}
	return e, bad
}

// objection is a command of the project that did not succeed.
type objection struct {
	text string
	log  string
}

func (o *objection) Error() string { return o.text }

// checkAll runs all of the project's commands and holds the change to its limits.
func (j *Job) checkAll(ctx context.Context, s stands, name string) (improve.Evidence, *objection, error) {
	size, tree, err := j.measure(ctx, s)
	if err != nil {
		return improve.Evidence{}, nil, err
	}
	e := facts("tree", tree, "lines", strconv.Itoa(size.Lines))
	if bad, err := j.fit(ctx, s, size); err != nil || bad != "" {
		return e, object(bad), err
	}
	base, err := j.fact(Design, "command")
	if err != nil && !j.guidance() { // that one needs no tests
		return e, nil, err
	}
	for _, kind := range []string{"test", "lint", "format"} {
		log := name + "-" + kind + ".log"
		ran, has, err := j.checkOne(ctx, kind, s, log)
		switch {
		case err != nil:
			return e, nil, err
		case !has && kind == "test" && !j.guidance():
			return e, nil, errUntested
		case !has:
			e.Facts[kind] = "the project has none"
			continue
		}
		e.Facts[kind] = fmt.Sprintf("exit %d: %s", ran.Exit, ran.Command)
		e.Files = append(e.Files, log)
		if bad, err := j.sameRun(ctx, s, kind, ran, base, size); err != nil || bad != "" {
			return e, object(bad), err
		}
		if ran.Exit != 0 {
			return e, &objection{fmt.Sprintf("%s exits with %d", ran.Command, ran.Exit), ran.Said}, nil
		}
		if kind == "test" {
			if bad, err := j.asBefore(ctx, s, tree, name, &e); err != nil || bad != nil {
				return e, bad, err
			}
		}
	}
	if err := s.sameTree(ctx, tree); err != nil {
		return e, &objection{"the project's commands changed files", "the test, lint or format command rewrote files: make them as it wants them"}, nil
	}
	if j.guidance() {
		no, err := j.addProof(ctx, s, tree, &e)
		return e, object(no), err
	}
	return e, nil, nil
}

// sameRun says what is wrong with a run as evidence. Of lint and format only the file that
// says them can be held to what it was; a change without tests may be one of that file.
func (j *Job) sameRun(ctx context.Context, s stands, kind string, ran Run, base string, size Size) (string, error) {
	if kind != "test" {
		base = ran.Command
	}
	if kind != "test" && len(size.Tests) == 0 {
		return "", nil
	}
	return j.sameCommand(ctx, s, ran, base)
}

// asBefore objects where tests of the project were changed that fail as they were.
func (j *Job) asBefore(ctx context.Context, s stands, tree, name string, e *improve.Evidence) (*objection, error) {
	log := name + "-old-test.log"
	old, err := j.oldTests(ctx, s, tree, log)
	if err != nil {
		return nil, err
	}
	e.Facts["old_tests"] = old.text
	if old.ran {
		e.Files = append(e.Files, log)
	}
	if old.kept {
		return nil, nil
	}
	text := "tests of the project were changed, and as they were they fail (" + old.text + "): a change may add to them, and must leave what they ask for"
	return &objection{text, text + "\n\n" + old.said}, nil
}

// object is an objection that is its own log; nil for none.
func object(text string) *objection {
	if text == "" {
		return nil
	}
	return &objection{text, text}
}

// fit says why a change may not be pushed. What no line shows counts: some of it the
// forge would run as soon as it is there, before anybody has read it.
func (j *Job) fit(ctx context.Context, s stands, size Size) (string, error) {
	if j.guidance() {
		return j.fitGuidance(ctx, s, size)
	}
	lines, components := j.limits()
	if over := over(size, lines, components); over != "" {
		return over, nil
	}
	if len(size.Odd) > 0 {
		return "the change has what may not be in it: " + found(size.Odd) + "; take it out", nil
	}
	if bad, err := j.sameSettings(ctx, s); err != nil || bad != "" {
		return bad, err
	}
	return j.sameTests(ctx, s, size)
}
