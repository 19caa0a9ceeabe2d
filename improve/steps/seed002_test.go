package steps_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// theirWorkflow is a DEFAULT_WORKFLOW.md: the thirteen steps in other words, one that we do
// not have, and a block of code that only looks like a heading.
const theirWorkflow = `# Default workflow

Read this first.

### Step 1: Rewrite and Clarify Requirements
- name the users
### Step 2: Create GitHub Issue
- use the template
### Step 3: Setup Worktree and Branch
### Step 4: Research and Design with TDD
- ask the architect
` + "```\n### Step 99: no heading\n```" + `
### Step 5: Implement the Solution
- follow the design
### Step 6: Refactor and Simplify
- three lines are better than one abstraction
### Step 7: Run Tests and Pre-commit Hooks
### Step 8: Update the changelog
- one line for each change
### Step 9: Commit and Push
### Step 10: Open Pull Request
### Step 11: Review the PR
- look for missing tests
### Step 12: Implement Review Feedback
### Step 13: Philosophy Compliance Check
### Step 14: Ensure PR is Mergeable

## How to change this file
- this is nobody's step
`

// TestSeed002_34_AProjectsWorkflowFileIsRead: its texts reach the agents of the steps, and
// what cannot be followed is told.
func TestSeed002_34_AProjectsWorkflowFileIsRead(t *testing.T) {
	t.Parallel()
	g := steps.ReadGuide(theirWorkflow)
	for step, want := range map[improve.StepName]string{
		steps.Clarify: "- name the users", steps.Implement: "- follow the design", steps.Review: "- look for missing tests", steps.Simplify: "- three lines are better than one abstraction",
		steps.Design: "- ask the architect\n```\n### Step 99: no heading\n```", steps.Check: "Also, Update the changelog:\n- one line for each change",
	} {
		if g.Texts[step] != want {
			t.Errorf("%s: %q, want %q", step, g.Texts[step], want)
		}
	}
	notes := strings.Join(g.Notes, "\n")
	if len(g.Notes) != 2 || !strings.Contains(notes, `"Update the changelog" is no step of ours`) || !strings.Contains(notes, "no agent does Create GitHub Issue") {
		t.Errorf("%q", g.Notes)
	}
	d := newDock(t)
	d.opt.Workflow = theirWorkflow
	var said []string
	j, err := d.env().Job(d.item, nil, func(s string) { said = append(said, s) })
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range j.Order(steps.Steps()) {
		e, err := s.Run(t.Context(), j)
		if j.Item.Evidence = append(j.Item.Evidence, e); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
	}
	told := map[string]string{"clarify": "- name the users", "design": "- ask the architect", "implement": "- follow the design", "review": "- look for missing tests", "security review": "- look for missing tests"}
	for _, job := range d.agent.Asked {
		if want := told[job.Step]; want != "" && !strings.Contains(job.Prompt, want) {
			t.Errorf("the prompt of %s lacks %q", job.Step, want)
		}
		if strings.Contains(job.Prompt, "nobody's step") {
			t.Errorf("%s is told of what is no step", job.Step)
		}
		delete(told, job.Step)
	}
	if len(told) > 0 {
		t.Errorf("not asked: %v", told)
	}
	if all := strings.Join(said, "\n"); strings.Count(all, "is no step of ours") != 1 {
		t.Errorf("said: %s", all)
	}
}

// TestSeed002_34_TheOrderOfAWorkflowFileHoldsAsFarAsItIsSafe: the issue may come before the
// requirements; no pull request comes before the tests.
func TestSeed002_34_TheOrderOfAWorkflowFileHoldsAsFarAsItIsSafe(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.opt.Workflow = "1. Create an issue\n2. Clarify requirements\n3. Branch\n4. Implement\n5. Open PR\n6. Run tests\n7. Review\n"
	list := d.job().Order(steps.Steps())
	if list[0].Name != steps.Issue || list[0].Number != 1 || list[1].Name != steps.Clarify || list[2].Name != steps.Branch {
		t.Fatalf("%+v", list[:3])
	}
	if steps.Place(list, steps.PullRequest) < steps.Place(list, steps.Check) {
		t.Error("a pull request before the tests")
	}
	notes := strings.Join(steps.ReadGuide(d.opt.Workflow).Notes, "\n")
	for _, want := range []string{`"Open PR" stays behind "Run tests"`, "no step for design, simplify, commit, feedback, compliance, mergeable: that is done all the same"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
	j := d.job()
	for _, s := range list {
		e, err := s.Run(t.Context(), j)
		if j.Item.Evidence = append(j.Item.Evidence, e); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
	}
	if n := d.count(); n["issues open"] != 1 || n["pulls open"] != 1 {
		t.Errorf("%v", n)
	}
	if g := steps.ReadGuide("just words"); len(g.Notes) != 1 || len(g.Texts) != 0 {
		t.Errorf("%+v", g)
	}
	if g := steps.ReadGuide(" \n"); len(g.Notes) != 0 {
		t.Errorf("%+v", g)
	}
}

// TestSeed002_60_TheTestPlanHasTheSeedsThreeBoxes; 002-55 to 002-57: the other parts of the
// text; 002-53: its title.
func TestSeed002_60_TheTestPlanHasTheSeedsThreeBoxes(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	seen, err := d.env().Preview(d.item)
	if err != nil {
		t.Fatal(err)
	}
	pull := seen[1]
	if !strings.HasPrefix(pull.Title, "Automated improvement: ") {
		t.Errorf("title %q", pull.Title)
	}
	_, plan, _ := strings.Cut(pull.Body, "## Test plan\n")
	plan, _, _ = strings.Cut(plan, "\n## ")
	if strings.Count(plan, "- [ ] ") != 3 {
		t.Errorf("%s", plan)
	}
	for _, want := range []string{
		"- [ ] Verify the improvement addresses the detected pattern\n", "- [ ] Ensure no regression in existing functionality\n", "- [ ] Validate performance impact is positive\n",
		"**Issue**", "**Type**: error_handling", "**Priority**: high", "**Pattern type**: error_patterns", "**Occurrences**: 6", "**Severity**: high", "## Description\n\nThe rudder does not turn left.",
		"It is never merged by itself",
	} {
		if !strings.Contains(pull.Body, want) {
			t.Errorf("no %q in\n%s", want, pull.Body)
		}
	}
	if strings.Contains(pull.Body, "Co-Authored-By") {
		t.Error("somebody is named whom nobody set")
	}
}

// TestSeed002_61_TheFooterIsASetting: with footer and coAuthor set, pull request and commits
// end in the seed's words.
func TestSeed002_61_TheFooterIsASetting(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.cfg.Footer = "Generated with [Claude Code](https://claude.ai/code) via automated reflection analysis"
	d.cfg.CoAuthor = "Claude <noreply@anthropic.com>"
	const end = "Generated with [Claude Code](https://claude.ai/code) via automated reflection analysis\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	p, err := d.forge.Pull(t.Context(), 1)
	if err != nil || !strings.Contains(p.Body, "\n\n"+end) || strings.Contains(p.Body, "Made by trimtab") {
		t.Errorf("%v\n%s", err, p.Body)
	}
	said, err := d.git.In(d.forge.Remote().URL).Run(t.Context(), "log", "-2", "--format=%B", p.Head)
	if err != nil || strings.Count(said, "Trimtab-Improvement: "+it.ID+"\nCo-Authored-By: Claude <noreply@anthropic.com>\n") != 2 {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestSeed002_58_TheLiteralFormOfAPullRequest is had by automation.form: literal (002-59,
// too); 002-54: and another base by improve.base.
func TestSeed002_58_TheLiteralFormOfAPullRequest(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.cfg.Form, d.cfg.Base = improve.FormLiteral, "trunk"
	d.item.Request.Pattern.Context = improve.Context{"tool": "bash", "commands": []any{"ls"}}
	if _, at, err := d.run(); err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	p, err := d.forge.Pull(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## Automated Improvement\n\n**Issue**: #1\n**Type**: error_handling\n**Priority**: high\n\n## Detected Pattern\n\n**Pattern Type**: error_patterns\n**Occurrences**: 6\n**Severity**: high\n",
		"This PR implements the suggested improvement: Let the rudder turn.", "- **Session ID**: " + d.item.ID, `- **Original Pattern**: {"commands":["ls"],"tool":"bash"}`, "## Test Plan\n\n- [ ] Verify",
	} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("no %q in\n%s", want, p.Body)
		}
	}
	if p.Base != "trunk" {
		t.Errorf("it goes to %s", p.Base)
	}
}

// TestSeed002_81_WorkThatFailsLeavesTheIssueOnly, with a comment that says where it stopped.
func TestSeed002_81_WorkThatFailsLeavesTheIssueOnly(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.agent.Behaviors["implement"] = func(string) (string, error) { return "I did nothing.", nil }
	it, at, err := d.run()
	if err == nil || at.Name != steps.Implement {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	d.settles(it, at, err, improve.Failed)
	d.equal("at the forge", d.count(), map[string]int{"issues open": 1})
	said := ""
	for c, err := range d.forge.Comments(t.Context(), forge.Ref{Kind: forge.IssueKind, Number: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		said += c.Body
	}
	if !strings.Contains(said, "stopped at step 5 of 13, implement") {
		t.Errorf("the issue is told: %s", said)
	}
}
