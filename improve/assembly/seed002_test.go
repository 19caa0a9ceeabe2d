package assembly

import (
	"errors"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

// TestSeed002_76_AProjectsSettingsReachTheSteps: what a project's trusted file says of
// issues, branches, pull requests, limits and concurrency is what the work is done with,
// and not the person's own.
func TestSeed002_76_AProjectsSettingsReachTheSteps(t *testing.T) {
	no, yes := false, true
	theirs := improve.Config{Forge: improve.ForgeConfig{Issues: &no, Branches: &no, Pulls: &no}, Constraints: improve.Constraints{Concurrent: 1, Lines: 5, Components: 2}}
	a := newAssembly(t, func(opt *Options) {
		opt.Automation = improve.Config{Forge: improve.ForgeConfig{Issues: &yes, Branches: &yes, Pulls: &yes}, Constraints: improve.Constraints{Concurrent: 9, Lines: 100, Components: 9}}
		opt.Project = func(project string) (improve.ProjectSettings, error) {
			if project == "/broken" {
				return improve.ProjectSettings{}, errors.New("it cannot be read")
			}
			return improve.ProjectSettings{Config: theirs}, nil
		}
	})
	of, err := a.opt.Project("/p")
	if err != nil {
		t.Fatal(err)
	}
	cfg := a.stepsConfig(of.Config)
	if *cfg.Issues || *cfg.Branches || *cfg.Pulls || cfg.Lines != 5 || cfg.Components != 2 {
		t.Errorf("%+v", cfg)
	}
	if n := a.limit("/p"); n != 1 {
		t.Errorf("%d at a time", n)
	}
	if n := a.limit("/broken"); n != 9 {
		t.Errorf("%d at a time of a project whose settings cannot be read", n)
	}
	if _, err := a.Env(t.Context(), improve.Item{ID: "workflow_20261115_101500_k3x9", Project: "/broken"}); err == nil {
		t.Error("work begins without the project's settings")
	}
	own := newAssembly(t, func(opt *Options) { opt.Automation.Constraints.Concurrent = 4 })
	if n := own.limit("/p"); n != 4 {
		t.Errorf("%d at a time where no project says anything", n)
	}
}
