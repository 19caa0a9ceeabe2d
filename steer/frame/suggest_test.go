package frame

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
)

// keen suggests a push for each new topic.
func keen(level string) Autonomy {
	return Autonomy{Level: level, Timing: "steps", Push: new(50), Confidence: "max", Heuristics: []string{"context_switch"}, InContext: new(true)}
}

func TestF11_PendingForFiveMinutesThenIgnored(t *testing.T) {
	h := newHost(t, Config{}, keen("suggest")).prompt("build a parser").reply("ok").prompt("translate the manual").step(trimtab.Calling{})
	if m := h.memory(); m.Stats.Total != 1 || m.Suggestions[0].State != pending {
		t.Fatalf("%+v", m.Suggestions)
	}
	h.now = h.memory().Suggestions[0].At.Add(pendingFor - 2*time.Second) // step adds one
	if h.step(trimtab.Calling{}); h.memory().Suggestions[0].State != pending {
		t.Fatalf("before five minutes: %+v", h.memory().Suggestions)
	}
	h.now = h.memory().Suggestions[0].At.Add(pendingFor - time.Second)
	h.step(trimtab.Calling{})
	m := h.memory()
	if m.Suggestions[0].State != ignored || m.Stats.Ignored != 1 {
		t.Errorf("after five minutes: %+v, %+v", m.Suggestions, m.Stats)
	}
}

func TestF11_OnePendingPerKindAndFrame(t *testing.T) {
	h := newHost(t, Config{}, keen("suggest")).prompt("build a parser").reply("ok").prompt("translate the manual")
	for range 20 {
		h.reply("hm").step(trimtab.Calling{})
	}
	if m := h.memory(); m.Stats.Total != 1 || len(h.s.Notes) != 1 {
		t.Errorf("%+v, %d notes", m.Stats, len(h.s.Notes))
	}
}

func TestF11_ARetryEvaluatesNothingAnew(t *testing.T) {
	h := newHost(t, Config{}, keen("auto")).prompt("build a parser").reply("ok").prompt("translate the manual").step(trimtab.Calling{})
	frames := len(h.memory().Frames)
	for range 5 {
		h.step(trimtab.Calling{})
	}
	if got := len(h.memory().Frames); got != frames || frames != 2 {
		t.Errorf("%d frames after retries, %d before", got, frames)
	}
}

func TestF11_ASubAgentGetsNone(t *testing.T) {
	h := newHost(t, Config{}, keen("auto"))
	h.s.Parent = "main"
	h.prompt("build a parser").reply("ok").prompt("translate the manual").step(trimtab.Calling{})
	if m := h.memory(); len(m.Frames) != 1 || m.Stats.Total != 0 {
		t.Errorf("%+v", m)
	}
}

func TestF12_HistoryKeepsAHundred(t *testing.T) {
	h := newHost(t, Config{}, keen("suggest")).prompt("build a parser").reply("ok")
	for i := range 130 {
		h.prompt(fmt.Sprintf("topic%d", i)).step(trimtab.Calling{})
		h.step(trimtab.Asked{Command: "push", Args: []string{"a"}}).step(trimtab.Asked{Command: "pop"})
	}
	h.step(trimtab.Resumed{})
	m := h.memory()
	if len(m.Suggestions) != 100 || m.Stats.Total != 130 || m.Stats.Push != 130 || m.Stats.Acted != 130 {
		t.Errorf("%d kept, %+v", len(m.Suggestions), m.Stats)
	}
}

func TestF13_WhatWasUndoneIsNotDoneAgain(t *testing.T) {
	h := newHost(t, Config{}, keen("auto")).prompt("build a parser").reply("ok").prompt("translate the manual").step(trimtab.Calling{})
	if m := h.memory(); m.Active != "f2" || m.Frames[1].By != "auto" || m.Stats.AutoPush != 1 {
		t.Fatalf("%+v", m)
	}
	h.do("undo")
	for range 3 {
		h.prompt("write the songs").reply("hm").step(trimtab.Calling{})
	}
	if m := h.memory(); m.Active != "f1" || m.Stats.AutoPush != 1 || len(m.Frames) != 1 {
		t.Errorf("%+v", m.Frames)
	}
}

func TestF13_ItIsAnnouncedToThePerson(t *testing.T) {
	h := newHost(t, Config{}, keen("auto")).prompt("build a parser").reply("ok").prompt("translate the manual").step(trimtab.Calling{})
	for _, a := range h.out.Actions {
		if n, ok := a.Action.(trimtab.Notify); ok && strings.Contains(n.Text, "pushed frame f2") && strings.Contains(n.Text, "undo") {
			return
		}
	}
	t.Errorf("%+v", h.out.Actions)
}

func TestAModelThatChangesTheSettingsIsTold(t *testing.T) {
	h := newHost(t, Config{}, Autonomy{}).step(trimtab.Asked{Command: "frame", Args: []string{"autonomy", "level=auto"}, By: trimtab.Model})
	if n, ok := h.out.Actions[0].Action.(trimtab.Notify); !ok || !strings.Contains(n.Text, "level=auto") {
		t.Errorf("%+v", h.out.Actions)
	}
}
