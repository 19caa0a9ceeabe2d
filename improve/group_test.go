package improve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

func TestReflection_GroupBy(t *testing.T) {
	result := func(id, parent, host, project, file string) improve.SessionResult {
		p := improve.Pattern{Type: improve.LintRule, Count: 2, Fingerprint: "f", Severity: improve.Medium}
		return improve.SessionResult{Result: improve.Result{SessionID: id, Parent: parent, Patterns: []improve.Pattern{p}, Metrics: improve.Metrics{TotalMessages: 10}}, Host: host, Project: project, File: file}
	}
	r := improve.Reflection{Results: []improve.SessionResult{
		result("1", "", "claude", "/home/ada/mill", ""), result("2", "", "codex", "/home/ada/mill/.worktrees/x", ""), result("2a", "2", "codex", "/home/ada/mill", ""),
		result("3", "", "claude", `C:\Users\bob\mill`, ""), result("4", "", "claude", "/srv/x", "/root/.claude/projects/x/4.jsonl"), result("5", "", "", "", ""),
	}}
	for by, want := range map[string]string{
		"project": `/home/ada/mill 2 30 1/6; /srv/x 1 10 1/2; C:\Users\bob\mill 1 10 1/2; unknown 1 10 1/2`,
		"agent":   "claude 3 30 1/6; codex 1 20 1/4; unknown 1 10 1/2",
		"person":  "ada 2 30 1/6; bob 1 10 1/2; root 1 10 1/2; unknown 1 10 1/2",
	} {
		groups, err := r.GroupBy(by)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, g := range groups {
			got = append(got, fmt.Sprintf("%s %d %d %d/%d", g.Name, g.Sessions, g.Metrics.TotalMessages, len(g.Merged), g.Merged[0].Count))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("by %s: %s", by, strings.Join(got, "; "))
		}
	}
	if _, err := r.GroupBy("moon"); err == nil || !strings.Contains(err.Error(), "project, agent, person") {
		t.Errorf("got %v", err)
	}
}
