package worker_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/secret/secrettest"
)

// Sixty secrets stand in the agent's words at every step. None is at the forge, in a
// log, a database or a paper afterwards. Those in a request are looked for by work.
func TestP15_SixtyCanariesAreFoundNowhere(t *testing.T) {
	t.Parallel()
	p, err := openPort(t.Context(), t.TempDir(), "one")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	canaries := secrettest.Make(7)
	var all strings.Builder
	for _, c := range canaries {
		fmt.Fprintln(&all, c.Text)
	}
	if err := stepstest.Project(t.Context(), p.git, p.project()); err != nil {
		t.Fatal(err)
	}
	if err := p.queue.Add(t.Context(), stepstest.Item(p.project(), 1)); err != nil {
		t.Fatal(err)
	}
	for step, behave := range p.agent.Behaviors {
		p.agent.Behaviors[step] = func(folder string) (string, error) {
			words, err := behave(folder)
			return all.String() + "\n" + words, err
		}
	}
	scanner := secret.New(secret.Options{})
	f, err := worker.New(t.Context(), p.cfg, worker.Options{
		Queue: p.queue, Worker: func() string { return "one" },
		Env: func(context.Context, improve.Item) (*steps.Env, error) {
			opt := stepstest.Options(p.forge, p.queue, p.git, p.agent)
			opt.Redact = func(s string) string { s, _ = scanner.Redact(s); return s }
			return steps.New(steps.Config{Folder: filepath.Join(p.folder, "work")}, opt)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := complete(p.item(t, 1)); err != nil {
		t.Fatal(err)
	}
	for _, job := range p.agent.Asked {
		if found := secrettest.In("prompt of "+job.Step, []byte(job.Prompt), canaries); len(found) > 0 {
			t.Errorf("%v", found)
		}
	}
	secrettest.Search(t, p.folder, canaries)
}
