package main

import (
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/internal/trust/project"
)

// projectSettings are the settings of automation for a project: the person's own, with
// the project's automation_config.json over them where the person trusts that file as
// it is now. What is wrong in it is told and left out.
func (a *app) projectSettings(folder string) (improve.ProjectSettings, error) {
	cfg, err := a.config()
	if err != nil {
		return improve.ProjectSettings{}, err
	}
	of, err := project.Automation(a.home(), cfg.Automation, folder)
	for _, text := range of.Told() {
		if a.told.First(text) {
			a.progress("%s\n", text)
		}
	}
	return of, err
}

// automation is the config of projectSettings.
func (a *app) automation(folder string) (improve.Config, error) {
	of, err := a.projectSettings(folder)
	return of.Config, err
}

// automationOff says why all automation is off, as far as the environment tells.
func (a *app) automationOff() string { return pipeline.Disabled(a.getenv) }
