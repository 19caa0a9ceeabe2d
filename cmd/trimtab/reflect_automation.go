package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trimtab/trimtab/improve"
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
	file, data, err := projectAutomation(project)
	if err != nil || data == nil {
		return cfg.Automation, err
	}
	book, err := setting.Book(a.home())
	if err != nil {
		return cfg.Automation, err // an unreadable book trusts nothing
	}
	verdict, err := book.File(file, data)
	switch {
	case err != nil:
		return cfg.Automation, err
	case verdict.State != trust.Trusted:
		a.progress("%s has no effect: %s; look at it, then: trimtab trust\n", improve.ProjectFile, verdict.String())
		return cfg.Automation, nil
	}
	merged, problems := cfg.Automation.Overlay(data)
	for _, p := range problems {
		a.progress("%s: %s (ignored)\n", improve.ProjectFile, p)
	}
	return merged, nil
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

// projectAutomation reads a project's automation_config.json, once: what is judged
// is what is used. The data is nil where there is none. No link leads out of the
// project.
func projectAutomation(project string) (file string, data []byte, err error) {
	name := filepath.FromSlash(improve.ProjectFile)
	file = filepath.Join(project, name)
	root, err := os.OpenRoot(project)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil, nil
	}
	if err != nil {
		return file, nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, nil, nil
	case err != nil:
		return file, nil, fmt.Errorf("%s: %w", improve.ProjectFile, err)
	case !info.Mode().IsRegular():
		return file, nil, fmt.Errorf("%s is no plain file; it has no effect", file)
	case info.Size() > improve.MaxProjectFile:
		return file, nil, fmt.Errorf("%s: %d bytes are over the limit of %d; it has no effect", file, info.Size(), improve.MaxProjectFile)
	}
	f, err := root.Open(name)
	if err != nil {
		return file, nil, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, improve.MaxProjectFile+1))
	if data == nil {
		data = []byte{}
	}
	return file, data, err
}

// automationPart is a project's automation_config.json as something to trust; nil
// where there is none.
func (a *app) automationPart(dir string) *part {
	file, data, err := projectAutomation(cmp.Or(setting.Repository(dir), dir))
	if err != nil {
		a.progress("%s\n", err)
		return nil
	}
	if data == nil {
		return nil
	}
	return &part{
		name: file, files: trust.Files{improve.ProjectFile: data},
		judge: func(b *trust.Book) (trust.Verdict, error) { return b.File(file, data) },
		note:  func(b *trust.Book) (string, error) { return b.TrustFile(file, data, a.clock()) },
	}
}
