package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestSeed000_14_OneReflectionInOtherAgentsRequests, with the settings as they come: a
// new reflection takes the place of the old one, the reminder stands before it, and a
// todo write takes both away from what the model reads.
func TestSeed000_14_OneReflectionInOtherAgentsRequests(t *testing.T) {
	var calls []fakemodel.Call
	for i := range 17 {
		calls = append(calls, fakemodel.Run(fmt.Sprintf("echo %d", i)))
	}
	list := fakemodel.Call{Name: "todowrite", Input: json.RawMessage(`{"todos":[{"content":"mend the parser","status":"in_progress"}]}`)}
	calls = append(calls, list, fakemodel.Run("echo 18"))
	each(t, fakemodel.ToolThenText("All done.", calls...), func(t *testing.T, c *harness, h *host, id string) {
		h.say("automata: tidy this")
		all := c.model.Main()
		if len(all) != len(calls)+1 {
			t.Fatalf("%d requests, want %d", len(all), len(calls)+1)
		}
		for i, r := range all {
			got := seen(r)
			todo, look := strings.Index(got, "no todo list has been written"), strings.Index(got, "Time to look up")
			notes := 0
			if i >= 8 && i < 18 {
				notes = 1
			}
			if count(got, "Time to look up") != notes || count(got, "no todo list has been written") != notes || look < todo {
				t.Fatalf("request %d: not %d of each, in order:\n%s", i+1, notes, got)
			}
		}
	})
}
