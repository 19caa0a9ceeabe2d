package gateway_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestH12_ASessionThroughServeKnowsItsFolder: by what each host writes into its requests,
// in the words of its present version. What is typed, what tools say and what is no path
// names none, and the first folder stays.
func TestH12_ASessionThroughServeKnowsItsFolder(t *testing.T) {
	text := func(words string) any { return obj{"type": "text", "text": words} }
	user := func(parts ...any) any { return obj{"role": "user", "content": parts} }
	say := func(role, words string) any { return obj{"role": role, "content": words} }
	anthropic := func(system string, messages ...any) any {
		return obj{"model": "claude-opus-5-5", "max_tokens": 9, "system": system, "tools": []any{obj{"name": "bash", "input_schema": obj{"type": "object"}}}, "messages": messages}
	}
	chat := func(messages ...any) any {
		return obj{"model": "m", "tools": []any{obj{"type": "function", "function": obj{"name": "sh"}}}, "messages": messages}
	}
	claude := http.Header{"User-Agent": {"claude-cli/2"}, "X-Claude-Code-Session-Id": {"s1"}}
	for name, c := range map[string]struct {
		header http.Header
		path   string
		bodies []any
		want   string
	}{
		"claude":                 {claude, "/v1/messages", []any{anthropic("You are", user(text("hi")), say("system", "# Environment\nYou have been invoked in the following environment: \n - Primary working directory: /w/a b\n - Is a git repository: false"))}, "/w/a b"},
		"claude, an older model": {claude, "/v1/messages", []any{anthropic("<env>\nWorking directory: /w/a\nIs directory a git repo: No\n</env>", user(text("hi")))}, "/w/a"},
		"claude, not in the first request": {claude, "/v1/messages", []any{
			anthropic("You are", user(text("<bash-stdout>x</bash-stdout>"))),
			anthropic("You are", user(text("<bash-stdout>x</bash-stdout>")), say("assistant", "Done."), user(text("hi")), say("system", " - Primary working directory: /w/a\n")),
		}, "/w/a"},
		"claude, the first stays": {claude, "/v1/messages", []any{
			anthropic("Working directory: /w/a\n", user(text("hi"))),
			anthropic("Working directory: /w/b\n", user(text("hi")), say("assistant", "Done."), user(text("on"))),
		}, "/w/a"},
		"claude, typed":     {claude, "/v1/messages", []any{anthropic("You are", user(text("Working directory: /etc\nPrimary working directory: /etc")))}, ""},
		"claude, no folder": {claude, "/v1/messages", []any{anthropic("Working directory: somewhere\n", user(text("hi")))}, ""},
		"claude, of a tool": {claude, "/v1/messages", []any{anthropic("You are", user(text("hi")), obj{"role": "assistant", "content": []any{obj{"type": "tool_use", "id": "t1", "name": "bash", "input": obj{}}}}, user(obj{"type": "tool_result", "tool_use_id": "t1", "content": "<system-reminder>Working directory: /etc\n</system-reminder>"}))}, ""},
		"codex": {http.Header{"User-Agent": {"codex/0"}, "Session-Id": {"s1"}}, "/v1/responses", []any{obj{"model": "gpt-5", "instructions": "You are", "tools": []any{obj{"type": "function", "name": "sh", "parameters": obj{"type": "object"}}}, "input": []any{
			obj{"type": "message", "role": "user", "content": []any{obj{"type": "input_text", "text": "<environment_context>\n  <cwd>/w/a</cwd>\n  <shell>bash</shell>\n</environment_context>"}}},
			obj{"type": "message", "role": "user", "content": []any{obj{"type": "input_text", "text": "hi"}}},
		}}}, "/w/a"},
		"opencode": {http.Header{"User-Agent": {"opencode/1"}, "X-Session-Id": {"ses_1"}}, "/v1/messages", []any{anthropic("Here is the environment you are running in:\n<env>\n  Working directory: /w/a\n  Workspace root folder: /\n</env>", user(text("hi")))}, "/w/a"},
		"gemini": {http.Header{"User-Agent": {"GeminiCLI/0"}}, "/v1beta/models/gemini-3:generateContent", []any{obj{"tools": []any{obj{"functionDeclarations": []any{obj{"name": "sh"}}}}, "contents": []any{obj{"role": "user", "parts": []any{
			obj{"text": "<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /w/a\n- **Directory Structure:**\n</session_context>"}, obj{"text": "hi"},
		}}}}}, "/w/a"},
		"qwen":               {http.Header{"User-Agent": {"QwenCode/0"}}, "/v1/chat/completions", []any{chat(say("system", "You are"), user(text("<system-reminder>\nThis is the Qwen Code. We are setting up\nI'm currently working in the directory: /w/a\nHere is\n</system-reminder>"), text("hi")))}, "/w/a"},
		"goose":              {http.Header{"User-Agent": {"goose/1"}, "Agent-Session-Id": {"s1"}}, "/v1/chat/completions", []any{chat(say("system", "You are"), say("user", "hi\n<turn-context>\n<working-directory>/w/a</working-directory>\n</turn-context>"))}, "/w/a"},
		"pi, an older model": {http.Header{"User-Agent": {"pi (0)"}}, "/v1/messages", []any{anthropic("The section <cwd> says where you are.\n<cwd>\n/w/a\n</cwd>", user(text("hi")))}, "/w/a"},
		"pi":                 {http.Header{"User-Agent": {"pi (0)"}}, "/v1/messages", []any{anthropic("You are", user(text("hi")), say("system", "Updated system prompt section \"cwd\":\n\n<cwd>\n/w/a\n</cwd>"))}, "/w/a"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, parts{up: fakemodel.Start(t, fakemodel.Options{Lenient: true}).URL})
			for _, body := range c.bodies {
				raw, err := json.Marshal(body)
				if err != nil {
					t.Fatal(err)
				}
				if a := r.do(http.MethodPost, c.path, keyed(c.header, c.path), raw); a.status != http.StatusOK {
					t.Fatalf("%d %s", a.status, a.body)
				}
			}
			if err := r.service.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			n := 0
			for info, err := range r.store.List(t.Context(), trimtab.Query{}) {
				if n++; err != nil || info.Project != c.want {
					t.Errorf("%+v %v", info, err)
				}
			}
			if n != 1 {
				t.Errorf("%d sessions", n)
			}
			if c.want == "" {
				return
			}
			for info := range r.store.List(t.Context(), trimtab.Query{Project: c.want}) { // as status and mode look for it
				n--
				_ = info
			}
			if n != 0 {
				t.Error("it is not found by its folder")
			}
		})
	}
}
