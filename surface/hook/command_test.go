package hook

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

// TestH10_ACommandOfOursIsDoneByTheHook: what the person typed as a prompt is carried out
// and goes no further, where a hook may keep a prompt back. A file of the repository with
// the same words in it is another prompt.
func TestH10_ACommandOfOursIsDoneByTheHook(t *testing.T) {
	for _, host := range []string{"claude", "qwen", "codex", "gemini", "goose"} {
		t.Run(host, func(t *testing.T) {
			r := newRig(t, host)
			r.start("startup")
			r.prompt("go")
			if host != "claude" {
				none(t, "a prompt", r.prompt("/trimtab:mode research"))
				return
			}
			holds(t, "a mode", r.prompt("/trimtab:mode research"), `"decision":"block"`, "Mode: RESEARCH")
			holds(t, "status", r.prompt("/trimtab:status"), `"decision":"block"`, "RESEARCH")
			holds(t, "a mode that is not", r.prompt("/trimtab:mode nonsense"), `"decision":"block"`, "nonsense")
			holds(t, "no command", r.prompt("/trimtab:nonsense"), `"decision":"block"`, "nonsense")
			for _, said := range []string{"/mine /trimtab:mode planning", "see /trimtab:mode planning", "/trimtab mode planning"} {
				if out := r.prompt(said); strings.Contains(out, `"block"`) {
					t.Errorf("%q: %s", said, out)
				}
			}
			if raw, err := r.session().Memory("mode"); err != nil || !strings.Contains(string(raw), `"research"`) {
				t.Errorf("%s %v", raw, err)
			}
			for _, m := range r.messages() {
				if strings.Contains(m.Text(), "/trimtab:mode research") {
					t.Error("the session heard the command as a prompt")
				}
			}
		})
	}
}

// TestH10_BeforeTheFirstRequestTheCommandWaits: a gateway begins the session.
func TestH10_BeforeTheFirstRequestTheCommandWaits(t *testing.T) {
	r := newRig(t, "claude")
	var early []trimtab.Asked
	r.opt.Gateway = true
	r.opt.Early = func(ev trimtab.Asked) error { early = append(early, ev); return nil }
	holds(t, "a mode", r.prompt("/trimtab:mode research"), `"decision":"block"`, "Mode: RESEARCH")
	holds(t, "looking", r.prompt("/trimtab:mode"), `"decision":"block"`, "planning")
	r.prompt("/trimtab:mode nonsense")
	if len(early) != 1 || early[0].Command != "mode" || early[0].Args[0] != "research" {
		t.Errorf("%+v", early)
	}
}
