package cache

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/frame"
)

// A recording says how full the context was. Where frames are folded, it is not
// as full, and the heuristics must not believe it is.
func TestWhatIsFoldedIsNotCountedAgainstTheContext(t *testing.T) {
	frames, err := frame.New(frame.Config{Ancestors: "keep"}, frame.Autonomy{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(frames))
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	var events []trimtab.Event
	work := func(rounds int) {
		for range rounds {
			text := strings.Repeat("x", 4000)
			m := trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text)
			m.Usage = &trimtab.Usage{Input: 10, CacheRead: 16_000 + size/TokenBytes}
			events = append(events, trimtab.Said{Message: m})
			size += len(text)
		}
	}
	events = append(events, trimtab.Said{Message: trimtab.Prompt("build a parser")}, trimtab.Asked{Command: "frame", Args: []string{"push", "read tabs"}})
	work(40)
	events = append(events, trimtab.Asked{Command: "frame", Args: []string{"pop", "completed", "done"}})
	work(2)
	var seen []int
	Play{Engine: engine, Provider: Known()[0], Watch: func(s Step) {
		if said, ok := s.Event.(trimtab.Said); ok && said.Message.Usage != nil {
			seen = append(seen, said.Message.Usage.Context())
		}
	}}.Run(trimtab.Info{ID: "s", Created: begin}, events)
	if full, folded := seen[39], seen[41]; full != 16_010+39_000 || folded < 16_000 || folded > 18_000 {
		t.Errorf("the context holds %d tokens before the pop and %d behind it", full, folded)
	}
	if said, ok := events[len(events)-1].(trimtab.Said); !ok || said.Message.Usage.CacheRead < 50_000 {
		t.Error("the recording was changed: " + fmt.Sprint(events[len(events)-1]))
	}
}
