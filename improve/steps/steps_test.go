package steps_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/local"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
)

// dock is an Env on a local forge with a project.
type dock struct {
	t       *testing.T
	git     git.Program
	forge   forge.Forge
	hub     *forgetest.Hub // where the forge is a fake
	agent   *stepstest.Agent
	cfg     steps.Config
	opt     steps.Options
	item    improve.Item
	project git.Tree
}

func newDock(t *testing.T) *dock {
	t.Helper()
	d := &dock{t: t, git: stepstest.Program(os.Environ()), agent: stepstest.NewAgent()}
	project := t.TempDir()
	if err := stepstest.Project(t.Context(), d.git, project); err != nil {
		t.Fatal(err)
	}
	shed, err := local.New(t.Context(), local.Config{Folder: t.TempDir()}, local.Options{Git: d.git})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shed.Close() })
	d.forge, d.item, d.project = shed.Roles(), stepstest.Item(project, 1), d.git.In(project)
	d.opt = stepstest.Options(shed.Roles(), &forgetest.Log{}, d.git, d.agent)
	d.opt.Wait = func(context.Context, time.Duration) error { return nil }
	d.cfg = steps.Config{Folder: t.TempDir()}
	return d
}

func (d *dock) env() *steps.Env {
	d.t.Helper()
	y, err := steps.New(d.cfg, d.opt)
	if err != nil {
		d.t.Fatal(err)
	}
	return y
}

func (d *dock) job() *steps.Job {
	d.t.Helper()
	j, err := d.env().Job(d.item, nil, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return j
}

// run does the steps, and returns where and why it stopped.
func (d *dock) run() (improve.Item, steps.Step, error) {
	d.t.Helper()
	j := d.job()
	for _, s := range steps.Steps() {
		e, err := s.Run(d.t.Context(), j)
		j.Item.Evidence = append(j.Item.Evidence, e)
		if err != nil {
			return j.Item, s, err
		}
	}
	return j.Item, steps.Step{}, nil
}

// count says how much there is at the forge.
func (d *dock) count() map[string]int {
	d.t.Helper()
	n := map[string]int{}
	for one, err := range d.forge.IssuesBy(d.t.Context(), "trimtab") {
		if err != nil {
			d.t.Fatal(err)
		}
		n["issues "+string(one.State)]++
	}
	out, err := d.git.In(d.forge.Remote().URL).Run(d.t.Context(), "for-each-ref", "--format=%(refname)", "refs/heads/feat")
	if err != nil {
		d.t.Fatal(err)
	}
	if branches := strings.Fields(out); len(branches) > 0 {
		n["branches"] = len(branches)
	}
	for one, err := range d.forge.PullsFrom(d.t.Context(), "feat/issue-1-improve-error-patterns-handling") {
		if err != nil {
			d.t.Fatal(err)
		}
		n["pulls "+string(one.State)]++
	}
	return n
}

func (d *dock) equal(what string, got, want any) {
	d.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestR9_ThirteenStepsFromRequestToPullRequest(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	var names []string
	for i, e := range it.Evidence {
		names = append(names, string(e.Step))
		if e.Number != i+1 || e.Ended.IsZero() || len(e.Facts) == 0 {
			t.Errorf("evidence %d: %+v", i+1, e)
		}
		for _, f := range e.Files {
			raw, err := os.ReadFile(filepath.Join(d.cfg.Folder, it.ID, f))
			if err != nil || len(raw) == 0 && !strings.HasSuffix(f, "lint.log") { // a lint that is content says nothing
				t.Errorf("%s of step %d: %v", f, e.Number, err)
			}
		}
	}
	d.equal("steps", names, []string{"clarify", "issue", "branch", "design", "implement", "simplify", "check", "commit", "pull request", "review", "feedback", "compliance", "mergeable"})
	d.equal("at the forge", d.count(), map[string]int{"issues open": 1, "branches": 1, "pulls open": 1})
	p, err := d.forge.Pull(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	d.equal("title", p.Title, "Automated improvement: Improve error patterns handling")
	d.equal("labels", p.Labels, []string{"automated", "ready"})
	for _, part := range []string{
		"**Issue**: #1", "**Type**: error_handling", "**Priority**: high", "**Occurrences**: 6", "**Severity**: high", "The rudder does not turn left.",
		"The rudder turns left.", "Took away a file that nothing used.", "`session-1`", "## Test plan", "## Evidence", "4 design: exit `1`, base_exit `0`",
	} {
		if !strings.Contains(p.Body, part) {
			t.Errorf("the pull request does not say %q:\n%s", part, p.Body)
		}
	}
	patch, err := d.git.In(d.forge.Remote().URL).Patch(t.Context(), "main", p.Head)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"+left 10", "Refs #1", "Trimtab-Improvement: " + it.ID, "tests/left.sh"} {
		if !strings.Contains(patch, want) {
			t.Errorf("the patch lacks %q", want)
		}
	}
	if strings.Contains(patch, "half") || strings.Contains(patch, "needless") {
		t.Errorf("the patch holds what was taken away:\n%s", patch)
	}
	if p.State != forge.Open {
		t.Errorf("the pull request is %s", p.State)
	}
}

func TestR11_OverTheLimitsOneRetryThenFailWithTheDiffKept(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.cfg.Lines = 10
	long := strings.Repeat("left\n", 30)
	d.agent.Behaviors["simplify"] = func(folder string) (string, error) {
		return "could not", os.WriteFile(filepath.Join(folder, "rudder", "rudder.txt"), []byte(long), 0o600)
	}
	it, at, err := d.run()
	if err == nil || at.Number != 6 || !strings.Contains(err.Error(), "10 are allowed") {
		t.Fatalf("stopped at %d: %v", at.Number, err)
	}
	n := 0
	for _, a := range d.agent.Asked {
		if a.Step == "simplify" {
			n++
		}
	}
	d.equal("times asked", n, 2)
	if !strings.Contains(d.agent.Asked[len(d.agent.Asked)-1].Prompt, "do less") {
		t.Error("the second time it was not asked for less")
	}
	if raw, err := os.ReadFile(filepath.Join(d.cfg.Folder, it.ID, "over.patch")); err != nil || !strings.Contains(string(raw), "+left") {
		t.Errorf("the diff is not kept: %v", err)
	}
	d.settles(it, at, err, improve.Failed)
	d.equal("at the forge", d.count(), map[string]int{"issues open": 1})
}

// settles has the work cleared up, twice: the second time changes nothing.
func (d *dock) settles(it improve.Item, at steps.Step, why error, want improve.State) {
	d.t.Helper()
	d.item = it
	for range 2 {
		state, text, err := d.job().Settle(d.t.Context(), at, why)
		if err != nil || state != want || text == "" {
			d.t.Errorf("settled as %q, %v", state, err)
		}
	}
}

func TestEachStepChecksTheEvidenceItBuildsOn(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	done, _, err := d.run()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		step, lost int
	}{{2, 1}, {3, 2}, {4, 3}, {5, 4}, {6, 5}, {7, 6}, {8, 7}, {9, 8}, {10, 9}, {11, 10}, {12, 11}, {13, 12}} {
		d.item = done
		d.item.Evidence = slices.DeleteFunc(slices.Clone(done.Evidence), func(e improve.Evidence) bool { return e.Number == c.lost || e.Number >= c.step })
		e, err := steps.Steps()[c.step-1].Run(t.Context(), d.job())
		if err == nil || !strings.Contains(err.Error(), "evidence of the step "+string(steps.Steps()[c.lost-1].Name)) || e.Error == "" {
			t.Errorf("step %d without the evidence of step %d: %v", c.step, c.lost, err)
		}
	}
}

func TestWhatIsNotAsItShouldBeStopsTheStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(d *dock)
		step  int
		says  string
	}{
		"no acceptance criteria":           {behave("clarify", "I will do it."), 1, "acceptance"},
		"an agent that fails":              {func(d *dock) { delete(d.agent.Behaviors, "design") }, 4, "no script"},
		"tests that pass at once":          {writes("design", "tests/left.sh", "true\n"), 4, "pass without an implementation"},
		"a design without tests":           {writes("design", "rudder/rudder.txt", "left\n"), 4, "no test"},
		"an implementation that fails":     {behave("implement", "done!"), 5, "do not pass"},
		"an implementation that cheats":    {removes("implement", "tests/left.sh"), 5, "is gone"},
		"a lint that objects":              {writes("implement", "rudder/rudder.txt", "left wobble\n", "rudder/needless.txt", "x"), 7, "lint.sh exits with 1"},
		"a secret in the change":           {writes("implement", "rudder/rudder.txt", "left "+stepstest.Canary+"\n", "rudder/needless.txt", "x"), 8, "secrets and was not pushed"},
		"a reviewer that says nothing":     {behave("review", ""), 10, "said nothing"},
		"a reviewer that changes files":    {writes("review", "rudder/rudder.txt", "right\n"), 10, "changed files"},
		"a finding that is not answered":   {behave("feedback", "```json\n[]\n```"), 11, "0 of 1 findings"},
		"feedback that breaks the tests":   {writes("feedback", "rudder/rudder.txt", "right\n"), 11, "test.sh exits with 1"},
		"something unfinished":             {writes("implement", "rudder/rudder.txt", "left TODO\n", "rudder/needless.txt", "x"), 12, "nothing unfinished"},
		"tests that failed at the base":    {breaksBase, 2, "fail before anything was changed"},
		"no tests that are known":          {func(d *dock) { d.opt.Checks = untested{} }, 1, "a person must go on here: no command for tests was found in this project; set improve.checks.test"},
		"tests that are not installed":     {func(d *dock) { d.opt.Checks = untested{project.ErrMissing} }, 1, "a person must go on here: not installed"},
		"no issue may be opened":           {func(d *dock) { d.cfg.Issues = new(bool) }, 2, "auto_create_issues"},
		"no branch may be made":            {func(d *dock) { d.cfg.Branches = new(bool) }, 3, "auto_create_branches"},
		"no pull request may be opened":    {func(d *dock) { d.cfg.Pulls = new(bool) }, 9, "auto_create_prs"},
		"the forge has a branch of others": {foreignBranch, 3, "not ours"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDock(t)
			keepsFeedback(d, c.step)
			c.spoil(d)
			it, at, err := d.run()
			if err == nil || at.Number != c.step || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("stopped at step %d: %v", at.Number, err)
			}
			want := improve.Failed
			if errors.Is(err, steps.ErrManual) {
				want = improve.Manual
			}
			d.settles(it, at, err, want)
			if n := d.count(); want == improve.Manual && c.step < 3 && len(n) > 0 {
				t.Errorf("filed for what cannot be done here: %v", n)
			}
			if kept, err := os.ReadFile(filepath.Join(d.cfg.Folder, it.ID, "change.patch")); want == improve.Failed && c.step > 4 && name != "an implementation that cheats" && (err != nil || !strings.Contains(string(kept), "+++ b/")) {
				t.Errorf("the diff is not kept: %v", err)
			}
			if n := d.count(); want == improve.Failed && (n["issues open"] != 1 || n["pulls open"] != 0 || (n["branches"] != 0) != (c.step > 8 || name == "the forge has a branch of others")) {
				t.Errorf("left at the forge: %v", n)
			}
			if out, err := d.project.Run(t.Context(), "worktree", "list"); err != nil || strings.Count(out, "\n") != 1 && want == improve.Failed {
				t.Errorf("working trees: %s %v", out, err)
			}
		})
	}
}

// untested are the commands of a project that cannot be tested here.
type untested struct{ err error }

func (u untested) Has(kind, _ string) (bool, error) {
	return kind == "test" && u.err != nil, u.err
}

func (u untested) Check(_ context.Context, kind, _, _ string) (steps.Run, bool, error) {
	if kind != "test" {
		return steps.Run{}, false, nil
	}
	return steps.Run{}, u.err != nil, u.err
}

func (untested) Reproduce(context.Context, string, string, string) (steps.Run, string, error) {
	return steps.Run{}, "", nil
}

// keepsFeedback has the feedback leave alone what a test put into the rudder.
func keepsFeedback(d *dock, step int) {
	if step == 12 {
		behave("feedback", "```json\n[{\"finding\": 1, \"text\": \"fine as it is\"}]\n```")(d)
	}
}

func behave(step, words string) func(*dock) { return writesAnd(step, words) }

func writes(step string, pairs ...string) func(*dock) { return writesAnd(step, "done", pairs...) }

func writesAnd(step, words string, pairs ...string) func(*dock) {
	return func(d *dock) {
		d.agent.Behaviors[step] = func(folder string) (string, error) {
			for i := 0; i+1 < len(pairs); i += 2 {
				if err := os.WriteFile(filepath.Join(folder, pairs[i]), []byte(pairs[i+1]), 0o600); err != nil {
					return "", err
				}
			}
			return words, nil
		}
	}
}

func removes(step, name string) func(*dock) {
	return func(d *dock) {
		d.agent.Behaviors[step] = func(folder string) (string, error) {
			err := os.Remove(filepath.Join(folder, name))
			if errors.Is(err, os.ErrNotExist) {
				err = nil
			}
			return "gone", err
		}
	}
}

func breaksBase(d *dock) { d.commit("tests/straight.sh", "false\n") }

func (d *dock) commit(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.project.Folder, name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	for _, args := range [][]string{{"add", "--all"}, {"commit", "--quiet", "--message=change"}} {
		if _, err := d.project.Run(d.t.Context(), args[0], args[1:]...); err != nil {
			d.t.Fatal(err)
		}
	}
}

func foreignBranch(d *dock) {
	d.t.Helper()
	head, err := d.project.Commit(d.t.Context(), "HEAD")
	if err == nil {
		err = d.project.Push(d.t.Context(), d.forge.Remote(), git.Update{Branch: "feat/issue-1-improve-error-patterns-handling", To: head})
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// hasty is a forge that calls every change a conflict until it has looked at it, as
// Gitea does.
type hasty struct {
	forge.Pulls
	asked *int
	most  int
}

func (h hasty) Pull(ctx context.Context, number int) (forge.Pull, error) {
	p, err := h.Pulls.Pull(ctx, number)
	if *h.asked++; *h.asked <= h.most {
		p.Merge = forge.MergeConflict
	}
	return p, err
}

// TestR9_AConflictIsOneOnlyIfGitSaysSo: what the forge has not looked at yet is
// waited for, and not taken back.
func TestR9_AConflictIsOneOnlyIfGitSaysSo(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	asked := 0
	d.opt.Forge.Pulls = hasty{d.forge.Pulls, &asked, 1 << 30}
	d.opt.Wait = func(context.Context, time.Duration) error { // while it is waited for, the forge looks
		asked = 1 << 30
		return nil
	}
	if _, at, err := d.run(); err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
}

// slow is a forge whose checks of a head begin some time after the push.
type slow struct {
	forge.Pulls
	base  string
	waits *int
	head  forge.Checks // once it was waited for
}

func (s slow) Checks(_ context.Context, commit string) (forge.Checks, error) {
	switch {
	case commit == s.base:
		return forge.Checks{{Name: "build", Verdict: forge.Passed}}, nil
	case *s.waits == 0:
		return nil, nil
	}
	return s.head, nil
}

// TestR9_ChecksThatHaveNotBegunAreNotGreen: right after a push a forge that checks
// everything has no checks to show.
func TestR9_ChecksThatHaveNotBegunAreNotGreen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head forge.Checks
		says string // "" is ready
	}{
		"they fail":       {forge.Checks{{Name: "build", Verdict: forge.Failed}}, "checks of the forge failed"},
		"they pass":       {forge.Checks{{Name: "build", Verdict: forge.Passed}}, ""},
		"none ever begin": {nil, ""},
	} {
		d := newDock(t)
		base, err := d.project.Commit(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		waits, now := 0, time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
		d.opt.Forge.Pulls = slow{d.forge.Pulls, base, &waits, c.head}
		d.opt.Now = func() time.Time { return now }
		d.opt.Wait = func(_ context.Context, d time.Duration) error {
			waits++
			now = now.Add(d)
			return nil
		}
		_, at, err := d.run()
		if waits == 0 || c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: waited %d times, stopped at %q: %v", name, waits, at.Name, err)
		}
	}
}

// What people say of an item is told to the agents that work on it, and is not published.
func TestRemarksReachTheAgent(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.item.Remarks = []improve.Remark{{By: "ann", Text: "keep the\nold name"}}
	if _, _, err := d.run(); err != nil {
		t.Fatal(err)
	}
	for _, job := range d.agent.Asked {
		if !strings.Contains(job.Prompt, "- keep the old name\n") {
			t.Errorf("%s is not told", job.Step)
		}
	}
	seen, err := d.env().Preview(d.item)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range seen {
		if strings.Contains(out.Body, "old name") {
			t.Errorf("the %s tells it", out.Kind)
		}
	}
}
