package steps_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/guidance"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
)

const (
	pushes   = "```json\n{\"says\": \"\", \"calls\": [{\"tool\": \"Bash\", \"input\": {\"command\": \"git push\"}}]}\n```"
	proposes = "```json\n{\"says\": \"I propose it.\", \"calls\": []}\n```"
)

// newGuidance is a dock with a request for guidance, and an agent that heeds AGENTS.md.
func newGuidance(t *testing.T) *dock {
	t.Helper()
	d := newDock(t)
	d.opt.Replay = guidance.Replayer{}
	r := &d.item.Request
	r.Kind, r.Pattern.Type, r.Pattern.Context = improve.Guidance, improve.SaidNo, improve.Context{improve.KeyAbout: "no to git push"}
	for _, session := range []string{"session-1", "session-2"} {
		r.Turns = append(r.Turns, improve.Turn{
			Session: session, Message: "m4", History: []improve.Spoken{{By: "person", Text: "publish it"}}, Did: "pushes",
			Call: improve.Call{Tool: "Bash", About: "git push", Runs: true}, Outcome: "no, never",
		})
	}
	say := func(words string) stepstest.Behavior { return func(string) (string, error) { return words, nil } }
	d.agent.Behaviors["replay"] = func(folder string) (string, error) {
		if raw, err := os.ReadFile(filepath.Join(folder, "AGENTS.md")); err == nil && strings.Contains(string(raw), "Never push") {
			return proposes, nil
		}
		return pushes, nil
	}
	d.agent.Behaviors["implement"] = instruct("Never push.\n")
	d.agent.Behaviors["simplify"], d.agent.Behaviors["review"] = say("Nothing to take away."), say(stepstest.Verdict(""))
	return d
}

// instruct writes AGENTS.md.
func instruct(text string) stepstest.Behavior {
	return func(folder string) (string, error) {
		return "```json\n[{\"finding\": 1, \"text\": \"It says so now.\"}]\n```", os.WriteFile(filepath.Join(folder, "AGENTS.md"), []byte(text), 0o600)
	}
}

// asked is how often the agent was asked for a step.
func (d *dock) asked(step string) (n int) {
	for _, job := range d.agent.Asked {
		if job.Step == step {
			n++
			if step == "replay" && !job.ReadOnly {
				d.t.Error("an agent may write in a replay")
			}
		}
	}
	return n
}

// TestR21_AStepThatIsDoneAgainReplaysNothingTwice: who was killed before a step was
// recorded does it again, and an agent's time is paid for once.
func TestR21_AStepThatIsDoneAgainReplaysNothingTwice(t *testing.T) {
	t.Parallel()
	d := newGuidance(t)
	j := d.job()
	for _, s := range steps.Steps() {
		if _, err := s.Run(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		e, err := s.Run(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		j.Item.Evidence = append(j.Item.Evidence, e)
	}
	if n := d.asked("replay"); n != 4 {
		t.Errorf("asked %d times, want two turns without and two with", n)
	}
}

// TestR21_WhatFeedbackChangesIsReplayedToo: a review may not take the help out again.
func TestR21_WhatFeedbackChangesIsReplayedToo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Never push: propose.\n": "", "Be careful.\n": "no better with the change than without"} {
		d := newGuidance(t)
		d.agent.Behaviors["review"] = func(string) (string, error) {
			return stepstest.Verdict(`{"file": "AGENTS.md", "line": 1, "severity": "low", "text": "say what to do instead"}`), nil
		}
		d.agent.Behaviors["feedback"] = instruct(text)
		_, at, err := d.run()
		if (want == "") != (err == nil) || err != nil && (at.Name != steps.Feedback || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: stopped at %q: %v", text, at.Name, err)
		}
	}
}

// TestR21_GuidanceHasLimitsToo: size, what a forge runs, and words that are for the replay
// alone.
func TestR21_GuidanceHasLimitsToo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text, want string
	}{
		"too long":          {"AGENTS.md", strings.Repeat("Never push.\n", 300), "300 lines are changed"},
		"for the replay":    {"AGENTS.md", "Never push.\n" + proposes, "speaks to the replay"},
		"a test":            {"tests/straight.sh", "true\n", "not tests/straight.sh"},
		"nothing":           {"note.tmp", "ignored", "nothing is changed"},
		"a hidden sign":     {"script/x", "#!/bin/sh\n# \u202eevil\n", "cannot be seen"},
		"a secret":          {"script/x", "#!/bin/sh\necho " + stepstest.Canary + "\n", "holds a secret"},
		"settings of tools": {".claude/runtime/automation_config.json", "{}\n", "not .claude/runtime/automation_config.json"},
	} {
		d := newGuidance(t)
		d.agent.Behaviors["implement"] = func(folder string) (string, error) {
			file := filepath.Join(folder, filepath.FromSlash(c.file))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return "", err
			}
			return "done", os.WriteFile(file, []byte(c.text), 0o600)
		}
		it, at, err := d.run()
		if err == nil || at.Name != steps.Implement || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: stopped at %q: %v", name, at.Name, err)
			continue
		}
		if n := d.asked("implement"); n != 2 {
			t.Errorf("%s: asked %d times", name, n)
		}
		d.settles(it, at, err, improve.Failed)
	}
}
