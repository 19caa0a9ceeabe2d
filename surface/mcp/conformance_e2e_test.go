//go:build e2e

package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestConformance_TheOfficialSuitePasses runs the protocol's own suite, from npm,
// against the fixture. Of the newest protocol the scenarios fail that docs/proof/agents.md
// lists, with the reasons.
func TestConformance_TheOfficialSuitePasses(t *testing.T) {
	for _, c := range []struct{ version, args, want string }{
		{"0.1.16", "--suite all --spec-version 2025-06-18", "26 passed, 0 failed"},
		{"0.1.16", "--suite all --spec-version 2025-11-25", "44 passed, 0 failed"},
		{"0.2.0-alpha.12", "--suite all --spec-version 2025-06-18", "56 passed, 0 failed"},
		{"0.2.0-alpha.12", "--suite all --spec-version 2025-11-25", "84 passed, 0 failed"},
		{"0.2.0-alpha.12", "--requirements 2026-07-28", "143 passed, 40 failed"},
	} {
		t.Run(c.version+" "+c.args, func(t *testing.T) {
			if out := conformance(t, c.version, strings.Fields(c.args)...); !strings.Contains(out, "Total: "+c.want) {
				t.Errorf("want %s:\n%s", c.want, out)
			}
		})
	}
}

// conformance serves the fixture over HTTP and returns what the suite says of it.
// The suite has no token to send: what stands before the handler adds one.
func conformance(t *testing.T, version string, args ...string) string {
	t.Helper()
	token := strings.Repeat("0", 32)
	server := httptest.NewUnstartedServer(nil)
	h, err := newFixture().Handler(HTTPOptions{Token: token, Hosts: []string{server.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		h.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	args = append([]string{"--yes", "-p", "node@24.21.0", "-p", "@modelcontextprotocol/conformance@" + version, "--", "conformance", "server", "--url", server.URL + "/mcp"}, args...)
	cmd := exec.CommandContext(ctx, "npx", args...)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput() // it ends with 1 where a check failed, which its sum tells too
	if at := strings.Index(string(out), "=== SUMMARY"); at >= 0 {
		return string(out)[at:]
	}
	t.Fatalf("%v\n%s", err, out)
	return ""
}
