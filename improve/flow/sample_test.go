//go:build e2e

package flow_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/crew"
	"github.com/trimtab/trimtab/improve/flow"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/improve/work"
	"github.com/trimtab/trimtab/improve/work/worktest"
	"github.com/trimtab/trimtab/internal/secret"
)

// real has a flow work with the house's own tools and an agent.
func real(t *testing.T, p *port, agent crew.Agent, sandboxed project.Options) *flow.Flow {
	t.Helper()
	commands, err := project.New(project.Config{}, sandboxed)
	if err != nil {
		t.Fatal(err)
	}
	f, err := flow.New(t.Context(), p.cfg, flow.Options{
		Queue: p.queue, Worker: func() string { return "one" },
		Yard: func(context.Context, improve.Item) (*work.Yard, error) {
			opt := work.Options{Forge: p.forge, Keys: worktest.Keys(), Log: p.queue, Git: p.git, Agent: agent}
			return work.New(work.Config{Folder: filepath.Join(p.folder, "work")}, opt.With(commands, nil))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func redact(s string) string {
	s, _ = secret.New(secret.Options{Private: true}).Redact(s)
	return s
}

// The sample that a person meets on a bare machine: a Go project with a fault, the
// scripted agent, and a folder as the forge.
func TestTheSampleProjectIsMendedByTheDemoAgent(t *testing.T) {
	p, err := openPort(t.Context(), t.TempDir(), "one")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	sample, err := crew.Sample(t.Context(), filepath.Join(p.folder, "sample"), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	it := worktest.Item(sample.Project, 1)
	if err := p.queue.Add(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	agent, err := crew.New(crew.Config{Agent: "demo"}, crew.Options{Lookup: os.LookupEnv, Redact: redact})
	if err != nil {
		t.Fatal(err)
	}
	f := real(t, p, agent, project.Options{Lookup: os.LookupEnv, Redact: redact, Cache: filepath.Join(p.folder, "cache")})
	if err := f.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := complete(p.item(t, 1)); err != nil {
		t.Fatal(err)
	}
	p.check(t, whole(1))
	pull, err := p.shed.Pull(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := p.git.In(p.shed.Remote().URL).Patch(t.Context(), "main", pull.Head)
	if err != nil || !strings.Contains(patch, `strings.ReplaceAll(text, ",", ".")`) || !strings.Contains(patch, "comma_test.go") {
		t.Errorf("%v\n%s", err, patch)
	}
}
