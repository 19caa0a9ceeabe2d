//go:build e2e

package fakemodel_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// The real clients, headless, against the fake: each is made to run a command,
// brings its result back, and nothing of what it sends is refused. What a strict
// model refuses of an untouched client would be a fault of the rules.
func TestE2E_RealClientsRunAToolAndNothingIsRefused(t *testing.T) {
	for _, name := range client.Names() {
		for _, api := range client.APIs(name) {
			t.Run(name+":"+api, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
				defer stop()
				runClient(ctx, t, name, api)
			})
		}
	}
}

func runClient(ctx context.Context, t *testing.T, name, api string) {
	t.Helper()
	paths, err := client.Install(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	model := fakemodel.Start(t, fakemodel.Options{
		ThinkByDefault: true,
		Script:         fakemodel.ToolThenText("FINAL-WORDS all done.", fakemodel.Run("printf 'tool-%s\\n' says-42"), fakemodel.Run("printf 'again-%s\\n' 43")),
	})
	cmd, err := client.Command(name+":"+api, model.URL, "hello please run a tool")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Home = t.TempDir()
	result, err := cmd.Run(ctx, paths)
	defer func() {
		if t.Failed() {
			t.Logf("stdout:\n%s\nstderr:\n%s", result.Stdout, result.Stderr)
		}
		for _, r := range model.Requests() {
			t.Logf("%d %s %s %s side=%q tools=%d items=%d stream=%v encoding=%q thinks=%q prompt=%+v transformed=%v", r.N, r.Method, r.Path, r.Model, r.Side, len(r.Tools), len(r.Items), r.Stream, r.Encoding, r.Thinks, r.Prompt, r.Transformed)
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	if result.Exit != 0 {
		t.Errorf("ended with %d", result.Exit)
	}
	model.NoneRefused(t)
	if !strings.Contains(result.Stdout, "FINAL-WORDS") {
		t.Error("the final words did not reach standard output")
	}
	main := model.Main()
	if len(main) < 3 {
		t.Fatalf("%d main turns, want 3", len(main))
	}
	last := main[len(main)-1]
	for _, r := range main[1:] { // an untouched client finds its own prefix again
		if len(r.Transformed) > 0 {
			t.Errorf("request %d: %+v", r.N, r.Transformed)
		}
		if r.Prompt.CacheRead == 0 {
			t.Errorf("request %d reads nothing from the cache: %+v", r.N, r.Prompt)
		}
	}
	for _, want := range []string{"tool-says-42", "again-43"} {
		if !last.Said("tool", want) {
			t.Errorf("no tool result says %s:\n%s", want, last.Transcript())
		}
	}
	if !last.Said("user", "hello please run a tool") {
		t.Errorf("the prompt is not in the request:\n%s", last.Transcript())
	}
}
