package main

import (
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust"
)

// automation are the settings of automation for a project: the person's own, with
// the project's automation_config.json over them where the person trusts that file
// as it is now. What is wrong in it is told and left out.
func (a *app) automation(project string) (improve.Config, error) {
	cfg, err := a.config()
	if err != nil {
		return improve.Config{}, err
	}
	merged, notes, err := pipeline.ProjectConfig(cfg.Automation, project, func(file string, data []byte) (bool, string, error) {
		book, err := setting.Book(a.home())
		if err != nil {
			return false, "", err // an unreadable book trusts nothing
		}
		verdict, err := book.File(file, data)
		return verdict.State == trust.Trusted, verdict.String(), err
	})
	for _, n := range notes {
		a.progress("%s\n", n)
	}
	return merged, err
}

// automationOff says why all automation is off, as far as the environment tells.
func (a *app) automationOff() string {
	switch v := a.getenv("AUTOMATION_DISABLED"); v {
	case "", "0", "false":
		return ""
	default:
		return "AUTOMATION_DISABLED=" + v + " is set"
	}
}
