package operate_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/surface/operate"
	"github.com/trimtab/trimtab/surface/server"
)

// X8: metrics are open to the programs of this machine alone; where a name or a proxy leads
// others to the server, also on loopback, they want the management token, or the one that is
// for metrics alone.
func TestX8_MetricsWantATokenWhereOthersCome(t *testing.T) {
	find := func(where string) (key.Key, error) {
		switch where {
		case "":
			return key.Key{}, nil
		case "env:SCRAPE":
			return key.New("scrape", where), nil
		}
		return key.Key{}, errors.New("no such place")
	}
	for _, c := range []struct {
		name string
		cfg  server.Config
		open bool
		good []string
	}{
		{"loopback", server.Config{Listen: "127.0.0.1:1"}, true, nil},
		{"loopback with a token of its own", server.Config{Listen: "127.0.0.1:1", MetricsToken: "env:SCRAPE"}, false, []string{"manage", "scrape"}},
		{"loopback behind a balancer", server.Config{Listen: "127.0.0.1:1", Hosts: []string{"gateway.example"}}, false, []string{"manage"}},
		{"loopback behind a proxy", server.Config{Listen: "127.0.0.1:1", TrustProxy: true}, false, []string{"manage"}},
		{"everywhere", server.Config{Listen: "0.0.0.0:1", MetricsToken: "env:SCRAPE"}, false, []string{"manage", "scrape"}},
	} {
		may, err := operate.Viewer(c.cfg, "manage", find)
		if err != nil || (may == nil) != c.open {
			t.Errorf("%s: %v, open %v", c.name, err, may == nil)
			continue
		}
		for _, token := range []string{"", "manage", "scrape", "other"} {
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			want := strings.Contains(strings.Join(c.good, " "), token) && token != ""
			if may != nil && may(r) != want {
				t.Errorf("%s: %q is let in: %v", c.name, token, !want)
			}
		}
	}
	if _, err := operate.Viewer(server.Config{MetricsToken: "file:/none"}, "manage", find); err == nil || !strings.Contains(err.Error(), "serve.metricsToken") {
		t.Errorf("%v", err)
	}
}
