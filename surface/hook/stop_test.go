package hook

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/steer/stop"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

var everyHost = []string{"claude", "codex", "gemini", "qwen", "goose"}

func TestR15_OpenTodosContinueOnceAndThenStop(t *testing.T) {
	for _, host := range everyHost {
		for name, active := range map[string][2]string{"the host tells": {"false", "true"}, "it does not": {"", ""}, "it always says no": {"false", "false"}} {
			t.Run(host+", "+name, func(t *testing.T) {
				r := newRig(t, host)
				r.start("startup")
				r.prompt("write the docs")
				r.todos("in_progress")
				holds(t, "the stop", r.stop("That is all.", active[0]), "write the docs (in_progress)", stop.Opening)
				for range 3 {
					none(t, "the stop after it", r.stop("That is all.", active[1]))
				}
				r.prompt(stop.Opening + "what a host hands back as a prompt") // Gemini, Qwen
				none(t, "the stop after our own words", r.stop("That is all.", active[1]))
				r.prompt("<system-reminder>the host's own words</system-reminder>")
				none(t, "the stop after the host's words", r.stop("That is all.", active[1]))
				r.prompt("go on")
				holds(t, "the stop after a new prompt", r.stop("That is all.", active[0]), "write the docs")
			})
		}
	}
}

// TestR15_AListThatNoHookTellsIsReadAtTheStop: Codex calls no hook for its plan.
func TestR15_AListThatNoHookTellsIsReadAtTheStop(t *testing.T) {
	r := newRig(t, "codex")
	call := trimtab.ToolCall{ID: "c1", Name: "update_plan", Input: json.RawMessage(`{"plan":[{"step":"write the docs","status":"pending"}]}`)}
	r.opt.Plan = func(path string) (trimtab.ToolCall, bool) { return call, path == "/p/rollout.jsonl" }
	stops := func(active string) string {
		return r.call("Stop", `{"session_id":"s1","cwd":"/p","transcript_path":"/p/rollout.jsonl","last_assistant_message":"That is all.","stop_hook_active":`+active+`}`)
	}
	r.start("startup")
	r.prompt("write the docs")
	none(t, "a stop that names no file", r.stop("That is all.", "false"))
	holds(t, "the stop", stops("false"), "write the docs (pending)", stop.Opening)
	before := len(r.messages())
	none(t, "the stop after it", stops("true"))
	if n := len(r.messages()); n != before+1 { // its last words, and not the list again
		t.Errorf("%d messages more", n-before)
	}
	call = trimtab.ToolCall{ID: "c2", Name: "update_plan", Input: json.RawMessage(`{"plan":[{"step":"write the docs","status":"completed"}]}`)}
	r.prompt("go on")
	none(t, "the stop with a list that is done", stops("false"))
}

func TestR15_StopHookActiveIsHonoured(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	r.prompt("write the docs")
	r.todos("pending")
	none(t, "a stop that is part of a chain already", r.stop("That is all.", "true"))
}

func TestR15_TodosThatAreDoneLetItStop(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	r.prompt("write the docs")
	r.todos("pending")
	r.todos("completed")
	none(t, "the stop", r.stop("That is all.", "false"))
}

func TestR15_AnAnnouncedStepIsAsked(t *testing.T) {
	for last, want := range map[string]bool{
		"The parser is done. Now I'll write the tests.":         true,
		"Next, I will run the linter:":                          true,
		"Done so far.\n\nLet me now fix the second failure.":    true,
		"All **green**.\n\n**Next step:** remove the old code.": true,
		"I’m going to update the README.":                       true,
		"All done.":                                             false,
		"I'll now stop. Let me know if you need more.":          false,
		"Next, I'll deploy it if you agree.":                    false,
		"Now I'll write the tests, unless you object?":          false,
		"Shall I go on?":                                        false,
		"Let me know what you think.":                           false,
		"First I'll read it. Then it was done.":                 false,
		"":                                                      false,
		"Now I'll " + strings.Repeat("do this and that, ", 60):  false,
		"I'll continue once you have set the key.":              false,
		"```\nNow I'll write the tests\n```":                    false,
	} {
		r := newRig(t, "codex")
		r.start("startup")
		r.prompt("go")
		out := r.stop(last, "false")
		if got := out != ""; got != want {
			t.Errorf("%.60q: %q", last, out)
		}
	}
}

func TestR15_AQuestionOrWorkInTheBackgroundMayStop(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	r.prompt("write the docs")
	r.todos("pending")
	none(t, "a question", r.stop("Which format do you want?", "false"))
	none(t, "work in the background", r.call("Stop", `{"session_id":"s1","last_assistant_message":"Waiting.","stop_hook_active":false,"background_tasks":[{"id":"b1"}]}`))
	holds(t, "nothing of that", r.stop("That is all.", "false"), "block")
}

// TestR15_WhatCannotBeNotedIsNotDone: a continuation that is not remembered could
// come again and again.
func TestR15_WhatCannotBeNotedIsNotDone(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	r.prompt("write the docs")
	r.todos("pending")
	c, err := spool.Read("claude", "Stop", []byte(`{"session_id":"s1","cwd":"/p","last_assistant_message":"That is all.","stop_hook_active":false}`))
	if err != nil {
		t.Fatal(err)
	}
	opt := r.opt
	opt.Service = fullDisk{opt.Service}
	if a, err := New(opt).Answer(t.Context(), c); err == nil || a.Decision.Decision == GoOn {
		t.Errorf("%+v, %v", a, err)
	}
}

// fullDisk is a service behind which nothing can be stored.
type fullDisk struct{ Service }

func (fullDisk) Handle(context.Context, string, ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	return trimtab.Session{}, trimtab.Outcome{}, errors.New("disk full")
}

func TestR15_TheReasonIsInTheRecordAsOurs(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	r.prompt("write the docs")
	r.todos("pending")
	r.stop("That is all.", "false")
	all := r.messages()
	last := all[len(all)-1]
	if last.From != "stop" || last.IsPrompt() || !strings.HasPrefix(last.Text(), stop.Opening) {
		t.Errorf("the last message is %+v", last)
	}
}

func TestR15_TheDecisionInOurTerms(t *testing.T) {
	decide := func(r *rig, input string) Decision {
		c, err := spool.Read("claude", "Stop", []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(r.opt).Answer(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return a.Decision
	}
	const plain, next = `{"session_id":"s1","last_assistant_message":"Done."}`, `{"session_id":"s1","last_assistant_message":"Now I'll go on."}`
	r := newRig(t, "claude")
	if d := decide(r, plain); d != (Decision{Decision: LetGo, Reason: NotNeeded}) {
		t.Errorf("%+v", d)
	}
	var requests []ReflectRequest
	r.opt.Reflect = func(_ context.Context, w ReflectRequest) (Decision, error) {
		requests = append(requests, w)
		return Decision{}, nil
	}
	if d := decide(r, next); d.Decision != GoOn || d.Reason != Basic || d.Workflow != "" || len(requests) != 0 {
		t.Errorf("basic continuation comes first: %+v, %v", d, requests)
	}
	if d := decide(r, next); d != (Decision{Decision: LetGo, Reason: NotNeeded}) || len(requests) != 1 {
		t.Errorf("then reflection is asked for: %+v, %v", d, requests)
	}
	r.opt.Reflect = func(context.Context, ReflectRequest) (Decision, error) { return Decision{}, errors.New("disk full") }
	if d := decide(r, next); d != (Decision{Decision: LetGo, Reason: NotNeeded}) {
		t.Errorf("an error lets it stop: %+v", d)
	}
	raw, err := json.Marshal(Decision{Decision: LetGo, Reason: Automated, Workflow: "workflow_20261115_101500_k3x9"})
	if want := `{"decision":"stop","reason":"automation_triggered","workflow_id":"workflow_20261115_101500_k3x9"}`; err != nil || string(raw) != want {
		t.Errorf("its JSON form: %s %v", raw, err)
	}
}

// TestR16_OurOwnWorkIsNotLookedBackAt: neither sent on nor looked at. Seeded bug:
// no look at the mark.
func TestR16_OurOwnWorkIsNotLookedBackAt(t *testing.T) {
	for prompt, want := range map[string]int{
		improve.Mark + " workflow_20261115_101500_k3x9\nmake the tests pass": 0,
		"what is the line " + improve.Mark + " x for":                        1,
	} {
		r := newRig(t, "claude")
		requests := 0
		r.opt.Reflect = func(context.Context, ReflectRequest) (Decision, error) { requests++; return Decision{}, nil }
		r.start("startup")
		r.prompt(prompt)
		r.todos("pending")
		if out := r.stop("That is all.", "false"); (out != "") != (want > 0) {
			t.Errorf("%.30q: %s", prompt, out)
		}
		r.stop("That is all.", "true")
		if requests != want {
			t.Errorf("%.30q: %d requests, want %d", prompt, requests, want)
		}
	}
}

// TestAnyInterventionMayKeepTheAgentAtWork, and its text says whose it is.
func TestAnyInterventionMayKeepTheAgentAtWork(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	out := trimtab.Outcome{Actions: []trimtab.Taken{{By: "focus", Action: trimtab.Continue{Text: "the criterion c1 is not met"}}}}
	tn := &turn{Hook: New(r.opt), id: r.session().ID, in: input{Last: "Done."}}
	holds(t, "the reason", tn.stop(t.Context(), Answer{}, r.session(), out).Decision.Instructions, stop.Opening, "c1")
}

// TestJ9_TheGatewayStoresBeforeAStopIsDecided: what it knows is in the store when the hook
// of the stop reads it; where it cannot, the stop is decided all the same.
func TestJ9_TheGatewayStoresBeforeAStopIsDecided(t *testing.T) {
	for name, fails := range map[string]error{"it does": nil, "it is away": errors.New("away")} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "claude")
			r.start("startup")
			var asked []string
			r.opt.Settle = func(ctx context.Context, id string) error {
				asked = append(asked, id)
				call := trimtab.ToolCall{ID: "c1", Name: "TodoWrite", Input: json.RawMessage(`{"todos":[{"content":"write the docs","status":"pending"}]}`)}
				_, _, err := r.opt.Service.Handle(ctx, id,
					trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{call}}},
					trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c1", Text: "written"}}}})
				return errors.Join(err, fails)
			}
			r.prompt("write the docs")
			if len(asked) != 0 {
				t.Errorf("the gateway is asked at a prompt: %q", asked)
			}
			holds(t, "the stop", r.stop("That is all.", "false"), "write the docs (pending)")
			if len(asked) != 1 || asked[0] != "claude:s1" {
				t.Errorf("the gateway was asked for %q", asked)
			}
		})
	}
}
