package pipeline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trimtab/trimtab/improve"
)

// ProjectConfig are the settings of automation for a project: a person's own, with
// the project's automation_config.json over them where trusted says that the person
// trusts that file as it is now. Notes say what has no effect, and why. With an
// error the person's own settings are returned.
func ProjectConfig(own improve.Config, project string, trusted func(file string, data []byte) (ok bool, why string, err error)) (cfg improve.Config, notes []string, err error) {
	file, data, err := ReadProjectFile(project)
	if err != nil || data == nil {
		return own, nil, err
	}
	ok, why, err := trusted(file, data)
	switch {
	case err != nil:
		return own, nil, err
	case !ok:
		return own, []string{fmt.Sprintf("%s has no effect: %s; look at it, then: trimtab trust", improve.ProjectFile, why)}, nil
	}
	merged, problems := own.Overlay(data)
	for _, problem := range problems {
		notes = append(notes, fmt.Sprintf("%s: %s (ignored)", improve.ProjectFile, problem))
	}
	return merged, notes, nil
}

// ReadProjectFile reads a project's automation_config.json, once: what is judged
// is what is used. The data is nil where there is none. No link leads out of the
// project.
func ReadProjectFile(project string) (file string, data []byte, err error) {
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
		return file, nil, fmt.Errorf("%s is not a regular file; it has no effect", file)
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
