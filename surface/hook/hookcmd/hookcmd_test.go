package hookcmd

import (
	"testing"

	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

func TestG7_AnAgentBehindServeIsKnownByItsBaseURL(t *testing.T) {
	claude, _, _ := spool.Find("claude", "Stop")
	for _, c := range []struct {
		name, value string
		want        bool
		at          string
	}{
		{"TRIMTAB_RUN", "x", true, ""},
		{"ANTHROPIC_BASE_URL", "http://" + home.Serve, true, ""},
		{"ANTHROPIC_BASE_URL", "http://127.0.0.1:9999/k/SECRET", true, "http://127.0.0.1:9999/k/SECRET"},
		{"ANTHROPIC_BASE_URL", "http://127.0.0.1:9999", false, ""},
		{"ANTHROPIC_BASE_URL", ":bad:", false, ""},
		{"HOME", "/x", false, ""},
	} {
		getenv := func(name string) string { return map[string]string{c.name: c.value}[name] }
		if at, behind := gatewayOf(claude, getenv); behind != c.want || at != c.at {
			t.Errorf("%s=%s: %v %q", c.name, c.value, behind, at)
		}
	}
	run := map[string]string{"TRIMTAB_RUN": "x", "TRIMTAB_RUN_URL": "http://127.0.0.1:1", "TRIMTAB_RUN_KEY": "SECRET", "ANTHROPIC_BASE_URL": "http://127.0.0.1:2/k/OTHER"}
	if at, _ := gatewayOf(claude, func(name string) string { return run[name] }); at != "http://127.0.0.1:1/k/SECRET" {
		t.Errorf("the address of a run: %q", at)
	}
}
