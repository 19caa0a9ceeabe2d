package steps

import (
	"context"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/internal/secret"
)

// With returns the options with our own tools: the commands of a project,
// the measure of a diff, and what takes secrets out, those that are known too. Of
// what leaves, e-mail addresses and the names of home folders are taken out as well;
// in a change they are no secrets.
func (o Options) With(p *project.Project, known []string) Options {
	o.Checks, o.Measure = commands{p}, measured
	leaving, added := secret.New(secret.Options{Known: known, Private: true}), secret.New(secret.Options{Known: known})
	o.Redact = func(text string) string {
		text, _ = leaving.Redact(text)
		return text
	}
	o.Keep = func(text string) string {
		text, _ = added.Redact(text)
		return text
	}
	o.Secrets = func(patch []byte) []string {
		var out []string
		for _, a := range added.FindDiff(patch) {
			out = append(out, fmt.Sprintf("%s:%d %s", a.File, a.Line, a.Kind))
		}
		return out
	}
	return o
}

// manifests are files that show which command a project is tested with, but say
// nothing of what it does: a change may touch them.
var manifests = []string{"the settings", "go.mod", "Cargo.toml"}

// commands are a project's own.
type commands struct{ *project.Project }

func (c commands) Has(kind, folder string) (bool, error) {
	return c.Project.Has(project.Kind(kind), folder)
}

func (c commands) Check(ctx context.Context, kind, folder, log string) (Run, bool, error) {
	r, has, err := c.Project.Run(ctx, project.Kind(kind), folder, log)
	if slices.Contains(manifests, r.From) {
		r.From = ""
	}
	return Run{Command: r.Command, From: r.From, Exit: r.Exit, Said: r.Said}, has, err
}

func (c commands) Reproduce(ctx context.Context, line, folder, log string) (Run, string, error) {
	r, why, err := c.Project.Reproduce(ctx, line, folder, log)
	return Run{Command: r.Command, Exit: r.Exit, Said: r.Said}, why, err
}

func measured(patch []byte) (Size, error) {
	m, err := project.Measure(patch)
	s := Size{Lines: m.Lines, Components: m.Components, Tests: m.Tests}
	for _, n := range m.Stubs {
		s.Stubs = append(s.Stubs, n.String())
	}
	for _, n := range m.Odd {
		s.Odd = append(s.Odd, n.String())
	}
	return s, err
}
