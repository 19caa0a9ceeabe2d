//go:build e2e

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestF5_RealClientsFoldTheirWork runs real agents through `trimtab run` with
// `trimtab mcp` in their settings. The model pushes a frame, works, and pops it; the
// request after that holds the summary and none of the work.
func TestF5_RealClientsFoldTheirWork(t *testing.T) {
	trimtab := built(t)
	for _, host := range []string{"claude", "goose", "opencode"} {
		t.Run(host, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
			defer cancel()
			paths, err := client.Install(ctx, host)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			foldWith(ctx, t, trimtab, host, paths)
		})
	}
}

func foldWith(ctx context.Context, t *testing.T, trimtab, host string, paths client.Paths) {
	prefix := map[string]string{"claude": "mcp__trimtab__", "opencode": "trimtab_", "goose": "trimtab__"}[host]
	call := func(tool, input string) fakemodel.Reply {
		return fakemodel.Reply{Calls: []fakemodel.Call{{Name: prefix + tool, Input: json.RawMessage(input)}}}
	}
	work := func(n int) fakemodel.Reply {
		return fakemodel.Reply{Text: fmt.Sprintf("Work %d.", n), Calls: []fakemodel.Call{fakemodel.Run("echo the-work; seq 1 2500")}}
	}
	model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(
		call("flame_push", `{"goal":"Count to many"}`), work(1), work(2), work(3),
		call("flame_pop", `{"status":"completed","summary":"Counted to 2500 three times."}`),
		fakemodel.Reply{Text: "Now the rest.", Calls: []fakemodel.Call{fakemodel.Run("echo rest")}},
		fakemodel.Reply{Text: "All done here."},
	)})
	agent, err := client.Command(host, "", "please count to many")
	if err != nil {
		t.Fatal(err)
	}
	agent.Home = t.TempDir()
	data := t.TempDir()
	offer(&agent, host, trimtab, data)
	_, printed := launched(ctx, t, trimtab, host, &agent, paths, model, "--data", data)
	model.NoneRefused(t)
	if !strings.Contains(printed, "All done here.") {
		t.Errorf("the agent's answer did not come through: %s", tail(printed))
	}
	all := model.Main()
	for i, r := range all {
		t.Logf("request %d: %d bytes, %d pieces of work, the summary %v", i+1, len(r.Body), strings.Count(r.Transcript(), "2499"), strings.Contains(r.Transcript(), "Counted to 2500 three times."))
	}
	if len(all) < 7 {
		t.Fatalf("%d requests, want 7\n%s", len(all), dump(model))
	}
	if working := all[4].Transcript(); strings.Count(working, "2499") < 3 {
		t.Errorf("before the pop the work is not there:\n%.2000s", working)
	}
	if last := all[6].Transcript(); !strings.Contains(last, "Counted to 2500 three times.") || strings.Contains(last, "2499") {
		t.Errorf("the last request holds the work, or not the summary:\n%.4000s", last)
	}
}

// offer puts the MCP server into an agent's settings.
func offer(a *client.Cmd, host, trimtab, data string) {
	quote := func(s string) string {
		raw, _ := json.Marshal(s)
		return string(raw)
	}
	args := `["mcp", "--data", ` + quote(data) + `]`
	switch host {
	case "claude":
		for i, arg := range a.Args {
			if arg == "Bash" {
				a.Args[i] = "Bash,mcp__trimtab"
			}
		}
		a.Args = append(a.Args, "--strict-mcp-config", "--mcp-config", `{"mcpServers":{"trimtab":{"command":`+quote(trimtab)+`,"args":`+args+`}}}`)
	case "opencode":
		a.Files[".config/opencode/opencode.json"] = `{"mcp":{"trimtab":{"type":"local","command":[` + quote(trimtab) + `, "mcp", "--data", ` + quote(data) + `],"enabled":true}}}`
	case "goose":
		a.Files[".config/goose/config.yaml"] = "extensions:\n  trimtab:\n    enabled: true\n    type: stdio\n    name: trimtab\n    cmd: " + quote(trimtab) + "\n    args: " + args + "\n    timeout: 60\n    envs: {}\n"
	}
}
