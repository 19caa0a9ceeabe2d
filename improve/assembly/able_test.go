package assembly

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/internal/identity"
)

// TestX3_AWorkerSaysWhatItLacks: the repository, the agent, a model, a key of the forge. It
// leaves the item to others then, with a reason that a person can do something about.
func TestX3_AWorkerSaysWhatItLacks(t *testing.T) {
	sample, err := agents.Sample(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Skipf("did not run: git is needed: %v", err)
	}
	if out, err := exec.Command("git", "-C", sample.Project, "remote", "add", "origin", "https://github.com/ann/soundings.git").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	here := improve.Item{ID: "workflow_1", Project: sample.Project, Repo: "github.com/ann/soundings"}
	for name, c := range map[string]struct {
		change func(*Options)
		item   improve.Item
		want   string // "" where it can do it
	}{
		"nothing":        {func(*Options) {}, here, ""},
		"the repository": {func(*Options) {}, improve.Item{ID: "workflow_2", Project: "/nowhere", Repo: "github.com/ann/other"}, "where it can be cloned is not known"},
		"a clone":        {func(*Options) {}, improve.Item{ID: "workflow_3", Project: "/nowhere", Repo: "file:///nowhere/ship", Remote: filepath.Join(t.TempDir(), "gone.git")}, "cannot be cloned"},
		"the agent":      {func(o *Options) { o.Config.Agent, o.Environ = "claude", []string{"PATH=" + t.TempDir()} }, here, "the agent claude: claude: not installed"},
		"a command":      {func(o *Options) { o.Config.Agent = "command" }, here, "improve.command"},
		"its program":    {func(o *Options) { o.Config.Agent, o.Config.Command = "command", []string{"/nowhere/agent"} }, here, "the agent command: /nowhere/agent: not installed"},
		"a model":        {func(o *Options) { o.Config.Agent = "own" }, here, "the agent own has no model"},
		"the reviewer":   {func(o *Options) { o.Automation.Reviewer, o.Environ = "codex", []string{"PATH=" + t.TempDir()} }, here, "the agent codex: codex: not installed"},
		"a key":          {func(o *Options) { o.Forge.Kind, o.Forge.Repo = "github", "ann/soundings" }, here, "token"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAssembly(t, func(o *Options) {
				o.StoreURL, o.Repo = "postgres://team", identity.NewFinder(o.Environ, true).Repository
				c.change(o)
			})
			q, err := a.opt.Queue(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			err = a.able(q)(t.Context(), c.item)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "on ")) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
