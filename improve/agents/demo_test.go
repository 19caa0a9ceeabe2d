package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge/git"
)

// sampled is the sample, or a skip where git or Go is not there.
func sampled(t *testing.T) Sampled {
	t.Helper()
	for _, name := range []string{"git", "go"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	s, err := Sample(t.Context(), filepath.Join(t.TempDir(), "new"), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func goTest(t *testing.T, dir string) (string, bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func newDemoAgent(t *testing.T, script string) Agent {
	t.Helper()
	cfg := Config{Agent: "demo"}
	if script != "" {
		cfg.Script = filepath.Join(t.TempDir(), "script.txtar")
		if err := os.WriteFile(cfg.Script, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	agent, err := New(cfg, Options{Lookup: os.LookupEnv, Redact: strings.TrimSpace})
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

// The whole way of the sample: a fault, a test that shows it, the fix, something
// needless that goes, a finding, and its end.
func TestTheDemoAgentMendsTheSample(t *testing.T) {
	s := sampled(t)
	agent := newDemoAgent(t, "")
	if out, ok := goTest(t, s.Project); !ok {
		t.Fatalf("the sample's own tests fail:\n%s", out)
	}
	logs := t.TempDir()
	step := func(name string, readOnly bool) (said string) {
		t.Helper()
		for range 2 { // a step may be asked twice
			before, err := Look(s.Project)
			if err != nil {
				t.Fatal(err)
			}
			r, err := agent.Do(t.Context(), Job{Step: name, Prompt: "go", Dir: s.Project, Folder: logs, ReadOnly: readOnly})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(r.Text, "Scripted by the demo agent") {
				t.Errorf("%s: it does not say that it is scripted: %s", name, r.Text)
			}
			after, err := Look(s.Project)
			if err != nil {
				t.Fatal(err)
			}
			if changed := before.Changed(after); readOnly && len(changed) > 0 {
				t.Errorf("%s changed %v", name, changed)
			}
			said = r.Text
		}
		return said
	}
	if text := step("clarify", true); !strings.Contains(text, "Acceptance criteria") {
		t.Error(text)
	}
	step("design", false)
	if out, ok := goTest(t, s.Project); ok || !strings.Contains(out, "TestParseTakesADecimalComma") {
		t.Errorf("the tests of the design do not fail as intended:\n%s", out)
	}
	step("implement", false)
	if out, ok := goTest(t, s.Project); !ok {
		t.Errorf("implement:\n%s", out)
	}
	long, err := os.ReadFile(filepath.Join(s.Project, "depth.go"))
	if err != nil {
		t.Fatal(err)
	}
	step("simplify", false)
	short, err := os.ReadFile(filepath.Join(s.Project, "depth.go"))
	if err != nil || len(short) >= len(long) || strings.Contains(string(short), "withPoint") {
		t.Errorf("nothing was taken away: %v\n%s", err, short)
	}
	found := ParseReview(step("review", true))
	if len(found) != 1 || found[0].File != "depth.go" || found[0].Line == 0 {
		t.Errorf("%+v", found)
	}
	if found := ParseReview(step("security review", true)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	if answers := step("feedback", false); !strings.Contains(answers, `"finding": 1`) {
		t.Error(answers)
	}
	if out, ok := goTest(t, s.Project); !ok {
		t.Errorf("feedback:\n%s", out)
	}
	cmd := exec.CommandContext(t.Context(), "gofmt", "-l", ".")
	cmd.Dir = s.Project
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("not formatted: %v\n%s", err, out)
	}
}

func TestTheSampleIsOneCleanCommitAndTheSameEachTime(t *testing.T) {
	var ids []string
	for range 2 {
		s := sampled(t)
		tree := git.New(os.Environ()).In(s.Project)
		id, err := tree.Commit(t.Context(), "refs/heads/main")
		if err != nil {
			t.Fatal(err)
		}
		if out, err := tree.Run(t.Context(), "status", "--porcelain"); err != nil || out != "" {
			t.Errorf("%v\n%s", err, out)
		}
		ids = append(ids, id)
		if _, err := Sample(t.Context(), filepath.Dir(s.Project), os.Environ()); err == nil {
			t.Error("a sample was put over another one")
		}
	}
	if ids[0] != ids[1] {
		t.Errorf("two samples have the commits %s", ids)
	}
}

func TestADemoAgentForAnotherProjectSaysSo(t *testing.T) {
	agent := newDemoAgent(t, "")
	dir := t.TempDir()
	_, err := agent.Do(t.Context(), Job{Step: "implement", Prompt: "go", Dir: dir, Folder: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "choose another agent") {
		t.Error(err)
	}
	r, err := agent.Do(t.Context(), Job{Step: "check", Prompt: "go", Dir: dir, Folder: t.TempDir()})
	if err != nil || !strings.Contains(r.Text, "nothing was changed") {
		t.Error(err, r.Text)
	}
}

func TestAScriptStaysInItsFolderAndHonoursReadOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "away")); err != nil {
		t.Skip(err)
	}
	agent := newDemoAgent(t, "-- a/write/away/x --\nx\n-- b/write/x --\nx\n")
	if _, err := agent.Do(t.Context(), Job{Step: "a", Prompt: "go", Dir: dir, Folder: t.TempDir()}); err == nil {
		t.Error("the script wrote through a symbolic link")
	}
	if _, err := agent.Do(t.Context(), Job{Step: "b", Prompt: "go", Dir: dir, Folder: t.TempDir(), ReadOnly: true}); err == nil {
		t.Error("the script wrote in a step that may only look")
	}
	for _, bad := range []string{"", "no file", "-- ../x --\n", "-- a/write/../../x --\n", "-- a/write/.git/config --\n", "-- a/nod --\n", "-- a/edit/x --\nnothing\n", "-- a/say.md --\n-- a/say.md --\n"} {
		if _, err := parseScript(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzScript(f *testing.F) {
	f.Add(sampleScript)
	f.Add(sampleProject)
	f.Add("-- a/edit/x --\n<<<<<<<\na\n=======\nb\n>>>>>>>\n")
	f.Fuzz(func(t *testing.T, text string) {
		steps, err := parseScript(text)
		if err != nil {
			return
		}
		for _, s := range steps {
			for _, w := range s.write {
				if !plainPath(w.name) {
					t.Errorf("%q", w.name)
				}
			}
		}
	})
}
