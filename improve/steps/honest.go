package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve/project"
)

// A run of tests is evidence only if the agent, whose change they judge, did not
// choose what is run: the command and the file that says what it does are those of
// the base, and the tests that were seen to fail are those that are seen to pass.

// sameCommand says what is wrong with the command of a run: base is the one that ran
// before anything was changed.
func (j *Job) sameCommand(ctx context.Context, s stands, ran Run, base string) (string, error) {
	if ran.Command != base {
		return fmt.Sprintf("the tests are run by %s now, and were by %s: leave that as it was", ran.Command, base), nil
	}
	if ran.From == "" {
		return "", nil
	}
	changed, err := s.differs(ctx, s.base, ran.From)
	if err != nil || !changed {
		return "", err
	}
	return fmt.Sprintf("%s says how the tests are run, so it must stay as it was", ran.From), nil
}

// sameSettings says which file that tells tools how to check the project the change edits,
// adds or takes away: with other rules it could not be held to those of the project.
func (j *Job) sameSettings(ctx context.Context, s stands) (string, error) {
	out, err := s.Run(ctx, "diff", "--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--end-of-options", s.base)
	if err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(out, "\x00") {
		if project.IsCheckSetting(name) {
			return fmt.Sprintf("%s says how the project is checked, so it must stay as it was", name), nil
		}
	}
	return "", nil
}

// keptTests says which test of the design is not there any more.
func (j *Job) keptTests(size Size) (string, error) {
	tests, err := j.fact(Design, "tests")
	if err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(tests, ", ") {
		if !slices.Contains(size.Tests, name) {
			return "the test " + name + " of the design is gone", nil
		}
	}
	return "", nil
}

// sameTests says which test of the design is not as it was when it was seen to
// fail. Where tests stand in the file that they test, only that they are there can
// be said.
func (j *Job) sameTests(ctx context.Context, s stands, size Size) (string, error) {
	if j.guidance() {
		return "", nil // it has none, and may not touch the project's
	}
	if gone, err := j.keptTests(size); err != nil || gone != "" {
		return gone, err
	}
	tree, err := j.fact(Design, "tree")
	if err != nil {
		return "", err
	}
	tests, err := j.fact(Design, "tests")
	if err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(tests, ", ") {
		if !project.IsTest(name) {
			continue
		}
		if changed, err := s.differs(ctx, tree, name); err != nil || changed {
			return "the test " + name + " of the design was changed: put it back, and make it pass as it was", err
		}
	}
	return "", nil
}

// redRun is what the tests of the finished change came to on the code of the base.
type redRun struct {
	shown bool   // they fail there
	known bool   // whether they do could be told
	text  string // for a person
}

// redLog is the log of that run.
const redLog = "red-test.log"

// red runs the tests of the finished change on the code of the base: they still show
// the trouble only if they fail there. The working tree is then as the change is.
func (j *Job) red(ctx context.Context, s stands, head string, size Size) (redRun, error) {
	apart := slices.DeleteFunc(slices.Clone(size.Tests), func(name string) bool { return !project.IsTest(name) })
	if len(apart) == 0 {
		return redRun{text: "not run there: the tests stand in the files that they test"}, nil
	}
	if err := s.restore(ctx, head, s.base); err != nil {
		return redRun{}, err
	}
	args := append([]string{"--quiet", head, "--"}, apart...)
	if _, err := s.Run(ctx, "checkout", args...); err != nil {
		return redRun{}, err
	}
	ran, err := j.test(ctx, s, redLog)
	if err != nil {
		return redRun{}, err
	}
	r := redRun{shown: ran.Exit != 0, known: true, text: fmt.Sprintf("exit %d: %s, with %s", ran.Exit, ran.Command, found(apart))}
	if !r.shown && len(apart) < len(size.Tests) {
		r.known = false
		r.text += "; other tests stand in the files that they test, and were not run there"
	}
	return r, s.restore(ctx, head, head)
}

// oldLog is the log of the project's tests as they were.
const oldLog = "old-test.log"

// oldRun is what the project's tests, as they were, came to with the change.
type oldRun struct {
	kept bool
	ran  bool   // some were changed
	text string // for a person
	said string // the end of what they wrote
}

// oldTests runs tests of the project that the change edits or takes away as they were
// before it: it may add to what they ask for, and take nothing from it. The working
// tree, whose content is given, is then as it was.
func (j *Job) oldTests(ctx context.Context, s stands, content, log string) (oldRun, error) {
	names, err := s.editedTests(ctx)
	if err != nil || len(names) == 0 {
		return oldRun{kept: true, text: "none was changed"}, err
	}
	head, err := s.Commit(ctx, "HEAD")
	if err != nil {
		return oldRun{}, err
	}
	if _, err := s.Run(ctx, "checkout", append([]string{"--quiet", s.base, "--"}, names...)...); err != nil {
		return oldRun{}, err
	}
	ran, err := j.test(ctx, s, log)
	if err != nil {
		return oldRun{}, err
	}
	r := oldRun{kept: ran.Exit == 0, ran: true, text: fmt.Sprintf("exit %d: %s, with %s as they were", ran.Exit, ran.Command, found(names)), said: ran.Said}
	return r, s.restore(ctx, head, content)
}

// editedTests are the files of tests that were there before and are otherwise now, or
// gone.
func (s stands) editedTests(ctx context.Context) ([]string, error) {
	out, err := s.Run(ctx, "diff", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=MDT", "--no-ext-diff", "--no-textconv", "--end-of-options", s.base)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" && project.IsTest(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// differs reports whether a file that is staged is not as in a commit or tree.
func (s stands) differs(ctx context.Context, from, name string) (bool, error) {
	_, err := s.Run(ctx, "diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv", "--end-of-options", from, "--", name)
	if e, ok := errors.AsType[*git.Error](err); ok && e.Exit == 1 {
		return true, nil
	}
	return false, err
}
