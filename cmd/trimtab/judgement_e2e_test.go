//go:build e2e

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestJ8_ARealAgentIsToldThatItGoesInCircles: the same failing command, in normal mode, through
// trimtab run: the note is in what the model receives after the fourth failure at the latest, once.
func TestJ8_ARealAgentIsToldThatItGoesInCircles(t *testing.T) {
	trimtab := built(t)
	for _, host := range []string{"claude", "opencode"} {
		t.Run(host, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			var calls []fakemodel.Call
			for range 5 {
				calls = append(calls, fakemodel.Run("cat site/home.html # the template"))
			}
			model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("It does not work.", calls...)})
			agent, paths := prepared(ctx, t, host, "please build the site")
			launched(ctx, t, trimtab, host, &agent, paths, model, "--data", t.TempDir())
			model.NoneRefused(t)
			const words = "Before the next attempt say in one sentence"
			for n, r := range model.Main() {
				visible := 0
				for _, item := range r.Visible() {
					visible += strings.Count(item.Text, words)
				}
				if n < 3 && visible != 0 || n == 4 && visible != 1 || visible > 1 {
					t.Errorf("after %d failures the note stands %d times", n, visible)
				}
			}
		})
	}
}

// TestJ9_ARunPassesTheStop: an agent that trimtab run starts changed code and stops: it is
// sent on, once, with nothing installed.
func TestJ9_ARunPassesTheStop(t *testing.T) {
	trimtab := built(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	replies := []fakemodel.Reply{{Text: "I write it.", Calls: []fakemodel.Call{fakemodel.Run("printf 'package a\\n' > a.go")}}}
	for range 6 {
		replies = append(replies, fakemodel.Reply{Text: "Written, and all tests pass."})
	}
	model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(replies...)})
	agent, paths := prepared(ctx, t, "claude", "please write a.go")
	launched(ctx, t, trimtab, "claude", &agent, paths, model, "--data", t.TempDir())
	model.NoneRefused(t)
	main := model.Main()
	if len(main) != 3 || !strings.Contains(string(main[2].Body), opened+"you changed a.go") {
		t.Errorf("%d main turns, want 3, and the reason in the last\n%s", len(main), dump(model))
	}
}

// prepared is a client with Trimtab's settings as they come.
func prepared(ctx context.Context, t *testing.T, host, prompt string) (client.Cmd, client.Paths) {
	t.Helper()
	paths, err := client.Install(ctx, host)
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	agent, err := client.Command(host, "", prompt)
	if err != nil {
		t.Fatal(err)
	}
	agent.Home = t.TempDir()
	agent.Files[".config/trimtab/trimtab.json"] = "{}"
	return agent, paths
}
