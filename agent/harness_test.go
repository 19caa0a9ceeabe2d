package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/host/todotool"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
)

// harness is a service and a history in memory, with a real engine behind it.
type harness struct {
	t       *testing.T
	engine  *trimtab.Engine
	session trimtab.Session
	said    []trimtab.Message
	events  []trimtab.Event
	now     time.Time
	fail    func(trimtab.Event) error // breaks the store, if set
}

func newHarness(t *testing.T, lineup ...trimtab.Steerer) *harness {
	t.Helper()
	engine, err := trimtab.New(trimtab.Config{Todos: todotool.Tools{}}, lineup...)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	return &harness{t: t, engine: engine, session: trimtab.NewSession("s1", now), now: now}
}

func (h *harness) Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return trimtab.Session{}, trimtab.Outcome{}, err
	}
	if len(events) == 0 { // a look at the session as it stands
		return h.session, trimtab.Outcome{}, nil
	}
	if id != h.session.ID || len(events) != 1 {
		h.t.Errorf("Handle(%q, %d events)", id, len(events))
	}
	ev := events[0]
	if h.fail != nil {
		if err := h.fail(ev); err != nil {
			return trimtab.Session{}, trimtab.Outcome{}, err
		}
	}
	h.now = h.now.Add(time.Second)
	s, out := h.engine.Step(h.session, ev, h.now)
	if said, ok := ev.(trimtab.Said); ok {
		m := said.Message
		if m.ID == "" {
			m.ID = trimtab.MessageID(s.Seq)
		}
		raw, err := json.Marshal(m) // what cannot be stored is not stored
		if err != nil {
			return trimtab.Session{}, trimtab.Outcome{}, err
		}
		var stored trimtab.Message
		if err := json.Unmarshal(raw, &stored); err != nil {
			return trimtab.Session{}, trimtab.Outcome{}, err
		}
		h.said = append(h.said, stored)
	}
	h.session = s
	h.events = append(h.events, ev)
	return s, out, nil
}

func (h *harness) Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error] {
	return func(yield func(trimtab.Message, error) bool) {
		for _, m := range h.said[after:] {
			if !yield(m, ctx.Err()) {
				return
			}
		}
	}
}

func (h *harness) agent(model llm.Model, tools ...tool.Tool) *agent.Agent {
	return agent.New(h, model, agent.Options{History: h, Tools: tools, System: "You are at work."})
}

// run takes a prompt to the end and returns what happened.
func run(t *testing.T, a *agent.Agent, prompt string) []agent.Event {
	t.Helper()
	events, err := collect(a.Run(t.Context(), "s1", prompted(prompt)))
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func prompted(text string) trimtab.Message {
	if text == "" {
		return trimtab.Message{}
	}
	return trimtab.Prompt(text)
}

func collect(seq iter.Seq2[agent.Event, error]) (events []agent.Event, err error) {
	for ev, e := range seq {
		if e != nil {
			if err != nil {
				e = fmt.Errorf("a second error: %w", e)
			}
			err = e
			continue
		}
		if _, ok := ev.(agent.Context); ok {
			continue // how full the context is has tests of its own
		}
		events = append(events, ev)
	}
	return events, err
}

// play returns a model that plays a script.
func play(t *testing.T, script string) llm.Model {
	t.Helper()
	s, err := demo.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return demo.Play("test", s, demo.Options{})
}

// whole checks what the next request would hold, without help from the code under
// test: every call is answered right behind it, by results and nothing else, and
// nothing is answered that was not asked.
func (h *harness) whole() {
	h.t.Helper()
	view := h.session.View(h.said)
	open := map[string]bool{}
	ids := map[string]bool{}
	for i, m := range view {
		if len(m.Parts) == 0 {
			h.t.Errorf("message %d is empty", i)
		}
		if m.Role != trimtab.RoleTool && len(open) > 0 {
			h.t.Errorf("message %d (%s) comes between calls %v and their results", i, m.Role, open)
			open = map[string]bool{}
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case trimtab.ToolCall:
				if m.Role != trimtab.RoleAssistant || p.ID == "" || ids[p.ID] {
					h.t.Errorf("message %d: bad call %+v", i, p)
				}
				open[p.ID], ids[p.ID] = true, true
			case trimtab.ToolResult:
				if m.Role != trimtab.RoleTool || !open[p.ID] {
					h.t.Errorf("message %d: result %q answers nothing", i, p.ID)
				}
				delete(open, p.ID)
			}
		}
	}
	if len(open) > 0 {
		h.t.Errorf("calls without a result: %v", open)
	}
	if len(h.session.Open) > 0 {
		h.t.Errorf("the session still waits for %v", h.session.Open)
	}
}

// steerer is a tiny intervention: a function and a number to remember.
type steerer struct {
	name  string
	steer func(t trimtab.Turn, n int) (int, []trimtab.Action)
}

func (s steerer) Name() string { return s.name }

func (s steerer) Steer(t trimtab.Turn, n int) (int, []trimtab.Action) { return s.steer(t, n) }

func use(name string, steer func(t trimtab.Turn, n int) (int, []trimtab.Action)) trimtab.Steerer {
	return trimtab.Use(steerer{name, steer})
}

// reminder is the todo reminder in three lines: a note when the list was not
// written for eight steps, gone when it is.
func reminder() trimtab.Steerer {
	return use("todo", func(t trimtab.Turn, last int) (int, []trimtab.Action) {
		if t.Todos.Wrote {
			return t.Step, []trimtab.Action{trimtab.Retract{Slot: "r", Why: "written", Heeded: true}}
		}
		if _, ok := t.Event.(trimtab.Calling); ok && t.Step-last == 8 {
			return last, []trimtab.Action{trimtab.Inject{Slot: "r", Text: "Look at your list.", Place: trimtab.AtEnd, Life: trimtab.Standing, Why: "8 steps", Asks: true}}
		}
		return last, nil
	})
}

// project writes a small project and returns its tools.
func project(t *testing.T) []tool.Tool {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "# Windmill\n\nA mill for wind.\n", "go.mod": "module example.com/windmill\n", "mill.go": "package mill\n\n// TODO: grind\nfunc Grind() {}  \n",
		"docs/plan.md": "# The plan\n\n- FIXME later\n- see https://example.com\n", "sail/sail.go": "package sail\n",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := tool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return append(folder.Tools(), tool.TodoWrite(), tool.TodoRead(agent.Todos))
}

// plain is a tool made of a function.
func plain(name string, readOnly bool, run func(ctx context.Context) (string, error)) tool.Tool {
	return tool.Tool{
		Tool: llm.Tool{Name: name, Schema: json.RawMessage(`{"type":"object"}`), ReadOnly: readOnly},
		Run:  func(ctx context.Context, _ json.RawMessage) (string, error) { return run(ctx) },
	}
}

// line writes an event on one line.
func line(ev agent.Event) string {
	switch ev := ev.(type) {
	case agent.Delta:
		return "delta " + strings.TrimSpace(ev.Text)
	case agent.Thought:
		return "thought " + ev.Text
	case agent.Retrying:
		return "retrying after " + ev.Wait.String() + ": " + ev.Why
	case agent.Called:
		return "called " + ev.Call.Name
	case agent.Returned:
		return fmt.Sprintf("returned %s failed=%v %s", ev.Call.Name, ev.Result.Failed, ev.Result.Text)
	case agent.Steered:
		return fmt.Sprintf("steered %s %s", ev.Change.Kind, ev.Change.By)
	case agent.Noticed:
		return "noticed " + ev.Notify.Text
	case agent.Faulted:
		return "faulted " + ev.Fault.Error()
	case agent.Replied:
		return "replied " + ev.Message.ID
	case agent.Continued:
		return "continued " + ev.By
	case agent.Output:
		return "output " + ev.Call.ID + " " + ev.Text
	case agent.Folded:
		return fmt.Sprintf("folded %s: %d messages", ev.Frame, ev.Messages)
	case agent.Paused:
		return "paused " + ev.Why
	case agent.Stopped:
		return "stopped " + string(ev.Reason)
	}
	return fmt.Sprintf("unknown event %T", ev)
}

func lines(events []agent.Event) []string {
	var out []string
	for _, ev := range events {
		if _, delta := ev.(agent.Delta); !delta {
			out = append(out, line(ev))
		}
	}
	return out
}
