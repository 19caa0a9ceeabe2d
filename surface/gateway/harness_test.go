package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/gateway"
)

// harness is a gateway between a strict model and a host that the test plays.
type harness struct {
	t       *testing.T
	model   *fakemodel.Server
	store   trimtab.Archive
	service *session.Service
	gate    *gateway.Gateway
	srv     *httptest.Server
	url     string
}

func newHarness(t *testing.T, cfg steer.Config, script fakemodel.Script) *harness {
	t.Helper()
	c := &harness{t: t, model: fakemodel.Start(t, fakemodel.Options{Script: script, ThinkByDefault: true}), store: memory.New()}
	c.open(cfg)
	return c
}

// open starts a gateway on the store: a second call is a restart.
func (c *harness) open(cfg steer.Config) {
	c.t.Helper()
	cfg.Todo.Timing, cfg.Guard.Enabled = "fixed", new(false) // notes at known steps; the models of these tests repeat themselves
	engine, err := steer.New(cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	c.service = session.New(engine, c.store, session.Options{Clock: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }})
	c.gate, err = gateway.New(gateway.Options{
		Service: c.service, History: c.store, Project: "project",
		Config: gateway.Config{Upstreams: map[string]string{"anthropic": c.model.URL, "openai": c.model.URL, "gemini": c.model.URL}},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.listen()
}

func (c *harness) listen() {
	c.srv = httptest.NewServer(c.gate)
	c.t.Cleanup(c.srv.Close)
	c.url = c.srv.URL
}

// settle waits for the replies under way and tells the last ones.
func (c *harness) settle() {
	c.srv.Close()
	c.gate.Flush(context.Background(), 0)
	if err := c.service.Flush(context.Background()); err != nil {
		c.t.Fatal(err)
	}
	c.listen()
}

// post sends a body and returns the reply. It must be one of success.
func (c *harness) post(path string, header http.Header, body []byte) []byte {
	c.t.Helper()
	status, reply := c.send(path, header, body)
	if status != http.StatusOK {
		c.t.Fatalf("%s: status %d: %s\nbody: %s", path, status, reply, body)
	}
	return reply
}

func (c *harness) send(path string, header http.Header, body []byte) (int, []byte) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for k, v := range header {
		r.Header[k] = v
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return reply.StatusCode, raw
}

// last is what the model received last, as lines.
func (c *harness) last() string {
	c.t.Helper()
	all := c.model.Main()
	if len(all) == 0 {
		c.t.Fatal("the model received nothing")
	}
	return all[len(all)-1].Transcript()
}

func (c *harness) session(id string) trimtab.Session {
	c.t.Helper()
	s, err := c.service.Session(context.Background(), id)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// host plays an agent: it owns its history and knows nothing of our notes.
type host struct {
	*harness
	path    string
	header  http.Header
	history []any
	// body makes a request of the history; take adds the reply to it, and the
	// results of its calls, and reports whether there were any.
	body func(history []any) any
	user func(text string) any
	take func(h *host, reply []byte) (called bool)
	edit func(raw []byte) []byte // of the request; may be nil
}

// say sends a prompt and works until the model has nothing to call.
func (h *host) say(text string) {
	h.t.Helper()
	h.history = append(h.history, h.user(text))
	for range 50 {
		if !h.take(h, h.post(h.path, h.header, h.raw())) {
			return
		}
	}
	h.t.Fatal("the model never stops")
}

func (h *host) raw() []byte {
	h.t.Helper()
	raw, err := json.Marshal(h.body(h.history))
	if err != nil {
		h.t.Fatal(err)
	}
	if h.edit != nil {
		raw = h.edit(raw)
	}
	return raw
}

type obj = map[string]any

func decode(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
}

var schema = obj{"type": "object", "properties": obj{"command": obj{"type": "string"}}, "required": []string{"command"}}

// hosts are the agents that the suite plays, by format.
func hosts(c *harness) map[string]*host {
	return map[string]*host{"anthropic": anthropicHost(c), "chat": chatHost(c), "responses": responsesHost(c), "gemini": geminiHost(c)}
}

func anthropicHost(c *harness) *host {
	return &host{
		harness: c, path: "/v1/messages",
		header: http.Header{"X-Api-Key": {"sk-test"}, "Anthropic-Version": {"2023-06-01"}, "X-Claude-Code-Session-Id": {"s1"}, "User-Agent": {"claude-cli/2.1.325 (external, cli)"}},
		user:   func(text string) any { return obj{"role": "user", "content": text} },
		body: func(history []any) any {
			return obj{"model": "claude-opus-5-5", "max_tokens": 100, "system": "You are an agent.", "messages": history, "tools": []any{obj{"name": "TodoWrite", "input_schema": schema}, obj{"name": "Bash", "input_schema": schema}}}
		},
		take: func(h *host, raw []byte) bool {
			var reply struct{ Content []obj }
			decode(h.t, raw, &reply)
			h.history = append(h.history, obj{"role": "assistant", "content": reply.Content})
			var results []any
			for _, b := range reply.Content {
				if b["type"] == "tool_use" {
					results = append(results, obj{"type": "tool_result", "tool_use_id": b["id"], "content": "ok"})
				}
			}
			if results != nil {
				h.history = append(h.history, obj{"role": "user", "content": results})
			}
			return results != nil
		},
	}
}

func chatHost(c *harness) *host {
	return &host{
		harness: c, path: "/s/s1/v1/chat/completions",
		header: http.Header{"Authorization": {"Bearer sk-test"}, "User-Agent": {"QwenCode/0.24.4 (linux; x64)"}},
		user:   func(text string) any { return obj{"role": "user", "content": text} },
		body: func(history []any) any {
			return obj{
				"model": "fake-model", "messages": append([]any{obj{"role": "system", "content": "You are an agent."}}, history...),
				"tools": []any{obj{"type": "function", "function": obj{"name": "todo_write", "parameters": schema}}, obj{"type": "function", "function": obj{"name": "run_shell_command", "parameters": schema}}},
			}
		},
		take: func(h *host, raw []byte) bool {
			var reply struct{ Choices []struct{ Message obj } }
			decode(h.t, raw, &reply)
			m := reply.Choices[0].Message
			h.history = append(h.history, m)
			calls, _ := m["tool_calls"].([]any)
			for _, call := range calls {
				h.history = append(h.history, obj{"role": "tool", "tool_call_id": call.(obj)["id"], "content": "ok"})
			}
			return len(calls) > 0
		},
	}
}

func responsesHost(c *harness) *host {
	return &host{
		harness: c, path: "/v1/responses",
		header: http.Header{"Authorization": {"Bearer sk-test"}, "Session-Id": {"s1"}, "Originator": {"codex_exec"}},
		user: func(text string) any {
			return obj{"type": "message", "role": "user", "content": []any{obj{"type": "input_text", "text": text}}}
		},
		body: func(history []any) any {
			return obj{
				"model": "gpt-5.5", "instructions": "You are an agent.", "input": history, "store": false,
				"tools": []any{obj{"type": "function", "name": "update_plan", "parameters": schema, "strict": false}, obj{"type": "function", "name": "exec_command", "parameters": schema, "strict": false}},
			}
		},
		take: func(h *host, raw []byte) bool {
			var reply struct{ Output []obj }
			decode(h.t, raw, &reply)
			called := false
			var results []any
			for _, item := range reply.Output {
				h.history = append(h.history, item)
				if item["type"] == "function_call" {
					called = true
					results = append(results, obj{"type": "function_call_output", "call_id": item["call_id"], "output": "ok"})
				}
			}
			h.history = append(h.history, results...)
			return called
		},
	}
}

func geminiHost(c *harness) *host {
	return &host{
		harness: c, path: "/s/s1/v1beta/models/gemini-3.1-pro-preview:generateContent",
		header: http.Header{"X-Goog-Api-Key": {"sk-test"}, "User-Agent": {"GeminiCLI/0.61.0/x (linux; x64)"}},
		user:   func(text string) any { return obj{"role": "user", "parts": []any{obj{"text": text}}} },
		body: func(history []any) any {
			return obj{
				"contents": history, "systemInstruction": obj{"role": "user", "parts": []any{obj{"text": "You are an agent."}}},
				"tools": []any{obj{"functionDeclarations": []any{obj{"name": "write_todos", "parametersJsonSchema": schema}, obj{"name": "run_shell_command", "parametersJsonSchema": schema}}}},
			}
		},
		take: func(h *host, raw []byte) bool {
			var reply struct {
				Candidates []struct{ Content obj }
			}
			decode(h.t, raw, &reply)
			content := reply.Candidates[0].Content
			h.history = append(h.history, content)
			var results []any
			parts, _ := content["parts"].([]any)
			for _, p := range parts {
				if call, ok := p.(obj)["functionCall"].(obj); ok {
					results = append(results, obj{"functionResponse": obj{"id": call["id"], "name": call["name"], "response": obj{"output": "ok"}}})
				}
			}
			if results != nil {
				h.history = append(h.history, obj{"role": "user", "parts": results})
			}
			return results != nil
		},
	}
}

// idOf is the session that a format's host ends up with.
var idOf = map[string]string{"anthropic": "claude:s1", "chat": "s1", "responses": "codex:s1", "gemini": "s1"}

// count is how often a text stands in another.
func count(text, word string) int { return strings.Count(text, word) }
