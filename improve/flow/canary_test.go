package flow_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/flow"
	"github.com/trimtab/trimtab/improve/work"
	"github.com/trimtab/trimtab/improve/work/worktest"
	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/secret/secrettest"
)

// Sixty secrets stand in the agent's words at every step. None is at the forge, in a
// log, a database or a paper afterwards. Those in a request are looked for by work.
func TestP15_SixtyCanariesAreFoundNowhere(t *testing.T) {
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
	if err := worktest.Project(t.Context(), p.git, p.project()); err != nil {
		t.Fatal(err)
	}
	if err := p.queue.Add(t.Context(), worktest.Item(p.project(), 1)); err != nil {
		t.Fatal(err)
	}
	for step, deed := range p.agent.Deeds {
		p.agent.Deeds[step] = func(folder string) (string, error) {
			words, err := deed(folder)
			return all.String() + "\n" + words, err
		}
	}
	scanner := secret.New(secret.Options{})
	f, err := flow.New(t.Context(), p.cfg, flow.Options{
		Queue: p.queue, Worker: func() string { return "one" },
		Yard: func(context.Context, improve.Item) (*work.Yard, error) {
			opt := worktest.Options(p.forge, p.queue, p.git, p.agent)
			opt.Redact = func(s string) string { s, _ = scanner.Redact(s); return s }
			return work.New(work.Config{Folder: filepath.Join(p.folder, "work")}, opt)
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
