package hook

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/steer/stop"
)

const workflow = "workflow_20261115_101500_k3x9"

// started is the decision that whoever looks back leaves.
var started = Decision{Decision: GoOn, Reason: Automated, Instructions: improve.Instructions(workflow, improve.Queued), Workflow: workflow}

// TestSeed002_65_AStopTellsWhatWasTriggered: the decision has the seed's form; the person
// is told at the stop, the session with its next prompt, and the agent is not sent on.
func TestSeed002_65_AStopTellsWhatWasTriggered(t *testing.T) {
	raw, err := json.Marshal(started)
	var got map[string]string
	if err == nil {
		err = json.Unmarshal(raw, &got)
	}
	if err != nil || len(got) != 4 || got["decision"] != "continue" || got["reason"] != "automation_triggered" || got["workflow_id"] != workflow ||
		!strings.HasPrefix(got["instructions"], "Starting automated improvement workflow "+workflow+". ") { // 002-66
		t.Errorf("%s, %v", raw, err)
	}
	for _, host := range everyHost {
		r := newRig(t, host)
		r.opt.Reflect = func(context.Context, ReflectRequest) (Decision, error) { return started, nil }
		r.start("startup")
		r.prompt("write the docs")
		out := r.stop("That is all.", "false")
		next := r.prompt("go on")
		if host == "goose" { // takes nothing but a reason not to stop
			none(t, host, out+next)
			continue
		}
		holds(t, host, out, started.Instructions, "systemMessage")
		if strings.Contains(out, `"decision"`) {
			t.Errorf("%s is kept from stopping: %s", host, out)
		}
		holds(t, host, next, started.Instructions, "additionalContext")
		if strings.Contains(next, "systemMessage") {
			t.Errorf("%s tells the person twice: %s", host, next)
		}
		none(t, host+", told once", r.prompt("and on"))
	}
}

// With on_trigger continue the agent is sent on, once: a chain of stops goes no further.
func TestSeed002_65_WithOnTriggerContinueTheAgentIsSentOn(t *testing.T) {
	for _, host := range everyHost {
		r := newRig(t, host)
		r.opt.Reflect, r.opt.SendOn = func(context.Context, ReflectRequest) (Decision, error) { return started, nil }, true
		r.start("startup")
		r.prompt("write the docs")
		holds(t, host, r.stop("That is all.", "false"), `"decision"`, `"reason"`, stop.Opening+"Starting automated improvement workflow "+workflow)
		if out := r.stop("That is all.", "true"); strings.Contains(out, `"decision"`) {
			t.Errorf("%s is sent on without an end: %s", host, out)
		}
	}
}

// TestSeed002_66_WhatComesTooLateForTheStopIsToldLater: by the next prompt of the session,
// by its next stop, or at the start of another session in the folder.
func TestSeed002_66_WhatComesTooLateForTheStopIsToldLater(t *testing.T) {
	leave := func(r *rig, session, folder string) {
		t.Helper()
		if err := (Outcome{Session: session, Project: folder, Decision: started, At: r.now}).Leave(r.data, 1); err != nil {
			t.Fatal(err)
		}
	}
	r := newRig(t, "claude")
	r.start("startup")
	leave(r, "claude:s1", "/p")
	holds(t, "the prompt", r.prompt("go on"), "systemMessage", "additionalContext", started.Instructions)
	none(t, "the prompt after it", r.prompt("go on"))
	leave(r, "claude:s1", "/p")
	holds(t, "the stop", r.stop("That is all.", "false"), "systemMessage", started.Instructions)
	holds(t, "the prompt after the stop", r.prompt("go on"), "additionalContext")
	leave(r, "claude:gone", "/p")
	none(t, "a prompt of another session", r.prompt("go on"))
	out := r.start("resume")
	holds(t, "a start in the folder", out, "systemMessage", started.Instructions)
	if strings.Contains(out, "additionalContext") && strings.Contains(out, "for your information") {
		t.Errorf("another session's model is told: %s", out)
	}
	if out := r.start("resume"); strings.Contains(out, workflow) {
		t.Errorf("the person is told twice: %s", out)
	}
	leave(r, "claude:elsewhere", "/q")
	if out := r.start("resume"); strings.Contains(out, workflow) {
		t.Errorf("told in another folder: %s", out)
	}
	if o, ok := TakeOutcome(r.data, "claude:elsewhere"); !ok || o.Decision != started {
		t.Errorf("it is lost: %+v", o)
	}
	// What is damaged, too large or a week old is in nobody's way.
	if err := os.WriteFile(filepath.Join(outcomeFolder(r.data), outcomeName("claude:s1")), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	none(t, "a damaged one", r.prompt("go on"))
	leave(r, "claude:s1", "/p")
	r.now = r.now.Add(oldOutcome + time.Hour)
	none(t, "an old one", r.prompt("go on"))
	left, err := filepath.Glob(filepath.Join(outcomeFolder(r.data), "*s1*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q, %v", left, err)
	}
}
