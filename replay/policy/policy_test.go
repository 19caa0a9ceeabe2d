package policy_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/replay/policy"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/external"
)

func base(t *testing.T, sets ...string) *policy.Base {
	t.Helper()
	cfg, report := config.Load[steer.Config](config.Sources{Sets: sets})
	if len(report.Problems) > 0 {
		t.Fatal(report.Problems)
	}
	cfg.Interventions = map[string]external.Program{"mine": {}}
	return policy.New(cfg, nil)
}

func TestChangesAreMadeToTheSettingsAtHand(t *testing.T) {
	b := base(t, "guard.enabled=false", "steering.attention=7", "autonomy.enabledHeuristics=complexity,duration")
	if _, err := b.Engine("todoReminder.enabled=false"); err != nil {
		t.Fatal(err)
	}
	now := map[string]string{}
	for _, s := range b.Settings() {
		now[s.Key] = s.Value
		if s.Off != "" && s.Value != "true" {
			t.Errorf("%s is %s and could be switched off", s.Key, s.Value)
		}
		if strings.HasPrefix(s.Key, "interventions") || s.Doc == "" || s.Takes == "" {
			t.Errorf("%+v", s)
		}
	}
	for key, want := range map[string]string{"guard.enabled": "false", "steering.attention": "7", "todoReminder.enabled": "true", "verify.enabled": "true"} {
		if now[key] != want {
			t.Errorf("%s is %s, want %s", key, now[key], want)
		}
	}
}

func TestWrongChangesAreRefused(t *testing.T) {
	b := base(t)
	for _, wrong := range []string{"guard", "guard=1", "nothing.at=all", "steering.attention=1000", "steering.attention=many", "interventions.x.command=true", "=", ""} {
		if _, err := b.Engine(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
