package steps_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/internal/secret/secrettest"
)

// TestP15_CanariesInARequestDoNotLeave: reflection has taken secrets out of what it
// quotes, and the work does not rely on that. None is at the forge, in a prompt or in a
// paper, whether the work ends well or with an error that tells them.
func TestP15_CanariesInARequestDoNotLeave(t *testing.T) {
	t.Parallel()
	canaries := secrettest.Make(11)
	var all []string
	for _, c := range canaries {
		all = append(all, c.Text)
	}
	text := strings.Join(all, "\n")
	for name, fail := range map[string]bool{"done": false, "failed": true} {
		d := newDock(t)
		r := &d.item.Request
		r.Title, r.Description, r.Pattern.Suggestion = "Improve "+all[0], text, text
		r.Pattern.Context = improve.Context{}
		r.Pattern.Samples = nil
		for i, c := range all {
			r.Pattern.Context[fmt.Sprint("k", i)] = c
			r.Pattern.Samples = append(r.Pattern.Samples, improve.Sample{Session: "session-1", Message: "m1", Excerpt: c})
		}
		whole := d.opt.With(&project.Project{}, nil)
		d.opt.Redact, d.opt.Keep = whole.Redact, whole.Keep
		if fail {
			d.agent.Behaviors["design"] = func(string) (string, error) { return "", errors.New(text) }
		}
		it, at, err := d.run()
		if fail != (err != nil) {
			t.Fatalf("%s: stopped at %q: %v", name, at.Name, err)
		}
		if fail {
			d.settles(it, at, err, improve.Failed)
		}
		for _, job := range d.agent.Asked {
			for _, found := range secrettest.In("prompt of "+job.Step, []byte(job.Prompt), canaries) {
				t.Errorf("%s: %v", name, found)
			}
		}
		for _, e := range it.Evidence {
			for _, found := range secrettest.In("evidence of "+string(e.Step), []byte(e.Error+fmt.Sprint(e.Facts)), canaries) {
				t.Errorf("%s: %v", name, found)
			}
		}
		secrettest.Search(t, filepath.Dir(d.forge.Remote().URL), canaries)
		secrettest.Search(t, d.cfg.Folder, canaries)
	}
}
