package steer_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
)

// Careful asks for a test before the first push of a session. All that it knows
// comes in the Turn and its memory, here a bool: whether it has spoken.
type Careful struct{}

func (Careful) Name() string { return "careful" }

func (Careful) Steer(t trimtab.Turn, spoken bool) (bool, []trimtab.Action) {
	use, ok := t.Event.(trimtab.Using)
	if !ok || spoken || !strings.Contains(string(use.Call.Input), "git push") {
		return spoken, nil
	}
	return true, []trimtab.Action{trimtab.Deny{Why: "run the tests before you push"}}
}

// An intervention of one's own joins the built-in ones.
func ExampleWith() {
	engine, err := steer.New(steer.Config{}, steer.With(trimtab.Use(Careful{})))
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	s := trimtab.NewSession("demo", now)
	push := trimtab.Using{Call: trimtab.ToolCall{ID: "c1", Name: "bash", Input: []byte(`{"command":"git push"}`)}}
	for range 2 {
		var out trimtab.Outcome
		s, out = engine.Step(s, push, now)
		fmt.Println(len(out.Actions), "actions")
		for _, a := range out.Actions {
			fmt.Printf("%s: %+v\n", a.By, a.Action)
		}
	}
	// Output:
	// 1 actions
	// careful: {Why:run the tests before you push}
	// 0 actions
}
