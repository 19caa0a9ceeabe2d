//go:build e2e

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestH2_AResumeWithoutUsIsWhole: Claude Code on its default model, which binds its
// thinking, with an account that enforces that. Notes are added by its own hooks and
// stand in its own history, so that it can go on without us. Notes that only the
// gateway knows of cannot bear that: the test sees the difference.
func TestH2_AResumeWithoutUsIsWhole(t *testing.T) {
	trimtab := built(t)
	for travel, whole := range map[string]bool{"auto": true, "host": true, "clearing": false} {
		t.Run(travel, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
			defer cancel()
			paths, err := client.Install(ctx, "claude")
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			var calls []fakemodel.Call
			for i := range 9 {
				calls = append(calls, fakemodel.Run(fmt.Sprintf("echo step-%d", i)))
			}
			model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("All done here.", calls...), ThinkByDefault: true})
			home, data := t.TempDir(), t.TempDir()
			agent := func(url, prompt string, more ...string) client.Cmd {
				c, err := client.Command("claude", url, prompt)
				if err != nil {
					t.Fatal(err)
				}
				c.Home, c.Args = home, append(c.Args, more...)
				return c
			}
			first, second := agent("", "automata: please tidy this folder"), agent("", "and now the other one", "--continue")
			launched(ctx, t, trimtab, "claude", &first, paths, model, "--set", "steering.travel="+travel, "--data", data, "--mode", "planning")
			launched(ctx, t, trimtab, "claude", &second, paths, model, "--set", "steering.travel="+travel, "--data", data)
			model.NoneRefused(t)
			steered := model.Main()
			third := agent(model.URL, "and the last one", "--continue")
			_, err = third.Run(ctx, paths)
			refused := slices.ContainsFunc(model.Requests(), func(r fakemodel.Request) bool { return r.Refused != nil })
			if refused == whole {
				t.Errorf("resumed without us: refused %v, %v", refused, err)
			}
			if whole {
				checkHosted(t, steered, model.Main()[len(steered):])
			}
		})
	}
}

// checkHosted sees that each note stands once, where the host has put it, and stays.
func checkHosted(t *testing.T, steered, after []fakemodel.Request) {
	t.Helper()
	if len(steered) < 20 || len(after) < 10 {
		t.Fatalf("%d requests with us and %d without", len(steered), len(after))
	}
	for i, r := range append(slices.Clone(steered), after...) {
		got := r.Transcript()
		for words, want := range map[string]int{
			"You are in PLANNING MODE. Before writing": 1,
			"Remember: You are still in PLANNING MODE": one(i >= 10),
			"Time to look up":                          one(i >= 8) + one(i >= 16),
		} {
			if n := strings.Count(got, words); n != want {
				t.Fatalf("request %d: %q stands %d times, want %d:\n%s", i+1, words, n, want, got)
			}
		}
		if strings.Contains(string(r.Body), "drop_block") && i < 10 || strings.Contains(string(r.Body), "clear_at") {
			t.Errorf("request %d is not as the host wrote it", i+1)
		}
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
