//go:build e2e

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// The first words of the two notes of the seed.
const (
	reminderWords   = "steps passed"
	reflectionWords = "Time to look up from the work"
)

// seedAgent is a real agent on a model that is offered its todo tool.
type seedAgent struct {
	name, client string
	args, env    []string
	todo         fakemodel.Call // writes the list
}

func seedAgents() []seedAgent {
	whole := []string{"ENABLE_TOOL_SEARCH=false"} // all tools are offered from the start
	task := fakemodel.Call{Name: "TaskCreate", Input: json.RawMessage(`{"subject":"Tidy","description":"the folder"}`)}
	list := fakemodel.Call{Name: "TodoWrite", Input: json.RawMessage(`{"todos":[{"content":"Tidy","status":"in_progress","activeForm":"Tidying"}]}`)}
	open := fakemodel.Call{Name: "todowrite", Input: json.RawMessage(`{"todos":[{"content":"Tidy","status":"in_progress","priority":"high"}]}`)}
	return []seedAgent{
		{"opencode", "opencode", nil, nil, open},
		{"claude-TaskCreate", "claude", []string{"--model", "claude-sonnet-4-5", "--allowedTools", "Bash,TaskCreate"}, whole, task},
		{"claude-TodoWrite", "claude", []string{"--model", "claude-sonnet-4-5", "--allowedTools", "Bash,TodoWrite"}, append(whole, "CLAUDE_CODE_ENABLE_TASKS=0"), list},
	}
}

// seedRun is one prompt and what the model received: request n came after n replies.
func (a seedAgent) seedRun(ctx context.Context, t *testing.T, trimtab, prompt string, calls []fakemodel.Call, flags ...string) []string {
	t.Helper()
	paths, err := client.Install(ctx, a.client)
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("All done here.", calls...)})
	agent, err := client.Command(a.client, "", prompt)
	if err != nil {
		t.Fatal(err)
	}
	agent.Home, agent.Args, agent.Env = t.TempDir(), append(agent.Args, a.args...), append(agent.Env, a.env...)
	launched(ctx, t, trimtab, a.client, &agent, paths, model, append([]string{"--data", t.TempDir(), "--set", "stop.enabled=false", "--set", "verify.enabled=false"}, flags...)...)
	model.NoneRefused(t)
	var all []string
	for _, r := range model.Main() {
		var seen []string // what the agent itself writes about lists is not ours
		for _, item := range r.Items {
			if item.Role != "system" && item.Kind != fakemodel.Thinking && (strings.Contains(item.Text, reflectionWords) || strings.Contains(item.Text, "passed and no todo list") || strings.Contains(item.Text, "since the todo list was last written")) {
				seen = append(seen, item.Text)
			}
		}
		all = append(all, strings.Join(seen, "\n"))
	}
	if len(all) != len(calls)+1 {
		t.Fatalf("%d main turns, want %d", len(all), len(calls)+1)
	}
	return all
}

// TestSeed000_TheAcceptanceListThroughRealAgents, from what the model received.
func TestSeed000_TheAcceptanceListThroughRealAgents(t *testing.T) {
	trimtab := built(t)
	commands := func(n int, command string) (all []fakemodel.Call) {
		for i := range n {
			all = append(all, fakemodel.Run(fmt.Sprintf("echo %s %d", command, i)))
		}
		return all
	}
	for _, a := range seedAgents() {
		t.Run(a.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			expect := func(all []string, words string, want func(n int) bool) {
				t.Helper()
				for n, got := range all {
					if count := strings.Count(got, words); count != one(want(n)) {
						t.Fatalf("after %d replies %q stands %d times:\n%s", n, words, count, got)
					}
				}
			}

			// It activates only when a person's prompt holds the word: not by what a tool
			// prints.
			off := a.seedRun(ctx, t, trimtab, "please tidy this folder", commands(9, "automata"))
			expect(off, reflectionWords, func(int) bool { return false })

			// It comes after the configured number of turns, 8 by default; a new one takes
			// the place of the old one; and it stands behind the reminder.
			on := a.seedRun(ctx, t, trimtab, "AUTOMATA: please tidy this folder", commands(17, "step"))
			expect(on, reflectionWords, func(n int) bool { return n >= 8 })
			expect(on, reminderWords, func(n int) bool { return n >= 8 })
			for n, got := range on[8:] {
				if strings.Index(got, reminderWords) > strings.Index(got, reflectionWords) {
					t.Errorf("after %d replies the reflection stands before the reminder:\n%s", n+8, got)
				}
			}
			_, first, _ := strings.Cut(on[8], reflectionWords)
			if _, second, _ := strings.Cut(on[16], reflectionWords); first == second {
				t.Errorf("after 16 replies stands the reflection of 8 replies:\n%s", second)
			}

			// A write of the todo list removes it, and the reminder with it.
			calls := append(append(commands(10, "step"), a.todo), commands(6, "more")...)
			wrote := a.seedRun(ctx, t, trimtab, "Automata: please tidy this folder", calls)
			expect(wrote, reflectionWords, func(n int) bool { return n >= 8 && n <= 10 || n >= 16 })
			expect(wrote, reminderWords, func(n int) bool { return n >= 8 && n <= 10 })

			// The number is a setting.
			early := a.seedRun(ctx, t, trimtab, "automata: please tidy this folder", commands(4, "step"), "--set", "automataMode.initialTurns=3")
			expect(early, reflectionWords, func(n int) bool { return n >= 3 })
			never := a.seedRun(ctx, t, trimtab, "automata: please tidy this folder", commands(9, "step"), "--set", "automataMode.enabled=false")
			expect(never, reflectionWords, func(int) bool { return false })
		})
	}
	// The settings are exposed, and a value that cannot be is refused by name.
	schema, err := exec.CommandContext(t.Context(), trimtab, "config", "schema").Output()
	if err != nil || !strings.Contains(string(schema), "automataMode") || !strings.Contains(string(schema), "initialTurns") {
		t.Errorf("the schema does not have them: %v", err)
	}
	for _, value := range []string{"0", "-1", "1.5", "many"} {
		out, err := exec.CommandContext(t.Context(), trimtab, "config", "validate", "--set", "automataMode.initialTurns="+value).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "automataMode.initialTurns") {
			t.Errorf("%s is taken: %s", value, out)
		}
	}
}
