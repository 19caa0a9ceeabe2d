package replay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay"
)

// speaker holds every agent back that stops, and pauses and tells the person of every prompt.
type speaker struct{}

func (speaker) Name() string { return "speaker" }

func (speaker) Steer(t trimtab.Turn, _ struct{}) (struct{}, []trimtab.Action) {
	switch ev := t.Event.(type) {
	case trimtab.Stopping:
		return struct{}{}, []trimtab.Action{trimtab.Continue{Text: "go on", Why: "it stopped"}}
	case trimtab.Said:
		if ev.Message.IsPrompt() {
			return struct{}{}, []trimtab.Action{trimtab.Pause{Why: "a prompt"}, trimtab.Notify{Text: "a \x1b[2Jprompt"}}
		}
	}
	return struct{}{}, nil
}

func spoken(t *testing.T, events ...trimtab.Event) replay.Report {
	t.Helper()
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(speaker{}))
	if err != nil {
		t.Fatal(err)
	}
	rep, err := replay.Run(engine, trimtab.Info{ID: "s", Created: start}, func(yield func(trimtab.Event, error) bool) {
		for _, ev := range events {
			if !yield(ev, nil) {
				return
			}
		}
	}, replay.Prices{})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func steps(rep replay.Report, kind replay.SpokenKind) (all []int) {
	for _, s := range rep.Spoken {
		if s.Kind == kind {
			all = append(all, s.Step)
		}
	}
	return all
}

func TestEverythingThatIsSaidIsListed(t *testing.T) {
	prompt := trimtab.Said{Message: trimtab.Prompt("do it")}
	reply := func(text string, calls ...trimtab.Part) trimtab.Event {
		return trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: append([]trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model}}, calls...)}}
	}
	result := trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "a", Text: "ok"}}}}
	host := func(text string) trimtab.Event {
		return trimtab.Said{Message: trimtab.Say(trimtab.RoleUser, trimtab.Host, text)}
	}
	rep := spoken(t,
		prompt, reply("look", trimtab.ToolCall{ID: "a", Name: "bash"}), result, reply("done"), // step 2: a turn ends
		prompt, reply("one"), reply("two"), // step 4: it ends with the second half of the reply only
		host("<command-name>/exit</command-name>"), prompt, reply("halfway"), host("[Request interrupted by user]"), // step 5: broken off
		prompt, reply("last")) // step 6: the recording ends
	if got, want := steps(rep, replay.Continued), []int{2, 4, 6}; !slices.Equal(got, want) {
		t.Errorf("the agent stopped at %v, want %v", got, want)
	}
	for _, kind := range []replay.SpokenKind{replay.Paused, replay.Noticed} {
		if got, want := steps(rep, kind), []int{0, 2, 4, 5}; !slices.Equal(got, want) {
			t.Errorf("%s at %v, want %v", kind, got, want)
		}
	}
	var b strings.Builder
	if err := replay.WriteReport(&b, "f", 0, rep); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"step 2     ! speaker continue: it stopped\n", "step 5     ! speaker pause: a prompt\n", "! speaker notice: a "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("%q", b.String())
	}
}
