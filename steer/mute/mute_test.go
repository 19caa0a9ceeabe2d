package mute_test

import (
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/mute"
)

var start = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

// speaker says one thing of each life with every message, and holds an agent that stops.
type speaker struct{ name string }

func (s speaker) Name() string { return s.name }

func (s speaker) Steer(t trimtab.Turn, heard int) (int, []trimtab.Action) {
	switch t.Event.(type) {
	case trimtab.Said:
		return heard + 1, []trimtab.Action{
			trimtab.Inject{Slot: "now", Text: s.name + " now", Life: trimtab.Once},
			trimtab.Inject{Slot: "stands", Text: s.name + " stands", Life: trimtab.Standing},
		}
	case trimtab.Stopping:
		return heard, []trimtab.Action{trimtab.Continue{Text: "go on"}, trimtab.Pause{Why: "circles"}, trimtab.Check{Command: "make"}}
	case trimtab.Using:
		return heard, []trimtab.Action{trimtab.Deny{Why: "read only"}}
	}
	return heard, nil
}

type played struct {
	*testing.T
	engine *trimtab.Engine
	s      trimtab.Session
}

func play(t *testing.T) *played {
	t.Helper()
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(speaker{"a"}), trimtab.Use(speaker{"b"}), trimtab.Use(mute.New("a", "b")))
	if err != nil {
		t.Fatal(err)
	}
	return &played{t, engine, trimtab.NewSession("s", start)}
}

func (p *played) do(ev trimtab.Event) trimtab.Outcome {
	p.Helper()
	s, out := p.engine.Step(p.s, ev, start)
	for _, f := range out.Faults {
		p.Error(f)
	}
	p.s = s
	return out
}

func (p *played) ask(command string, args ...string) trimtab.Reply {
	p.Helper()
	reply, err := p.do(trimtab.Asked{Command: command, Args: args}).Reply()
	if err != nil {
		p.Fatal(err)
	}
	return reply
}

// sent is what a request holds of ours, after another message was said.
func (p *played) sent() string {
	p.Helper()
	p.do(trimtab.Said{Message: trimtab.Say(trimtab.RoleUser, trimtab.Host, "more")})
	p.do(trimtab.Calling{})
	var texts []string
	for _, n := range p.s.Notes {
		if n.Seated() {
			texts = append(texts, n.Text)
		}
	}
	return strings.Join(texts, ", ")
}

func TestAMutedKindSaysNothing(t *testing.T) {
	p := play(t)
	if got := p.sent(); got != "a now, a stands, b now, b stands" {
		t.Fatalf("before: %s", got)
	}
	if r := p.ask("mute", "a"); r.Failed || string(r.Data) != `{"all":false,"kinds":["a"]}` {
		t.Errorf("%+v", r)
	}
	for range 3 {
		if got := p.sent(); got != "b now, b stands" {
			t.Errorf("with a muted: %s", got)
		}
	}
	if got := p.engine.Status(p.s); len(got) != 1 || got[0].Text != "muted: a" {
		t.Errorf("status %v", got)
	}
	p.ask("mute", "all")
	if got := p.sent(); got != "" {
		t.Errorf("paused: %s", got)
	}
	out := p.do(trimtab.Stopping{})
	if len(out.Actions) > 0 {
		t.Errorf("paused, and at a stop: %v", out.Actions)
	}
	if out := p.do(trimtab.Using{}); len(out.Actions) != 2 { // what a person chose to refuse stays refused
		t.Errorf("paused, and a tool: %v", out.Actions)
	}
	raw, err := p.s.Memory("a")
	if err != nil || string(raw) != "5" {
		t.Errorf("what is muted heard %s messages: %v", raw, err)
	}
	p.ask("unmute", "a")
	if got := p.sent(); got != "a now, a stands" { // b stays muted
		t.Errorf("a again: %s", got)
	}
	p.ask("unmute")
	if got := p.sent(); got != "a now, a stands, b now, b stands" {
		t.Errorf("all again: %s", got)
	}
	if out := p.do(trimtab.Stopping{}); len(out.Actions) != 6 {
		t.Errorf("at a stop: %v", out.Actions)
	}
}

// What was said before the mute and is for one request does not come out of its time.
func TestAMutedNoteIsNotSaidLater(t *testing.T) {
	p := play(t)
	p.do(trimtab.Said{Message: trimtab.Prompt("x")})
	p.ask("mute", "all")
	p.do(trimtab.Calling{})
	p.do(trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "y")})
	p.do(trimtab.Calling{})
	p.ask("unmute")
	p.do(trimtab.Calling{})
	for _, n := range p.s.Notes {
		if n.Slot == "now" {
			t.Errorf("%+v", n)
		}
	}
}

func TestOnlyAPersonMutes(t *testing.T) {
	for _, by := range []trimtab.Author{trimtab.Model, trimtab.Tool, trimtab.Host, trimtab.Ours, trimtab.Unvouched} {
		for _, c := range []trimtab.Asked{{Command: "mute", Args: []string{"all"}, By: by}, {Command: "unmute", By: by}, {Command: "unmute", Args: []string{"a"}, By: by}} {
			p := play(t)
			p.ask("mute", "a")
			reply, err := p.do(c).Reply()
			if err != nil || !reply.Failed || !strings.Contains(reply.Text, "only a person") {
				t.Errorf("%+v: %+v %v", c, reply, err)
			}
			if got := p.sent(); got != "b now, b stands" {
				t.Errorf("%+v did something: %s", c, got)
			}
		}
	}
	p := play(t)
	if r, err := p.do(trimtab.Asked{Command: "mute", By: trimtab.Model}).Reply(); err != nil || r.Failed { // to look is free
		t.Errorf("%+v %v", r, err)
	}
}

func TestBadInput(t *testing.T) {
	p := play(t)
	for _, args := range [][]string{{"no"}, {"a", "no"}, {""}, {strings.Repeat("x", 1<<16)}, {"mute"}, {"\x00"}} {
		if r := p.ask("mute", args...); !r.Failed || len(r.Text) > 200 {
			t.Errorf("%.40q: %+v", args, r)
		}
	}
	if r := p.ask("mute", "a", "a", "b", "a"); r.Failed || string(r.Data) != `{"all":false,"kinds":["a","b"]}` {
		t.Errorf("%+v", r)
	}
}
