package steer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
)

// own is an intervention of somebody else: it greets before the first request and
// answers its commands.
type own struct {
	name     string
	commands []string
}

func (o own) Name() string { return o.name }

func (o own) Commands() (all []trimtab.Command) {
	for _, name := range o.commands {
		all = append(all, trimtab.Command{Name: name})
	}
	return all
}

func (o own) Steer(t trimtab.Turn, greeted bool) (bool, []trimtab.Action) {
	switch t.Event.(type) {
	case trimtab.Asked:
		return greeted, []trimtab.Action{trimtab.Reply{Text: "answered by " + o.name}}
	case trimtab.Calling:
		if !greeted {
			return true, []trimtab.Action{trimtab.Inject{Slot: "greeting", Place: trimtab.BeforePrompt, Life: trimtab.Kept, Text: "a note of " + o.name, Why: "the first request"}}
		}
	}
	return greeted, nil
}

func TestAnInterventionOfOnesOwnStandsWhereItWasPut(t *testing.T) {
	for name, c := range map[string]struct {
		opt  steer.Option
		want string
	}{
		"With is behind mode":      {steer.With(trimtab.Use(own{name: "mine"})), "mode+mine"},
		"Before is in front of it": {steer.Before("mode", trimtab.Use(own{name: "mine"})), "mine+mode"},
	} {
		t.Run(name, func(t *testing.T) {
			engine, err := steer.New(steer.Config{}, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
			s := trimtab.NewSession("s", now)
			prompt := trimtab.Prompt("tidy this up")
			prompt.ID = "m1"
			for _, ev := range []trimtab.Event{trimtab.Asked{Command: "mode", Args: []string{"planning"}}, trimtab.Said{Message: prompt}, trimtab.Calling{}} {
				s, _ = engine.Step(s, ev, now)
			}
			var from []string
			for _, m := range s.View([]trimtab.Message{prompt}) {
				from = append(from, m.From)
			}
			if got := strings.Trim(strings.Join(from, "+"), "+"); strings.ReplaceAll(got, "++", "+") != c.want {
				t.Errorf("notes of %q, not %q", got, c.want)
			}
		})
	}
}

func TestAnOwnCommandIsAnswered(t *testing.T) {
	engine, err := steer.New(steer.Config{}, steer.With(trimtab.Use(own{name: "mine", commands: []string{"greet"}})))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	_, out := engine.Step(trimtab.NewSession("s", now), trimtab.Asked{Command: "greet"}, now)
	if r, err := out.Reply(); err != nil || r.Text != "answered by mine" {
		t.Errorf("%q, %v", r.Text, err)
	}
}

func TestWhatCannotJoinTheLineupIsRefused(t *testing.T) {
	for want, opt := range map[string]steer.Option{
		`two interventions are called "todo"`:                  steer.With(trimtab.Use(own{name: "todo"})),
		`todo and mine both answer the command "todo"`:         steer.With(trimtab.Use(own{name: "mine", commands: []string{"todo"}})),
		`mine: the command "quit" is the chat's own`:           steer.With(trimtab.Use(own{name: "mine", commands: []string{"greet", "quit"}})),
		`no intervention may be called "engine"`:               steer.With(trimtab.Use(own{name: "engine"})),
		`an intervention has no name`:                          steer.With(trimtab.Use(own{})),
		`steer.With: an intervention is nil`:                   steer.With(nil),
		`no intervention is called "tod"; there are frame, mo`: steer.Before("tod", trimtab.Use(own{name: "mine"})),
	} {
		if _, err := steer.New(steer.Config{}, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, where it should say: %s", err, want)
		}
	}
}
