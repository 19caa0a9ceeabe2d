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
	}{
		{"TRIMTAB_RUN", "x", true},
		{"ANTHROPIC_BASE_URL", "http://" + home.Serve, true},
		{"ANTHROPIC_BASE_URL", "http://127.0.0.1:9999/k/SECRET", true},
		{"ANTHROPIC_BASE_URL", "http://127.0.0.1:9999", false},
		{"ANTHROPIC_BASE_URL", ":bad:", false},
		{"HOME", "/x", false},
	} {
		getenv := func(name string) string { return map[string]string{c.name: c.value}[name] }
		if got := behindGateway(claude, getenv); got != c.want {
			t.Errorf("%s=%s: %v", c.name, c.value, got)
		}
	}
}
