// Package stepstest is what the work on improvements is tested with: a small
// project in a real repository, an agent that really edits it, and the project's
// own commands. Nothing here needs a network, a key or a compiler; it needs git
// and a shell.
//
// It decides nothing about the steps. A test gives the agent a Hook to be told
// when it is at work, or changes one of its Behaviors to have it do something wrong.
//
//	err := worktest.Project(ctx, program, folder)
//	…
//	env, err := steps.New(cfg, worktest.Options(hub, log, program, worktest.NewAgent()))
package stepstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/steps"
)

// Program is git with a name to commit under.
func Program(environ []string) git.Program {
	return git.New(append(slices.Clone(environ),
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"))
}

// Project makes a project with one commit. Its tests are the scripts in tests.
func Project(ctx context.Context, program git.Program, folder string) error {
	files := map[string]string{
		"rudder/rudder.txt":  "straight\n",
		"tests/straight.sh":  "test -s rudder/rudder.txt\n",
		"test.sh":            "for t in tests/*.sh; do sh \"$t\" || { echo \"failed: $t\"; exit 1; }; done; echo ok\n",
		"lint.sh":            "! grep -rn wobble rudder\n",
		".gitignore":         "*.tmp\n",
		"docs/handbook.text": "Turn slowly.\n",
	}
	for name, text := range files {
		if err := write(folder, name, text); err != nil {
			return err
		}
	}
	tree := program.In(folder)
	for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"commit", "--quiet", "--message=the ship"}} {
		if _, err := tree.Run(ctx, args[0], args[1:]...); err != nil {
			return err
		}
	}
	return nil
}

func write(folder, name, text string) error {
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// Item is a request for the project, the nth of its kind.
func Item(project string, n int) improve.Item {
	at := time.Date(2026, 11, 15, 10, 15, 0, 0, time.UTC)
	id := fmt.Sprintf("workflow_20261115_101500_t%04d", n)
	return improve.Item{
		ID: id, Fingerprint: fmt.Sprintf("error_patterns:9f86d%04d", n), Project: project, State: improve.Queued, Attempt: 1, Created: at, Updated: at,
		Sessions: []string{"session-1", "session-2"},
		Request: improve.Request{
			Title: "Improve error patterns handling", Description: "The rudder does not turn left.", Priority: improve.High, Type: "error_handling",
			Complexity: "medium", MaxComponents: 3, MaxLines: 200, SecurityReview: true,
			Pattern: improve.Pattern{
				Type: "error_patterns", Severity: improve.High, Count: 6, Suggestion: "Let the rudder turn.", Fingerprint: fmt.Sprintf("error_patterns:9f86d%04d", n),
				Samples: []improve.Sample{{Session: "session-1", Message: "m4", Excerpt: "rudder: cannot turn left"}},
			},
		},
	}
}

// Behavior is what the agent does for a step, in a folder, and its last words.
type Behavior func(folder string) (string, error)

// Agent is a scripted agent.
type Agent struct {
	Behaviors map[string]Behavior
	Hook      func(step, moment string) // told "before", "during" and "after"
	Asked     []agents.Job              // what it was asked; for tests of one goroutine
}

// NewAgent returns an agent that does all steps well.
func NewAgent() *Agent {
	return &Agent{Hook: func(string, string) {}, Behaviors: map[string]Behavior{
		"clarify":         say("## Requirements\n- the rudder turns left\n\n## Acceptance criteria\n- rudder.txt says left"),
		"design":          edit("The rudder file will say left.", "tests/left.sh", "grep -q left rudder/rudder.txt\n"),
		"implement":       edit("The rudder turns left.", "rudder/rudder.txt", "left\n", "rudder/needless.txt", "left over\n"),
		"simplify":        remove("Took away a file that nothing used.", "rudder/needless.txt"),
		"check":           say("nothing to do"),
		"review":          say("One thing.\n\n" + Verdict(`{"file": "rudder/rudder.txt", "line": 1, "severity": "low", "text": "say how far"}`)),
		"second look":     say(Verdict("")),
		"security review": say(Verdict("")),
		"comments":        edit("```json\n[{\"finding\": 1, \"text\": \"Done as you say.\"}]\n```", "rudder/rudder.txt", "left 20\n"),
		"feedback":        edit("```json\n[{\"finding\": 1, \"text\": \"It says how far now.\"}]\n```", "rudder/rudder.txt", "left 10\n"),
	}}
}

// Verdict is a review that accepts the change, with the one criterion proved, and with
// findings as JSON.
func Verdict(findings string) string {
	return "```json\n" + `{"verdict": "accept", "why": "the rudder file and its test say the same", "criteria": [{"criterion": 1, "met": true, "proof": "tests/left.sh, beside tests/straight.sh"}], "findings": [` + findings + "]}\n```"
}

func say(words string) Behavior { return func(string) (string, error) { return words, nil } }

func edit(words string, pairs ...string) Behavior {
	return func(folder string) (string, error) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if err := write(folder, pairs[i], pairs[i+1]); err != nil {
				return "", err
			}
		}
		return words, nil
	}
}

func remove(words, name string) Behavior {
	return func(folder string) (string, error) {
		return words, os.Remove(filepath.Join(folder, filepath.FromSlash(name)))
	}
}

// Name is what it is called.
func (a *Agent) Name() string { return "scripted" }

// Do does a step. Half of it is done when the hook hears "during".
func (a *Agent) Do(ctx context.Context, job agents.Job) (agents.Report, error) {
	a.Asked = append(a.Asked, job)
	behave, ok := a.Behaviors[job.Step]
	if !ok {
		return agents.Report{}, fmt.Errorf("no script for step %q", job.Step)
	}
	a.Hook(job.Step, "before")
	if !job.ReadOnly {
		if err := write(job.Dir, "half.txt", "half done\n"); err != nil { // what a killed agent leaves behind
			return agents.Report{}, err
		}
		a.Hook(job.Step, "during")
		if err := os.Remove(filepath.Join(job.Dir, "half.txt")); err != nil {
			return agents.Report{}, err
		}
	}
	words, err := behave(job.Dir)
	a.Hook(job.Step, "after")
	return agents.Report{Text: words}, errors.Join(err, ctx.Err())
}

// Checks runs test.sh and lint.sh.
type Checks struct{}

// Has says which of them there are.
func (Checks) Has(kind, _ string) (bool, error) { return kind == "test" || kind == "lint", nil }

// Check runs one of them.
func (Checks) Check(ctx context.Context, kind, folder, log string) (steps.Run, bool, error) {
	script := map[string]string{"test": "test.sh", "lint": "lint.sh"}[kind]
	if script == "" {
		return steps.Run{}, false, nil
	}
	cmd := exec.CommandContext(ctx, "sh", script)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	r := steps.Run{Command: "sh " + script, From: script, Said: string(out)}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		r.Exit, err = exit.ExitCode(), nil
	}
	return r, true, errors.Join(err, os.WriteFile(log, out, 0o600))
}

// Reproduce runs a line as it is.
func (Checks) Reproduce(ctx context.Context, line, folder, log string) (steps.Run, string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	r := steps.Run{Command: line, Said: string(out)}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		r.Exit, err = exit.ExitCode(), nil
	}
	return r, "", errors.Join(err, os.WriteFile(log, out, 0o600))
}

// Measure measures a patch as far as the project here needs it.
func Measure(patch []byte) (steps.Size, error) {
	var s steps.Size
	name := ""
	for line := range strings.Lines(string(patch)) {
		line = strings.TrimRight(line, "\n")
		if _, b, ok := strings.Cut(line, " b/"); ok && strings.HasPrefix(line, "diff --git ") {
			name = b
			top, _, _ := strings.Cut(name, "/")
			if !slices.Contains(s.Components, top) {
				s.Components = append(s.Components, top)
			}
			if strings.HasPrefix(name, "tests/") {
				s.Tests = append(s.Tests, name)
			}
			continue
		}
		if strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---") || line == "" || line[0] != '+' && line[0] != '-' {
			continue
		}
		s.Lines++
		if line[0] == '+' && strings.Contains(line, "TODO") {
			s.Stubs = append(s.Stubs, name+" "+strconv.Quote(line))
		}
	}
	return s, nil
}

// Canary is what counts as a secret here.
const Canary = "canary-7d1f"

// Redact takes the canary out of a text.
func Redact(s string) string { return strings.ReplaceAll(s, Canary, "[REDACTED:canary]") }

// Secrets finds the canary in a patch.
func Secrets(patch []byte) []string {
	if strings.Contains(string(patch), Canary) {
		return []string{"the change holds a canary"}
	}
	return nil
}

// Keys are for markers.
func Keys() [][]byte { return [][]byte{[]byte("a key for tests, and only for them")} }

// Options are those of a env on this project.
func Options(f forge.Forge, log forge.Log, program git.Program, agent agents.Agent) steps.Options {
	return steps.Options{
		Forge: f, Keys: Keys(), Log: log, Git: program, Agent: agent, Checks: Checks{}, Measure: Measure, Redact: Redact, Secrets: Secrets,
	}
}
