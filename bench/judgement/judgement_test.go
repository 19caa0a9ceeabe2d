package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/replay/judge"
)

type object = map[string]any

// recorded writes a session of eleven replies, of which all but the last call a tool.
func recorded(t *testing.T, dir, id string) {
	t.Helper()
	messages := []object{{"id": "p", "role": "user", "at": "2026-01-01T00:00:00Z", "content": []object{{"type": "text", "text": "do it", "by": "person"}}}}
	for i := range 10 {
		call := fmt.Sprintf("c%d", i)
		messages = append(messages,
			object{"id": "a" + call, "role": "assistant", "at": "2026-01-01T00:00:00Z", "content": []object{{"type": "tool_call", "id": call, "name": "bash", "input": object{"command": "ls " + call}}}},
			object{"id": "r" + call, "role": "tool", "at": "2026-01-01T00:00:00Z", "content": []object{{"type": "tool_result", "id": call, "text": "file " + call}}})
	}
	messages = append(messages, object{"id": "d", "role": "assistant", "at": "2026-01-01T00:00:00Z", "content": []object{{"type": "text", "text": "It is so.", "by": "model"}}})
	put(t, filepath.Join(dir, id+".json"), object{"sessionId": id, "host": "trimtab", "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z", "messages": messages, "modeState": object{"mode": "normal"}})
}

func put(t *testing.T, file string, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	recorded(t, filepath.Join(dir, "daily"), "a")
	put(t, filepath.Join(dir, "l.json"), object{"format": 1, "sessions": []object{{"session": "a", "steps": 11, "notes": []object{{"step": 8, "by": "todo", "slot": "reminder", "verdict": "annoying"}}, "moments": []object{{"kind": "loop", "step": 3}}}}})
	var out, errs strings.Builder
	args := []string{"-corpus", dir, "-labels", filepath.Join(dir, "l.json"), "-list", "-set", "todoReminder.timing=fixed"}
	if err := command(t.Context(), args, &out, &errs); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"daily: 1 session, 11 steps\n", "todo  1      9.1", "a step 3    missed      loop", "a step 8    annoying    todo (todo/reminder): 8 steps"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := command(t.Context(), append(args, "-json", "-set", "todoReminder.enabled=false"), &out, &errs); err != nil {
		t.Fatal(err)
	}
	var res judge.Result
	if err := json.Unmarshal([]byte(out.String()), &res); err != nil || len(res.Corpora) != 1 || len(res.Corpora[0].Said) != 0 {
		t.Errorf("%v: %s", err, out.String())
	}
	if err := command(t.Context(), append(args, "-set", "todoReminder.nosuch=1"), &out, &errs); err == nil {
		t.Error("a setting that does not exist was ignored")
	}
	if err := command(t.Context(), nil, &out, &errs); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("no corpus: %v", err)
	}
	if err := command(t.Context(), []string{"-corpus", t.TempDir(), "-labels", filepath.Join(dir, "l.json")}, &out, &errs); err == nil {
		t.Error("an empty folder was measured")
	}
}
