package project

import (
	"path"
	"path/filepath"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust"
)

// Automation are the settings of automation for a project: a person's own, with those
// files of the project over them that the person trusts.
func Automation(at home.Home, own improve.Config, project string) (improve.ProjectSettings, error) {
	return pipeline.ForProject(own, project, func(file string, data []byte) (bool, string, error) {
		book, err := setting.Book(at)
		if err != nil {
			return false, "", err // an unreadable book trusts nothing
		}
		verdict, err := book.File(file, data)
		return verdict.State == trust.Trusted, verdict.String(), err
	})
}

// CheckAutomation checks a file by its name: it is false for one that is no
// automation_config.json.
func CheckAutomation(file string, data []byte) (of improve.ProjectSettings, is bool) {
	if filepath.Base(file) != path.Base(improve.ProjectFile) {
		return of, false
	}
	of.Config, of.Problems = improve.Config{}.Overlay(data)
	of.Notes = of.Config.Notes()
	return of, true
}

// Problems are those of a project's file as problems of a file of settings.
func Problems(file string, of improve.ProjectSettings) (out []config.Problem) {
	for _, text := range of.Problems {
		out = append(out, config.Problem{Origin: config.Origin{Layer: "project", File: file}, Text: text})
	}
	return out
}
