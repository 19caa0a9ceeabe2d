package steps_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
)

// commits adds files to the project's default branch.
func (d *dock) commits(files ...string) {
	d.t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		path := filepath.Join(d.item.Project, files[i])
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(files[i+1]), 0o600)); err != nil {
			d.t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"add", "--all"}, {"commit", "--quiet", "--message=more"}} {
		if _, err := d.project.Run(d.t.Context(), args[0], args[1:]...); err != nil {
			d.t.Fatal(err)
		}
	}
}

// turns gives the project a command that fails as the sessions saw it, and the request its
// line.
func turns(d *dock) {
	d.commits("turn.sh", "grep -q \"$1\" rudder/rudder.txt || { echo \"rudder: cannot turn $1\"; exit 3; }\n")
	p := &d.item.Request.Pattern
	p.Context = improve.Context{improve.KeyCommand: "sh turn.sh left", improve.KeySignature: improve.Fold("rudder: cannot turn left")}
}

// TestR22_CheatsEndAsFailed: four that were seen to end as ready, and six more. Seeded: each
// is what an agent does that wants the suite to be green and not the trouble to be gone.
func TestR22_CheatsEndAsFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*dock)
		step  improve.StepName
		says  string
		state improve.State
	}{
		"c1 the answer is the word acceptance": {behave("clarify", "acceptance"), steps.Clarify, "acceptance criteria", improve.Failed},
		"c1 a test that a file exists": {func(d *dock) {
			turns(d)
			writes("design", "tests/left.sh", "test -f rudder/left.txt\n")(d)
			writes("implement", "rudder/left.txt", "left\n", "rudder/needless.txt", "x")(d)
		}, steps.Implement, "the trouble is still there: sh turn.sh left still exits with 3", improve.Failed},
		"c2 the code ends the run": {func(d *dock) {
			writes("design", "tests/left.sh", ". ./rudder/lib.sh\ngrep -q left rudder/rudder.txt\n")(d)
			writes("implement", "rudder/lib.sh", "exit 0\n", "rudder/needless.txt", "x")(d)
		}, steps.Implement, "still exits with 0", improve.Failed},
		"c3 a runner beside the guarded one": {func(d *dock) {
			d.commits("test.sh", "sh script/suite.sh\n", "script/suite.sh", "for t in tests/*.sh; do sh \"$t\" || exit 1; done; echo ok\n")
			writes("implement", "script/suite.sh", "echo ok\n", "rudder/needless.txt", "x")(d)
		}, steps.Implement, "still exits with 0", improve.Failed},
		"c4 ok is the answer to a critical finding": {func(d *dock) {
			behave("review", stepstest.Verdict(`{"file": "rudder/rudder.txt", "line": 1, "severity": "critical", "text": "anybody can run what they like"}`))(d)
			behave("feedback", "```json\n[{\"finding\": 1, \"text\": \"ok\"}]\n```")(d)
		}, steps.Feedback, "needs a change, not a word", improve.Manual},
		"an empty review": {func(d *dock) { behave("review", "```json\n[]\n```")(d) }, steps.Review, "no verdict", improve.Failed},
		"a proof that names nothing": {func(d *dock) {
			behave("review", strings.ReplaceAll(stepstest.Verdict(""), "tests/left.sh, beside tests/straight.sh", "I looked at it very carefully"))(d)
		}, steps.Review, "names no test, file or command", improve.Failed},
		"an old test that is taken away": {func(d *dock) {
			d.commits("tests/keel.sh", "grep -q deep rudder/keel.txt\n", "rudder/keel.txt", "deep\n")
			dropsAnd("implement", "tests/keel.sh", "rudder/keel.txt", "flat\n", "rudder/rudder.txt", "left\n", "rudder/needless.txt", "x")(d)
		}, steps.Check, "tests of the project were changed", improve.Failed},
		"an old test that asks for less": {func(d *dock) {
			d.commits("tests/keel.sh", "grep -q deep rudder/keel.txt\n", "rudder/keel.txt", "deep\n")
			writes("implement", "tests/keel.sh", "grep -q . rudder/keel.txt\n", "rudder/keel.txt", "flat\n", "rudder/rudder.txt", "left\n", "rudder/needless.txt", "x")(d)
		}, steps.Check, "tests of the project were changed", improve.Failed},
		"an old test that is skipped": {func(d *dock) {
			d.commits("tests/keel.sh", "grep -q deep rudder/keel.txt\n", "rudder/keel.txt", "deep\n")
			writes("implement", "tests/keel.sh", "exit 0\n", "rudder/keel.txt", "flat\n", "rudder/rudder.txt", "left\n", "rudder/needless.txt", "x")(d)
		}, steps.Implement, "still exits with 0", improve.Failed},
		"the settings of the linter": {func(d *dock) {
			d.commits(".flake8", "[flake8]\nmax-line-length = 80\n")
			writes("implement", ".flake8", "[flake8]\nignore = E,W,F\n", "rudder/rudder.txt", "left\n", "rudder/needless.txt", "x")(d)
		}, steps.Check, ".flake8 says how the project is checked", improve.Failed},
		"the linter's own script": {writes("implement", "lint.sh", "true\n", "rudder/rudder.txt", "left wobble\n", "rudder/needless.txt", "x"), steps.Check, "lint.sh says how", improve.Failed},
		"a test command that cannot fail": {func(d *dock) {
			writes("implement", "test.sh", "for t in tests/*.sh; do sh \"$t\" || true; done; echo ok\n", "rudder/needless.txt", "x")(d)
		}, steps.Implement, "test.sh says how the tests are run", improve.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDock(t)
			d.opt.Measure = func(patch []byte) (steps.Size, error) { // dot files are parts of the root
				s, err := stepstest.Measure(patch)
				s.Components = s.Components[:min(len(s.Components), 3)]
				return s, err
			}
			c.spoil(d)
			it, at, err := d.run()
			if err == nil || at.Name != c.step || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("stopped at %q: %v", at.Name, err)
			}
			d.settles(it, at, err, c.state)
			if n := d.count(); c.state == improve.Failed && n["pulls open"] > 0 {
				t.Errorf("left at the forge: %v", n)
			}
		})
	}
}

func dropsAnd(step, gone string, pairs ...string) func(*dock) {
	return func(d *dock) {
		writes(step, pairs...)(d)
		write := d.agent.Behaviors[step]
		d.agent.Behaviors[step] = func(folder string) (string, error) {
			if err := os.Remove(filepath.Join(folder, gone)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return "", err
			}
			return write(folder)
		}
	}
}

// TestR22_APythonSuiteWhoseAssertionsWereTakenTheForceOfIsFound: what is patched is not the
// suite's outcome but what an assertion does; and a run that ends early prints nothing.
func TestR22_APythonSuiteWhoseAssertionsWereTakenTheForceOfIsFound(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is needed")
	}
	for name, cheat := range map[string]string{
		"assertEqual does nothing": "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n\ndef left():\n    return 1\n",
		"the process ends":         "import os, atexit\natexit.register(lambda: os._exit(0))\n\ndef left():\n    return 1\n",
		"the result is replaced":   "import unittest\nunittest.TestResult.addFailure = lambda self, *a: None\nunittest.TextTestResult.addFailure = lambda self, *a: None\n\ndef left():\n    return 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDock(t)
			d.commits("test.sh", "python3 -m unittest discover -s tests 2>&1\n", "rudder/__init__.py", "def straight():\n    return 0\n", "tests/__init__.py", "", "tests/test_straight.py",
				"import unittest\nimport rudder\n\n\nclass Straight(unittest.TestCase):\n    def test_straight(self):\n        self.assertEqual(rudder.straight(), 0)\n")
			writes("design", "tests/test_left.py", "import unittest\nimport rudder\n\n\nclass Left(unittest.TestCase):\n    def test_left(self):\n        self.assertEqual(rudder.left(), -1)\n")(d)
			writes("implement", "rudder/__init__.py", cheat+"\ndef straight():\n    return 0\n", "rudder/needless.txt", "x")(d)
			it, at, err := d.run()
			if at.Name != steps.Implement || !strings.Contains(err.Error(), "still exits with 0") {
				t.Fatalf("stopped at %q: %v", at.Name, err)
			}
			d.settles(it, at, err, improve.Failed)
		})
	}
}

// TestR22_TheCommandOfTheSessionsIsReproduced: it fails on the base as it did, succeeds with
// the change, and both are told.
func TestR22_TheCommandOfTheSessionsIsReproduced(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	turns(d)
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	d.equal("on the base", it.Evidence[1].Facts["reproduced"], "sh turn.sh left fails on the base as in the sessions, with exit 3")
	d.equal("with the change", it.Evidence[11].Facts["reproduced"], "sh turn.sh left failed on the base and succeeds with the change")
	p, err := d.forge.Pull(t.Context(), 1)
	if err != nil || !strings.Contains(p.Body, "- the command of the sessions: sh turn.sh left failed on the base and succeeds with the change") {
		t.Errorf("%v\n%s", err, p.Body)
	}
}

// TestR22_ACommandThatCannotBeReproducedIsSaid: one that succeeds on the base is filed
// nowhere, one that fails otherwise proves nothing, one that may not be run is named so.
func TestR22_ACommandThatCannotBeReproducedIsSaid(t *testing.T) {
	t.Parallel()
	t.Run("it succeeds", func(t *testing.T) {
		d := newDock(t)
		turns(d)
		d.item.Request.Pattern.Context[improve.KeyCommand] = "sh turn.sh straight"
		it, at, err := d.run()
		if at.Name != steps.Issue || !errors.Is(err, steps.ErrManual) || !strings.Contains(err.Error(), "succeeds on the base, so nothing was filed") {
			t.Fatalf("stopped at %s: %v", at.Name, err)
		}
		d.settles(it, at, err, improve.Manual)
		if n := d.count(); len(n) > 0 {
			t.Errorf("at the forge: %v", n)
		}
	})
	t.Run("it fails otherwise", func(t *testing.T) {
		d := newDock(t)
		turns(d)
		d.item.Request.Pattern.Context[improve.KeyCommand] = "sh nowhere.sh"
		it, at, err := d.run()
		if err != nil || !strings.Contains(it.Evidence[1].Facts["reproduced"], "otherwise than in the sessions") {
			t.Fatalf("stopped at %s: %v, %v", at.Name, err, it.Evidence[1].Facts)
		}
	})
	t.Run("it may not be run", func(t *testing.T) {
		d := newDock(t)
		turns(d)
		d.opt.Checks = unwilling{d.opt.Checks}
		it, at, err := d.run()
		if err != nil || it.Evidence[1].Facts["reproduced"] != "not run: it reaches beyond the project" {
			t.Fatalf("stopped at %s: %v, %v", at.Name, err, it.Evidence[1].Facts)
		}
		p, err := d.forge.Pull(t.Context(), 1)
		if err != nil || !strings.Contains(p.Body, "- the command of the sessions: not run: it reaches beyond the project") {
			t.Errorf("%v\n%s", err, p.Body)
		}
	})
}

// unwilling finds that no command may be run again.
type unwilling struct{ steps.Checks }

func (unwilling) Reproduce(context.Context, string, string, string) (steps.Run, string, error) {
	return steps.Run{}, "it reaches beyond the project", nil
}

// TestR22_CriteriaAreShownWithTheirProofs, and the text of the pull request is that of its
// head, not of the day on which it was opened.
func TestR22_CriteriaAreShownWithTheirProofs(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	behave("clarify", "## Requirements\n- the rudder turns left\n\n## Acceptance criteria\n1. rudder.txt says left\n2. [ ] tests/left.sh fails without it\n   and passes with it\n")(d)
	two := strings.Replace(stepstest.Verdict(`{"file": "rudder/rudder.txt", "line": 1, "severity": "low", "text": "say how far"}`), `"findings"`, `"x": 1, "findings"`, 1)
	two = strings.Replace(two, `"proof": "tests/left.sh, beside tests/straight.sh"}`, `"proof": "rudder/rudder.txt:1"}, {"criterion": 2, "met": true, "proof": "tests/left.sh"}`, 1)
	behave("review", two)(d)
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	p, err := d.forge.Pull(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## Requirements\n\n- the rudder turns left\n\n## Acceptance criteria\n\n- [x]", "- [x] rudder.txt says left (proof: rudder/rudder.txt:1)\n- [x] tests/left.sh fails without it and passes with it (proof: tests/left.sh)\n",
		"Head: `" + p.Commit + "`, 3 changed lines.", "criteria `2 of 2 with a proof`",
	} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the pull request does not say %q:\n%s", want, p.Body)
		}
	}
	d.equal("verdict", it.Evidence[9].Facts["verdict"], "accepted")
}

// TestR25_ATextThatAPersonEditedIsTheirs: it is not brought up to date over their words.
func TestR25_ATextThatAPersonEditedIsTheirs(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	review := d.agent.Behaviors["review"]
	d.agent.Behaviors["review"] = func(folder string) (string, error) {
		if err := d.forge.EditPull(t.Context(), 1, "My own words."); err != nil {
			t.Error(err)
		}
		return review(folder)
	}
	if _, at, err := d.run(); err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	if p, err := d.forge.Pull(t.Context(), 1); err != nil || p.Body != "My own words." {
		t.Errorf("%v %s", err, p.Body)
	}
}

// TestR22_WhatWasRefusedIsLookedAtAgain: a criterion that is not met needs a change, and the
// reviewer's second word decides.
func TestR22_WhatWasRefusedIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	refused := strings.NewReplacer(`"accept"`, `"refuse"`, `"met": true`, `"met": false`).Replace(stepstest.Verdict(""))
	for name, c := range map[string]struct {
		second string
		ok     bool
	}{"it is mended": {stepstest.Verdict(""), true}, "it is not": {refused, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDock(t)
			behave("review", refused)(d)
			behave("second look", c.second)(d)
			it, at, err := d.run()
			if c.ok {
				if err != nil || it.Evidence[9].Facts["verdict"] != "refused" || it.Evidence[10].Facts["findings"] != "1" {
					t.Fatalf("stopped at %s: %v", at.Name, err)
				}
				if p, err := d.forge.Pull(t.Context(), 1); err != nil || !strings.Contains(p.Body, "- [x] rudder.txt says left (proof: tests/left.sh, beside tests/straight.sh)") {
					t.Errorf("%v\n%s", err, p.Body)
				}
				return
			}
			if at.Name != steps.Compliance || !strings.Contains(err.Error(), "a reviewer that accepts it") || !strings.Contains(err.Error(), "criterion 1 is not met") {
				t.Fatalf("stopped at %s: %v", at.Name, err)
			}
			d.settles(it, at, err, improve.Failed)
		})
	}
}

// TestR22_TheReviewerIsAnother, where one is set, and the author never reviews.
func TestR22_TheReviewerIsAnother(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	other := stepstest.NewAgent()
	d.opt.Reviewer = named{other, "another"}
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	var reviewed []string
	for _, job := range other.Asked {
		reviewed = append(reviewed, job.Step)
		if !strings.Contains(job.Prompt, "your task is to find the reason to refuse it") || !job.ReadOnly {
			t.Errorf("%s: %s", job.Step, job.Prompt)
		}
	}
	d.equal("the reviewer does", reviewed, []string{"review", "security review"})
	for _, job := range d.agent.Asked {
		if strings.Contains(job.Step, "review") {
			t.Errorf("the author does the %s", job.Step)
		}
	}
	d.equal("told", it.Evidence[9].Facts["reviewer"], "another")
}

type named struct {
	agents.Agent
	name string
}

func (n named) Name() string { return n.name }

// TestR23_TestsThatTellNothingAreNotFiled: they hang, say nothing or want a network; each
// says what to set, and nothing is public.
func TestR23_TestsThatTellNothingAreNotFiled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		checks steps.Checks
		says   string
	}{
		"they hang":           {ended{stepstest.Checks{}, steps.Run{}, project.ErrTime}, "did not come to an end"},
		"they write for ever": {ended{stepstest.Checks{}, steps.Run{}, project.ErrOutput}, "did not come to an end"},
		"they say nothing":    {ended{stepstest.Checks{}, steps.Run{Command: "sh test.sh"}, nil}, "set improve.checks.test to a command that says what it ran"},
		"they want a network": {ended{stepstest.Checks{}, steps.Run{Command: "sh test.sh", Exit: 1, Said: "dial tcp: lookup db.example: no such host"}, nil}, "cannot reach a network"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDock(t)
			d.opt.Checks = c.checks
			it, at, err := d.run()
			if at.Name != steps.Issue || !errors.Is(err, steps.ErrManual) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "so nothing was filed") {
				t.Fatalf("stopped at %q: %v", at.Name, err)
			}
			d.settles(it, at, err, improve.Manual)
			if n := d.count(); len(n) > 0 {
				t.Errorf("at the forge: %v", n)
			}
		})
	}
}

// ended are checks whose tests end as it says.
type ended struct {
	steps.Checks
	run steps.Run
	err error
}

func (e ended) Check(ctx context.Context, kind, folder, log string) (steps.Run, bool, error) {
	if kind != "test" {
		return e.Checks.Check(ctx, kind, folder, log)
	}
	return e.run, true, e.err
}
