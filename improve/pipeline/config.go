package pipeline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab/improve"
)

// Trusted says whether a person trusts a file as it is now, and if not, why.
type Trusted func(file string, data []byte) (ok bool, why string, err error)

// ForProject returns the settings of automation for a project: a person's own, with
// the project's automation_config.json over them where the person trusts that file as
// it is now, and the project's DEFAULT_WORKFLOW.md under the same condition. With an
// error the person's own settings are returned.
func ForProject(own improve.Config, project string, trusted Trusted) (improve.ProjectSettings, error) {
	out := improve.ProjectSettings{Config: own}
	data, why, err := readTrusted(project, improve.ProjectFile, trusted)
	if err != nil {
		return out, err
	}
	if why != "" {
		out.Notes = append(out.Notes, why)
	}
	if data != nil {
		out.HasFile = true
		out.Config, out.Problems = own.Overlay(data)
	}
	out.Notes = append(out.Notes, out.Config.Notes()...)
	// Without the project's own words the work is done as always, so what is wrong with
	// their file is told and stops nothing.
	text, why, err := readTrusted(project, improve.WorkflowFile, trusted)
	switch {
	case err != nil:
		out.Notes = append(out.Notes, err.Error())
	case why != "":
		out.Notes = append(out.Notes, why)
	case !utf8.Valid(text):
		out.Notes = append(out.Notes, improve.WorkflowFile+" has no effect: it is not UTF-8 text")
	default:
		out.Workflow = strings.TrimPrefix(string(text), "\ufeff")
	}
	return out, nil
}

// readTrusted reads a file of a project. The data is nil where there is none or it is not
// trusted; of the latter, why says so.
func readTrusted(project, name string, trusted Trusted) (data []byte, why string, err error) {
	file, data, err := ReadProjectFile(project, name)
	if err != nil || data == nil {
		return nil, "", err
	}
	ok, why, err := trusted(file, data)
	switch {
	case err != nil:
		return nil, "", err
	case !ok:
		return nil, fmt.Sprintf("%s has no effect: %s; look at it, then: trimtab trust", name, why), nil
	}
	return data, "", nil
}

// ReadProjectFile reads a file of a project, such as improve.ProjectFile, once: what is
// judged is what is used. The data is nil where there is none. No link leads out of the
// project.
func ReadProjectFile(project, name string) (file string, data []byte, err error) {
	local := filepath.FromSlash(name)
	file = filepath.Join(project, local)
	root, err := os.OpenRoot(project)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil, nil
	}
	if err != nil {
		return file, nil, err
	}
	defer root.Close()
	info, err := root.Lstat(local)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, nil, nil
	case err != nil:
		return file, nil, fmt.Errorf("%s: %w", name, err)
	case !info.Mode().IsRegular():
		return file, nil, fmt.Errorf("%s is not a regular file; it has no effect", file)
	case info.Size() > improve.MaxProjectFile:
		return file, nil, fmt.Errorf("%s: %d bytes are over the limit of %d; it has no effect", file, info.Size(), improve.MaxProjectFile)
	}
	f, err := root.Open(local)
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

// Disabled says why all automation is off, as far as the environment tells; "" where it
// is not.
func Disabled(getenv func(string) string) string {
	switch v := getenv("AUTOMATION_DISABLED"); v {
	case "", "0", "false":
		return ""
	default:
		return "AUTOMATION_DISABLED=" + v + " is set"
	}
}
