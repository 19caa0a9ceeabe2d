package steps_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// Tests that were seen to fail say something only if the same tests pass later.
func TestAnAgentCannotPassByChangingTheTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*dock)
		step  int
		says  string
	}{
		"a weaker test":                  {writes("implement", "tests/left.sh", "true\n"), 5, "tests/left.sh of the design was changed"},
		"a weaker test, later":           {writes("simplify", "tests/left.sh", "true\n"), 6, "tests/left.sh of the design was changed"},
		"the test goes with the review":  {removesAnd("feedback", "```json\n[{\"finding\": 1, \"text\": \"gone\"}]\n```", "tests/left.sh"), 11, "is gone"},
		"a weaker test, in the check":    {weakensAtCheck, 7, "tests/left.sh of the design was changed"},
		"a weaker test, in the review":   {writesAnd("feedback", "```json\n[{\"finding\": 1, \"text\": \"x\"}]\n```", "tests/left.sh", "true\n"), 11, "tests/left.sh of the design was changed"},
		"a test of the project gone":     {losesTheRudder("implement", "done"), 7, "as they were they fail (exit 1: sh test.sh, with tests/straight.sh as they were)"},
		"gone with the review":           {losesTheRudder("feedback", "```json\n[{\"finding\": 1, \"text\": \"x\"}]\n```"), 11, "as they were they fail"},
		"another command":                {writes("implement", "test.sh", "exit 0\n"), 5, "test.sh says how the tests are run"},
		"another command, in the design": {writes("design", "test.sh", "exit 1\n", "tests/left.sh", "true\n"), 4, "test.sh says how the tests are run"},
		"another command, in the review": {writesAnd("feedback", "```json\n[{\"finding\": 1, \"text\": \"x\"}]\n```", "test.sh", "exit 0\n"), 11, "test.sh says how the tests are run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDock(t)
			c.spoil(d)
			it, at, err := d.run()
			if err == nil || at.Number != c.step || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("stopped at %d: %v", at.Number, err)
			}
			d.settles(it, at, err, improve.Failed)
		})
	}
}

// losesTheRudder breaks what a test of the project guards, and takes the test away.
func losesTheRudder(step, words string) func(*dock) {
	return func(d *dock) {
		writes("design", "tests/left.sh", "grep -rq left rudder\n")(d)
		writes("implement", "rudder/rudder.txt", "left\n", "rudder/needless.txt", "x")(d)
		behave := d.agent.Behaviors[step]
		d.agent.Behaviors[step] = func(folder string) (string, error) {
			if _, err := behave(folder); err != nil {
				return "", err
			}
			for _, name := range []string{"rudder/rudder.txt", "tests/straight.sh"} {
				if err := os.Remove(filepath.Join(folder, name)); err != nil {
					return "", err
				}
			}
			return words, os.WriteFile(filepath.Join(folder, "rudder", "left.txt"), []byte("left\n"), 0o600)
		}
	}
}

// TestATestOfTheProjectMayBeAddedTo: what it asked for still holds. Where it does not,
// the agent is told, and may put it right.
func TestATestOfTheProjectMayBeAddedTo(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	writes("implement", "rudder/rudder.txt", "left\n", "rudder/needless.txt", "x", "tests/straight.sh", "test -s rudder/rudder.txt && test -d rudder\n")(d)
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %d: %v", at.Number, err)
	}
	for _, step := range []int{7, 11, 12} {
		d.equal("old tests", it.Evidence[step-1].Facts["old_tests"], "exit 0: sh test.sh, with tests/straight.sh as they were")
	}

	d = newDock(t)
	losesTheRudder("implement", "done")(d)
	writes("check", "rudder/rudder.txt", "left\n", "tests/straight.sh", "test -s rudder/rudder.txt\n")(d)
	if it, at, err = d.run(); err != nil {
		t.Fatalf("mended, and stopped at %d: %v", at.Number, err)
	}
	d.equal("old tests", it.Evidence[11].Facts["old_tests"], "none was changed")
	asked := ""
	for _, job := range d.agent.Asked {
		if job.Step == "check" {
			asked = job.Prompt
		}
	}
	if !strings.Contains(asked, "must leave what they ask for") || !strings.Contains(asked, "failed: tests/straight.sh") {
		t.Errorf("the agent was told: %s", asked)
	}
}

func weakensAtCheck(d *dock) {
	writes("implement", "rudder/rudder.txt", "left wobble\n", "rudder/needless.txt", "x")(d)
	writes("check", "rudder/rudder.txt", "left\n", "tests/left.sh", "true\n")(d)
}

// fussy are commands with a format: no file may hold a blank at the end of a line.
type fussy struct{ steps.Checks }

func (f fussy) Check(ctx context.Context, kind, folder, log string) (steps.Run, bool, error) {
	if kind != "format" {
		return f.Checks.Check(ctx, kind, folder, log)
	}
	r := steps.Run{Command: "format"}
	raw, err := os.ReadFile(filepath.Join(folder, "tests", "left.sh"))
	if err == nil && strings.Contains(string(raw), " \n") {
		r.Exit, r.Said = 1, "tests/left.sh: a blank too many"
	}
	return r, true, os.WriteFile(log, []byte(r.Said), 0o600)
}

// TestTheDesignIsAskedForTheFormatOfItsTests: later they may not be changed.
func TestTheDesignIsAskedForTheFormatOfItsTests(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.opt.Checks = fussy{d.opt.Checks}
	tries := 0
	d.agent.Behaviors["design"] = func(folder string) (string, error) {
		tries++
		text := "grep -q left rudder/rudder.txt\n"
		if tries == 1 {
			text = strings.Replace(text, "\n", " \n", 1)
		}
		return "design", os.WriteFile(filepath.Join(folder, "tests", "left.sh"), []byte(text), 0o600)
	}
	_, at, err := d.run()
	if err != nil || tries != 2 {
		t.Errorf("designed %d times, stopped at %d: %v", tries, at.Number, err)
	}
}

// TestTheTestsOfTheChangeFailOnTheBase: what is proposed was red without its code, as
// it is proposed and not only as it was designed.
func TestTheTestsOfTheChangeFailOnTheBase(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	done, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %d: %v", at.Number, err)
	}
	e := done.Evidence[11]
	d.equal("on the base", e.Facts["on_the_base"], "exit 1: sh test.sh, with tests/left.sh")
	raw, err := os.ReadFile(filepath.Join(d.cfg.Folder, done.ID, "red-test.log"))
	if err != nil || !strings.Contains(string(raw), "failed: tests/left.sh") {
		t.Errorf("%v: %s", err, raw)
	}
	if raw, err := os.ReadFile(filepath.Join(d.cfg.Folder, done.ID, "compliance.md")); err != nil || !strings.Contains(string(raw), "tests that fail on the base: kept") {
		t.Errorf("%v: %s", err, raw)
	}
}

// green are commands whose tests pass on the base, too.
type green struct{ steps.Checks }

func (g green) Check(ctx context.Context, kind, folder, log string) (steps.Run, bool, error) {
	r, has, err := g.Checks.Check(ctx, kind, folder, log)
	if strings.HasSuffix(log, "red-test.log") {
		r.Exit = 0
	}
	return r, has, err
}

func TestTestsThatPassOnTheBaseAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tests []string
		says  string // "" goes on
		fact  string
	}{
		"all can be told apart": {nil, "tests that fail on the base: exit 0", ""},
		"none can":              {[]string{"rudder/rudder.txt"}, "", "not run there: the tests stand in the files that they test"},
		"some can":              {[]string{"rudder/rudder.txt", "tests/left.sh"}, "", "exit 0: sh test.sh, with tests/left.sh; other tests stand"},
	} {
		d := newDock(t)
		d.opt.Checks = green{d.opt.Checks}
		measure := d.opt.Measure
		d.opt.Measure = func(patch []byte) (steps.Size, error) {
			s, err := measure(patch)
			if c.tests != nil && len(s.Tests) > 0 {
				s.Tests = c.tests
			}
			return s, err
		}
		it, at, err := d.run()
		if c.says == "" && (err != nil || !strings.Contains(it.Evidence[11].Facts["on_the_base"], c.fact)) {
			t.Errorf("%s: stopped at %d: %v", name, at.Number, err)
		}
		if c.says != "" && (err == nil || at.Number != 12 || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: stopped at %d: %v", name, at.Number, err)
		}
	}
}

func removesAnd(step, words, name string) func(*dock) {
	return func(d *dock) {
		d.agent.Behaviors[step] = func(folder string) (string, error) {
			return words, os.RemoveAll(filepath.Join(folder, name))
		}
	}
}

// A forge runs some files by itself as soon as they are pushed.
func TestWhatLinesDoNotShowIsNeverPushed(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	measure := d.opt.Measure
	d.opt.Measure = func(patch []byte) (steps.Size, error) {
		s, err := measure(patch)
		if strings.Contains(string(patch), "workflows/evil.yml") {
			s.Odd = []string{".github/workflows/evil.yml is run by the forge"}
		}
		return s, err
	}
	behave := d.agent.Behaviors["implement"]
	d.agent.Behaviors["implement"] = func(folder string) (string, error) {
		if err := os.MkdirAll(filepath.Join(folder, ".github", "workflows"), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, ".github", "workflows", "evil.yml"), []byte("on: push\n"), 0o600); err != nil {
			return "", err
		}
		return behave(folder)
	}
	_, at, err := d.run()
	if err == nil || at.Number != 7 || !strings.Contains(err.Error(), "evil.yml is run by the forge") {
		t.Fatalf("stopped at %d: %v", at.Number, err)
	}
	d.equal("at the forge", d.count(), map[string]int{"issues open": 1})
}

// A paper or log that is gone, or was emptied, is no evidence.
func TestEvidenceIsLookedAtAndNotOnlyCounted(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	done, _, err := d.run()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file  string
		step  int
		empty bool
	}{{"design-test.log", 5, false}, {"implement-test.log", 6, false}, {"check-test.log", 8, false}, {"implement.md", 9, true}, {"requirements.md", 2, true}, {"compliance.md", 13, true}} {
		name := filepath.Join(d.cfg.Folder, done.ID, c.file)
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if c.empty {
			err = os.WriteFile(name, nil, 0o600)
		} else {
			err = os.Remove(name)
		}
		if err != nil {
			t.Fatal(err)
		}
		d.item = done
		d.item.Evidence = done.Evidence[:c.step-1]
		if _, err := steps.Steps()[c.step-1].Run(t.Context(), d.job()); err == nil || !strings.Contains(err.Error(), c.file) {
			t.Errorf("step %d without %s: %v", c.step, c.file, err)
		}
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// messy are commands that leave things behind.
type messy struct{ steps.Checks }

func (m messy) Check(ctx context.Context, kind, folder, log string) (steps.Run, bool, error) {
	r, has, err := m.Checks.Check(ctx, kind, folder, log)
	for _, name := range []string{"rudder/__pycache__/turn.pyc", "report/" + kind + ".xml"} {
		if !has || err != nil {
			break
		}
		if err = os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err == nil {
			err = os.WriteFile(filepath.Join(folder, name), []byte("\x00"+kind), 0o600)
		}
	}
	return r, has, err
}

// TestWhatToolsLeaveBehindIsNoChange: neither what the project's commands leave, nor
// what the agent's own runs of them do.
func TestWhatToolsLeaveBehindIsNoChange(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.opt.Checks = messy{d.opt.Checks}
	behave := d.agent.Behaviors["implement"]
	d.agent.Behaviors["implement"] = func(folder string) (string, error) {
		if err := os.MkdirAll(filepath.Join(folder, "tests", "__pycache__"), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, "tests", "__pycache__", "left.pyc"), []byte{0}, 0o600); err != nil {
			return "", err
		}
		return behave(folder)
	}
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %d: %v", at.Number, err)
	}
	out, err := d.project.Run(t.Context(), "diff", "--name-only", it.Evidence[2].Facts["base"], it.Evidence[10].Facts["commit"])
	if err != nil {
		t.Fatal(err)
	}
	d.equal("changed", strings.Fields(out), []string{"rudder/rudder.txt", "tests/left.sh"})
}
