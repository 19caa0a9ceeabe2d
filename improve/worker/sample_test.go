//go:build e2e

package worker_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/secret"
)

// real has a flow work with the house's own tools and an agent.
func real(t *testing.T, p *port, agent agents.Agent, sandboxed project.Options) *worker.Worker {
	t.Helper()
	commands, err := project.New(project.Config{}, sandboxed)
	if err != nil {
		t.Fatal(err)
	}
	f, err := worker.New(t.Context(), p.cfg, worker.Options{
		Queue: p.queue, Worker: func() string { return "one" },
		Env: func(context.Context, improve.Item) (*steps.Env, error) {
			opt := steps.Options{Forge: p.forge, Keys: stepstest.Keys(), Log: p.queue, Git: p.git, Agent: agent}
			return steps.New(steps.Config{Folder: filepath.Join(p.folder, "work")}, opt.With(commands, nil))
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
	t.Parallel()
	p, err := openPort(t.Context(), t.TempDir(), "one")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	sample, err := agents.Sample(t.Context(), filepath.Join(p.folder, "sample"), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	it := stepstest.Item(sample.Project, 1)
	if err := p.queue.Add(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	agent, err := agents.New(agents.Config{Agent: "demo"}, agents.Options{Lookup: os.LookupEnv, Redact: redact})
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
