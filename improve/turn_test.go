package improve_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

// rejectedSession is one in which the person says no to a push, after many messages.
func rejectedSession(before int) []trimtab.Message {
	all := []trimtab.Message{trimtab.Say(trimtab.RoleUser, trimtab.Person, "publish the page, hunter2")}
	for i := range before {
		id := fmt.Sprint("c", i)
		all = append(all,
			trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: "Read", Input: []byte(fmt.Sprintf(`{"file_path": "page%d"}`, i))}}},
			trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: strings.Repeat("words ", 200)}}})
	}
	return append(all,
		trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "Now I push it."),
		trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "push", Name: "Bash", Input: []byte(`{"command": "git push origin main"}`)}}},
		trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: "push", Failed: true, Text: "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnever push, hunter2"}}})
}

// TestR21_TheTurnsOfAPatternAreFoundAgain: by the ids that its samples name, with what
// was said before them, redacted and bounded; what the agent announced in the same reply
// is no part of the history, or it would tell the answer.
func TestR21_TheTurnsOfAPatternAreFoundAgain(t *testing.T) {
	redact := func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
	for _, before := range []int{0, 3, 500} {
		session := rejectedSession(before)
		r, err := improve.NewReflector(improve.Options{Session: "s1", Redact: redact})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range session {
			r.See(m)
		}
		result, _ := r.Result(time.Now())
		var pattern improve.Pattern
		for _, p := range append(result.Patterns, result.Faint...) {
			if p.Type == improve.SaidNo {
				pattern = p
			}
		}
		if len(pattern.Samples) == 0 {
			t.Fatalf("no rejection among %d patterns", len(result.Patterns))
		}
		turns := improve.NewTurns(pattern, "s1", redact)
		other := improve.NewTurns(pattern, "s2", redact)
		for _, m := range session {
			turns.See(m)
			other.See(m)
		}
		if len(other.Found()) != 0 {
			t.Error("a turn of another session")
		}
		found := turns.Found()
		if len(found) != 1 {
			t.Fatalf("%d turns", len(found))
		}
		got := found[0]
		if got.Call != (improve.Call{Tool: "Bash", About: "git push origin main", Runs: true}) || got.Reason != "never push, [redacted]" || !strings.Contains(got.Did, "Now I push it.") {
			t.Errorf("%+v", got)
		}
		size := 0
		for _, h := range got.History {
			size += len(h.Text)
			if strings.Contains(h.Text, "hunter2") || strings.Contains(h.Text, "Now I push") {
				t.Errorf("in the history: %q", h.Text)
			}
		}
		if first := got.History[0]; first.By != "person" || first.Text != "publish the page, [redacted]" || size > 14<<10 {
			t.Errorf("%d bytes, the first: %+v", size, first)
		}
	}
}

func TestR21_TheFindingDecidesTheKind(t *testing.T) {
	for kind, want := range map[string]improve.Kind{
		improve.SaidNo: improve.Guidance, improve.GuessedPath: improve.Guidance, improve.LintRule: improve.Guidance, improve.SameCorrection: improve.Guidance,
		improve.ErrorPatterns: improve.Code, improve.RepeatedTool: improve.Code, "": improve.Code,
	} {
		if got := improve.KindOf(improve.Pattern{Type: kind}); got != want {
			t.Errorf("%q: %s", kind, got)
		}
	}
	c := improve.Case{Pattern: improve.Pattern{Type: improve.SaidNo}, Kind: improve.Guidance, Turns: []improve.Turn{{Did: "x"}}}
	if r := c.Request(improve.Config{}); r.Kind != improve.Guidance || len(r.Turns) != 1 || !r.SecurityReview {
		t.Errorf("%+v", r)
	}
}

// TestR21_TheTurnOfALintRuleIsTheChange that broke it, not the run of the linter, nor a
// later note of what is to be done.
func TestR21_TheTurnOfALintRuleIsTheChange(t *testing.T) {
	call := func(id, tool, input string) trimtab.Message {
		return trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: tool, Input: []byte(input)}}}
	}
	result := func(id, text string) trimtab.Message {
		return trimtab.Message{ID: "r" + id, Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: text}}}
	}
	turns := improve.NewTurns(improve.Pattern{Type: improve.LintRule, Context: improve.Context{improve.KeyAbout: "errcheck"}, Samples: []improve.Sample{{Session: "s1", Message: "r4"}}}, "s1", strings.Clone)
	for _, m := range []trimtab.Message{
		trimtab.Prompt("close the file"),
		call("1", "Edit", `{"file_path": "/p/cmd/a.go", "new_string": "f.Close()"}`), result("1", "ok"),
		call("2", "Edit", `{"file_path": "/p/cmd/b.go", "new_string": "x"}`), result("2", "ok"),
		call("3", "TodoWrite", `{"todos": []}`), result("3", "ok"),
		call("4", "Bash", `{"command": "golangci-lint run"}`), result("4", "cmd/a.go:3:2: Error return value is not checked (errcheck)"),
	} {
		turns.See(m)
	}
	found := turns.Found()
	if len(found) != 1 || !strings.Contains(found[0].Did, "f.Close()") || len(found[0].History) != 1 {
		t.Errorf("%+v", found)
	}
}
