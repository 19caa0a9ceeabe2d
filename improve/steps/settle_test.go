package steps_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/local"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
)

// TestR12_APullRequestWhoseNumberWasLostIsTakenBack: a worker that was killed after
// it had opened the pull request has told nobody its number.
func TestR12_APullRequestWhoseNumberWasLostIsTakenBack(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	it, _, err := d.run()
	if err != nil {
		t.Fatal(err)
	}
	it.Evidence = it.Evidence[:8]
	d.settles(it, steps.Steps()[8], steps.ErrCancelled, improve.Cancelled)
	d.equal("at the forge", d.count(), map[string]int{"issues open": 1, "pulls closed": 1})
}

// TestR12_WorkBegunAtOneForgeTouchesNoOther: what has our numbers there is
// somebody else's.
func TestR12_WorkBegunAtOneForgeTouchesNoOther(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	it, _, err := d.run()
	if err != nil {
		t.Fatal(err)
	}
	other := d.elsewhere()
	d.opt.Forge = other.Roles()
	d.settles(it, steps.Steps()[12], steps.ErrCancelled, improve.Manual)
	if p, err := other.Pull(t.Context(), 1); err != nil || p.State != forge.Open {
		t.Errorf("pull request 1 of the other forge is %s, %v", p.State, err)
	}
	for _, s := range steps.Steps()[2:] {
		d.item = it
		d.item.Evidence = it.Evidence[:s.Number-1]
		if _, err := s.Run(t.Context(), d.job()); err == nil {
			t.Errorf("step %d went on at another forge", s.Number)
		}
	}
	d.equal("at the first forge", d.count(), map[string]int{"issues open": 1, "branches": 1, "pulls open": 1})
}

// TestR12_AnAgentThatIsNotSetUpFilesNothing: that a program or a key is missing here
// concerns nobody at the forge, and once it is there the work goes on.
func TestR12_AnAgentThatIsNotSetUpFilesNothing(t *testing.T) {
	t.Parallel()
	for _, why := range []error{agents.ErrMissing, agents.ErrKey} {
		d := newDock(t)
		d.agent.Behaviors["clarify"] = func(string) (string, error) {
			return "", &agents.Error{Agent: "claude", Step: "clarify", Err: why, Do: "install it"}
		}
		it, at, err := d.run()
		if !errors.Is(err, steps.ErrManual) || !strings.Contains(err.Error(), "install it") {
			t.Errorf("stopped at %d: %v", at.Number, err)
		}
		d.settles(it, at, err, improve.Manual)
		d.equal("at the forge", d.count(), map[string]int{})
	}
}

// TestR12_WhyItStoppedNamesFoldersHereAndNotAtTheForge: a person must find the log,
// and others must not learn whose home it is in.
func TestR12_WhyItStoppedNamesFoldersHereAndNotAtTheForge(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	log := filepath.Join(d.cfg.Folder, d.item.ID, "agent", "design.log")
	d.opt.Keep = stepstest.Redact
	d.opt.Redact = func(s string) string { return stepstest.Redact(strings.ReplaceAll(s, d.cfg.Folder, "[REDACTED:home]")) }
	d.agent.Behaviors["design"] = func(string) (string, error) { return "", fmt.Errorf("%s, see %s", stepstest.Canary, log) }
	it, at, err := d.run()
	d.item = it
	_, why, failed := d.job().Settle(t.Context(), at, err)
	if failed != nil || !strings.Contains(why, log) || !strings.Contains(it.Evidence[3].Error, log) || strings.Contains(why+it.Evidence[3].Error, stepstest.Canary) {
		t.Errorf("%v: %s\n%s", failed, why, it.Evidence[3].Error)
	}
	for c, err := range d.forge.Comments(t.Context(), forge.Ref{Kind: forge.IssueKind, Number: 1}) {
		if err != nil || strings.Contains(c.Body, d.cfg.Folder) || !strings.Contains(c.Body, "see (papers)/agent/design.log") {
			t.Errorf("%v: %s", err, c.Body)
		}
	}
}

// elsewhere is another forge with a pull request that is not ours.
func (d *dock) elsewhere() *local.Forge {
	d.t.Helper()
	shed, err := local.New(d.t.Context(), local.Config{Folder: d.t.TempDir()}, local.Options{Git: d.git})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = shed.Close() })
	for _, name := range []string{"main", "feat/other"} {
		head, err := d.project.Commit(d.t.Context(), "HEAD")
		if err == nil {
			err = d.project.Push(d.t.Context(), shed.Remote(), git.Update{Branch: name, To: head})
		}
		if err != nil {
			d.t.Fatal(err)
		}
		d.commit("docs/log.text", name)
	}
	if _, err := shed.OpenPull(d.t.Context(), forge.Proposal{Text: forge.Text{Title: "of others", Body: "x"}, Head: "feat/other", Base: "main"}); err != nil {
		d.t.Fatal(err)
	}
	return shed
}

// TestTheLocalForgeFollowsTheProjectOrSaysWhyNot: work on a base that the project no
// longer has would be for nothing.
func TestTheLocalForgeFollowsTheProjectOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	git := func(d *dock, args ...string) {
		t.Helper()
		if _, err := d.project.Run(t.Context(), args[0], args[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	seed := func(d *dock, to string) {
		git(d, "push", "--quiet", d.forge.Remote().URL, to+":refs/heads/main")
	}
	for name, c := range map[string]struct {
		change func(*dock)
		at     string // where it begins; "" for nowhere
	}{
		"the project goes on": {func(d *dock) { seed(d, "main"); d.commit("docs/log.text", "on") }, "main"},
		"a person merged there": {func(d *dock) {
			d.commit("docs/log.text", "on")
			seed(d, "main")
			git(d, "branch", "there")
			git(d, "reset", "--quiet", "--hard", "HEAD~1")
		}, "there"},
		"the history was rewritten": {func(d *dock) {
			d.commit("docs/log.text", "on")
			seed(d, "main")
			git(d, "commit", "--quiet", "--amend", "--message=other")
		}, ""},
		"and forgotten here": {func(d *dock) {
			d.commit("docs/log.text", "on")
			seed(d, "main")
			git(d, "commit", "--quiet", "--amend", "--message=other")
			git(d, "reflog", "expire", "--expire=now", "--all")
			git(d, "gc", "--quiet", "--prune=now")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDock(t)
			c.change(d)
			it, at, err := d.run()
			if c.at == "" {
				if !errors.Is(err, steps.ErrManual) || at.Number != 2 || !strings.Contains(err.Error(), "push --force") {
					t.Fatalf("stopped at %d: %v", at.Number, err)
				}
				d.settles(it, at, err, improve.Manual)
				_, line, _ := strings.Cut(err.Error(), "run git -C "+d.project.Folder+" ")
				line, _, _ = strings.Cut(line, " and retry")
				git(d, strings.Fields(line)...)
				c.at, d.item.Evidence = "main", nil
				it, at, err = d.run()
			}
			want, failed := d.project.Commit(t.Context(), "refs/heads/"+c.at)
			if err != nil || failed != nil || it.Evidence[2].Facts["base"] != want {
				t.Errorf("stopped at %d: %v; the base is %v", at.Number, err, it.Evidence)
			}
		})
	}
}
