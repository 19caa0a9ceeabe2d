package hookcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestR15_ThePlanOfCodexIsReadFromItsOwnFile: it calls no hook for update_plan.
func TestR15_ThePlanOfCodexIsReadFromItsOwnFile(t *testing.T) {
	line := func(kind, payload string) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-15T02:21:00.000Z","type":%q,"payload":%s}`+"\n", kind, payload)
	}
	plan := func(id, status string) string {
		return line("response_item", fmt.Sprintf(`{"type":"function_call","name":"update_plan","call_id":%q,"arguments":"{\"plan\":[{\"step\":\"one\",\"status\":\"%s\"}]}"}`, id, status)) +
			line("response_item", fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"Plan updated"}`, id))
	}
	meta := line("session_meta", `{"id":"s1","cwd":"/p","source":"exec"}`)
	filler := strings.Repeat(line("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"`+strings.Repeat("x", 1000)+`"}]}`), 1500)
	for name, c := range map[string]struct{ text, want string }{
		"none":             {meta, ""},
		"the newest":       {meta + plan("c1", "pending") + plan("c2", "completed"), "c2"},
		"in a long file":   {meta + plan("c1", "pending") + filler + plan("c2", "pending"), "c2"},
		"too long ago":     {meta + plan("c1", "pending") + filler, ""},
		"one not answered": {meta + plan("c1", "pending") + strings.SplitAfter(plan("c2", "completed"), "\n")[0], "c1"},
		"damaged":          {meta + plan("c1", "pending") + "{\n", "c1"},
	} {
		path := filepath.Join(t.TempDir(), "rollout.jsonl")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		call, ok := lastPlan(path)
		if call.ID != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v", name, call.ID, ok)
		}
	}
	if _, ok := lastPlan(t.TempDir()); ok {
		t.Error("a folder has a plan")
	}
}
