package steps_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
)

// trap is a file that a command of the attacker would make.
func trap(t *testing.T) (file, command string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "trapped")
	return file, "touch '" + file + "'; cat"
}

func (d *dock) untouched(file string) {
	d.t.Helper()
	if _, err := os.Stat(file); err == nil {
		d.t.Error("a command of the attacker ran outside of the sandbox")
	}
}

// The tests of a project run in the sandbox, but git does not.
func TestTestsThatMoveGitElsewhereAreNotFollowed(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	writes("design", "tests/left.sh", "printf 'gitdir: /tmp/elsewhere\\n' > .git; exit 1\n")(d)
	_, at, err := d.run()
	if err == nil || at.Number != 4 || !strings.Contains(err.Error(), "where git finds its repository") {
		t.Errorf("stopped at %d: %v", at.Number, err)
	}
}

// Git looks at a repository inside of a working tree with the settings of that one,
// and so would run its filters.
func TestARepositoryThatAnAgentMakesIsNotLookedAt(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	file, command := trap(t)
	d.agent.Behaviors["implement"] = func(folder string) (string, error) {
		sub := filepath.Join(folder, "rudder", "sub")
		script := `mkdir -p "$1" && cd "$1" && git init -q . && echo x >f && git add f && git -c user.name=a -c user.email=a@b commit -qm a && ` +
			`echo '* filter=e' >.gitattributes && git config filter.e.clean "$2" && touch -d @1000000 f && echo y >f`
		out, err := exec.Command("sh", "-c", script, "sh", sub, command).CombinedOutput()
		return "done " + string(out), err
	}
	_, at, err := d.run()
	if err == nil || at.Number != 5 || !strings.Contains(err.Error(), "rudder/sub") {
		t.Errorf("stopped at %d: %v", at.Number, err)
	}
	d.untouched(file)
}

// What a project ignores may hold repositories: tools put their downloads there.
func TestARepositoryInWhatIsIgnoredIsNobodysBusiness(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	behave := d.agent.Behaviors["implement"]
	d.agent.Behaviors["implement"] = func(folder string) (string, error) {
		if err := os.MkdirAll(filepath.Join(folder, "kept.tmp", "deep", ".git"), 0o700); err != nil {
			return "", err
		}
		return behave(folder)
	}
	if _, at, err := d.run(); err != nil {
		t.Errorf("stopped at %d: %v", at.Number, err)
	}
}

func TestP16_SettingsOfAProjectThatRunOrRedirectAreRefused(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"filter.e.clean", "filter.e.smudge", "filter.e.process", "url.https://elsewhere/.insteadOf", "url.x.pushInsteadOf",
		"http.proxy", "http.https://forge/.sslVerify", "core.alternateRefsCommand", "includeIf.gitdir:**.path", "hook.a.command",
	} {
		t.Run(key, func(t *testing.T) {
			d := newDock(t)
			file, command := trap(t)
			if err := os.WriteFile(filepath.Join(d.project.Folder, ".gitattributes"), []byte("* filter=e\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("git", "-C", d.project.Folder, "config", key, command).CombinedOutput(); err != nil {
				t.Fatal(err, string(out))
			}
			same := filepath.Join(d.project.Folder, "rudder", "rudder.txt")
			if err := os.WriteFile(same, []byte("Straight\n"), 0o600); err != nil { // as long as before: git must look inside
				t.Fatal(err)
			}
			it, at, err := d.run()
			if err == nil || at.Number != 1 || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(key)) || !strings.Contains(err.Error(), "--global") {
				t.Errorf("stopped at %d: %v", at.Number, err)
			}
			d.untouched(file)
			if err != nil {
				d.settles(it, at, err, improve.Manual)
			}
		})
	}
}

func TestTheUsualSettingsOfLFSAreTaken(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	for key, value := range map[string]string{"filter.lfs.clean": "git-lfs clean -- %f", "filter.lfs.process": "git-lfs filter-process", "filter.lfs.required": "true"} {
		if out, err := exec.Command("git", "-C", d.project.Folder, "config", key, value).CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	if _, at, err := d.run(); err != nil {
		t.Errorf("stopped at %d: %v", at.Number, err)
	}
}

// A branch of the person's own may have the name that ours would have.
func TestThePersonsOwnBranchIsNotMovedOrRemoved(t *testing.T) {
	t.Parallel()
	const name = "feat/issue-1-improve-error-patterns-handling"
	for _, out := range []bool{false, true} {
		d := newDock(t)
		for _, args := range [][]string{{"checkout", "--quiet", "-b", name}, {"commit", "--quiet", "--allow-empty", "--message=mine"}} {
			if _, err := d.project.Run(t.Context(), args[0], args[1:]...); err != nil {
				t.Fatal(err)
			}
		}
		mine, err := d.project.Commit(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		if !out {
			if _, err := d.project.Run(t.Context(), "checkout", "--quiet", "main"); err != nil {
				t.Fatal(err)
			}
		}
		it, at, err := d.run()
		if err == nil || at.Number != 3 || !strings.Contains(err.Error(), name) {
			t.Fatalf("stopped at %d: %v", at.Number, err)
		}
		d.settles(it, at, err, improve.Failed)
		now, err := d.project.Commit(t.Context(), "refs/heads/"+name)
		if err != nil || now != mine {
			t.Errorf("the branch is at %s and was at %s: %v", now, mine, err)
		}
	}
}

// What is told outside names no folder of this machine.
func TestTheCommentOfAFailureNamesNoFolderOfThisMachine(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.agent.Behaviors["implement"] = func(folder string) (string, error) {
		return "", fmt.Errorf("%s and %s are odd", folder, d.project.Folder)
	}
	it, at, err := d.run()
	if err == nil {
		t.Fatal("it went on")
	}
	d.settles(it, at, err, improve.Failed)
	n := 0
	for c, err := range d.forge.Comments(t.Context(), forge.Ref{Kind: forge.IssueKind, Number: 1}) {
		if n++; err != nil || strings.Contains(c.Body, d.project.Folder) || strings.Contains(c.Body, d.cfg.Folder) || !strings.Contains(c.Body, "are odd") {
			t.Errorf("%v\n%s", err, c.Body)
		}
	}
	d.equal("comments", n, 1)
}

// A person who closes the issue says no.
func TestAnIssueThatWasClosedIsNotWorkedOn(t *testing.T) {
	t.Parallel()
	for _, step := range []int{3, 9} {
		d := newDock(t)
		j := d.job()
		for _, s := range steps.Steps() {
			if s.Number == step {
				forgetest.CloseByFile(d.forge)(t, 1)
			}
			e, err := s.Run(t.Context(), j)
			j.Item.Evidence = append(j.Item.Evidence, e)
			if err == nil && s.Number < step {
				continue
			}
			if s.Number != step || !errors.Is(err, steps.ErrManual) || !strings.Contains(err.Error(), "issue 1 is closed") {
				t.Errorf("step %d: %v", s.Number, err)
			}
			break
		}
		if d.count()["pulls open"] != 0 {
			t.Error("a pull request was opened")
		}
	}
}

// What a person has half done in a branch of their own is not the base of others' work.
func TestTheBaseOfALocalForgeIsNotWhateverIsCheckedOut(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	base, err := d.project.Commit(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"branch", "-m", "trunk"}, {"checkout", "--quiet", "-b", "mine"}, {"commit", "--quiet", "--allow-empty", "--message=half done"}} {
		if _, err := d.project.Run(t.Context(), args[0], args[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %d: %v", at.Number, err)
	}
	d.equal("base", it.Evidence[2].Facts["base"], base)
}

func TestAShallowCloneIsToldWhatToDo(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.commit("docs/handbook.text", "Turn.\n")
	clone := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "--quiet", "--depth=1", "file://"+filepath.ToSlash(d.project.Folder), clone).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	d.item.Project = clone
	_, at, err := d.run()
	if at.Number != 2 || !errors.Is(err, steps.ErrManual) || !strings.Contains(err.Error(), "git fetch --unshallow") {
		t.Errorf("stopped at %d: %v", at.Number, err)
	}
}

// A person may go on with their own work while an agent looks: where a sandbox held
// the agent, it was not the agent that changed a file.
func TestThePersonMayWorkWhileTheAgentLooks(t *testing.T) {
	t.Parallel()
	for _, boxed := range []string{"landlock", ""} {
		d := newDock(t)
		clarify := d.agent.Behaviors["clarify"]
		d.agent.Behaviors["clarify"] = func(folder string) (string, error) {
			if err := os.WriteFile(filepath.Join(d.project.Folder, "mine.txt"), []byte("mine\n"), 0o600); err != nil {
				return "", err
			}
			return clarify(folder)
		}
		d.opt.Agent = boxedAgent{d.agent, boxed}
		_, at, err := d.run()
		if (err == nil) != (boxed != "") {
			t.Errorf("in the sandbox %q: stopped at %d: %v", boxed, at.Number, err)
		}
	}
}

type boxedAgent struct {
	*stepstest.Agent
	boxed string
}

func (a boxedAgent) Do(ctx context.Context, job agents.Job) (agents.Report, error) {
	r, err := a.Agent.Do(ctx, job)
	r.Boxed = a.boxed
	return r, err
}
