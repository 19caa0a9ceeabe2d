package loop

import (
	"fmt"
	"slices"
	"testing"
)

// J8: a tool that fails three times whatever it was asked, a kind of command that fails five
// times with nothing new, the same question in other words, the same few steps once more.
func TestJ8_Families(t *testing.T) {
	var edits, builds, moving, rejected, queries, delegated, siblings, rounds []turn
	for i := range 6 {
		edits = append(edits, turn{"Edit", fmt.Sprintf(`{"file_path":"f%d.go","old_string":"x%d"}`, i, i), fmt.Sprintf("string x%d not found in f%d.go", i, i), true})
		builds = append(builds, turn{"Bash", fmt.Sprintf(`{"command":"npm run build -- --part %d"}`, i), fmt.Sprintf("Exit code 1\nerror: cannot find part %d of the puzzle", i), true})
		moving = append(moving,
			turn{"Edit", fmt.Sprintf(`{"file_path":"a.go","old_string":"a%d","new_string":"b"}`, i), fmt.Sprintf("updated %d", i), false},
			turn{"Bash", `{"command":"go build ./..."}`, fmt.Sprintf("Exit code 1\na.go:%d:2: undefined: name%c", i, 'a'+i), true})
		rejected = append(rejected, turn{"Bash", fmt.Sprintf(`{"command":"rm -r part%d"}`, i), "The user doesn't want to proceed with this tool use.", true})
		queries = append(queries, turn{"WebSearch", fmt.Sprintf(`{"query":"golang sqlite wal checkpoint %s"}`, []string{"slow", "latency", "stall", "delay", "pause", "wait"}[i]), fmt.Sprintf("ten results about number %d and others of that sort", i), false})
		delegated = append(delegated, turn{"Task", fmt.Sprintf(`{"prompt":"look at package number%d and describe its %s"}`, i, []string{"types", "tests", "errors", "limits", "callers", "names"}[i]), fmt.Sprintf("report %d about something of its own", i), false})
		siblings = append(siblings, turn{"Read", fmt.Sprintf(`{"file_path":"pkg/handler_%d.go"}`, i), fmt.Sprintf("file %d with its own text in it", i), false})
	}
	for i := range 2 {
		for j, name := range []string{"get_user", "get_order", "cancel_order"} {
			rounds = append(rounds, turn{name, fmt.Sprintf(`{"id":%d}`, j), fmt.Sprintf("state %d at time %d of another kind %d", j, i, i*7), false})
		}
	}
	for name, c := range map[string]struct {
		turns []turn
		want  []int
	}{
		"one tool":              {edits, []int{3, 6}},
		"one kind of command":   {builds, []int{5}},
		"work that goes on":     {moving, nil},
		"a person's no":         {rejected, nil},
		"the same question":     {queries, []int{3, 6}},
		"different questions":   {delegated, nil},
		"files side by side":    {siblings, nil},
		"the same steps, twice": {rounds, []int{6}},
	} {
		if got := steps(Start(defaultProgress()), session(c.turns...)); !slices.Equal(got, c.want) {
			t.Errorf("%s: fired at %v, want %v", name, got, c.want)
		}
	}
}

func TestJ8_TheSameFailingCommand(t *testing.T) {
	got := steps(Start(defaultProgress()), session(slices.Repeat([]turn{{"Bash", `{"command":"go test ./..."}`, "Exit code 1\n--- FAIL: TestTotal (0.00s)\n    cart_test.go:31: total = 90, want 100", true}}, 25)...))
	if len(got) < 2 || got[0] > 4 || got[1] > 7 {
		t.Errorf("fired at %v, want the first by the 4th and the second by the 7th", got)
	}
}
