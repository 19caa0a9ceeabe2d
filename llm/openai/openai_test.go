package openai_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/client"
	"github.com/trimtab/trimtab/llm/openai"
)

type catcher struct{ body []byte }

func (c *catcher) RoundTrip(req *http.Request) (*http.Response, error) {
	c.body, _ = io.ReadAll(req.Body)
	return nil, errors.New("caught")
}

func sent(t *testing.T, opt openai.Options, r llm.Request) string {
	t.Helper()
	c := &catcher{}
	opt.Sender = client.New(client.Options{Carrier: c, Tries: 1})
	m, err := openai.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	for range m.Stream(t.Context(), r) { // only what was sent counts
	}
	return string(c.body)
}

func TestTheLimitHasTheNameThatTheServerKnows(t *testing.T) {
	r := llm.Request{Messages: []trimtab.Message{trimtab.Prompt("x")}, MaxTokens: 7}
	if got := sent(t, openai.Options{Model: "gpt-5"}, r); !strings.Contains(got, `"max_completion_tokens":7`) || strings.Contains(got, `"max_tokens"`) {
		t.Error(got)
	}
	if got := sent(t, openai.Options{Model: "q", URL: "http://127.0.0.1:1/v1"}, r); !strings.Contains(got, `"max_tokens":7`) || strings.Contains(got, "completion_tokens") {
		t.Error(got)
	}
}

func TestANoteIsAUserMessageInItsPlace(t *testing.T) {
	note := trimtab.Message{Role: trimtab.RoleUser, From: "todo", Parts: []trimtab.Part{trimtab.Text{Text: "n1", By: trimtab.Ours}, trimtab.Text{Text: "n2", By: trimtab.Ours}}}
	got := sent(t, openai.Options{Model: "m"}, llm.Request{Messages: []trimtab.Message{trimtab.Prompt("a"), note, trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "b"), trimtab.Prompt("c")}})
	want := `[{"role":"user","content":"a"},{"role":"user","content":"n1\n\nn2"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]`
	if !strings.Contains(got, want) {
		t.Errorf("%s\nlacks\n%s", got, want)
	}
}

// Servers that think want it back while a turn goes on, and some refuse it later.
func TestReasoningGoesBackWithinTheTurnOnly(t *testing.T) {
	thinks := func(text string) trimtab.Message {
		raw, _ := json.Marshal(text)
		return trimtab.Message{Role: trimtab.RoleAssistant, Model: "openai/m", Parts: []trimtab.Part{
			trimtab.Opaque{Kind: "reasoning_content", By: trimtab.Model, Raw: raw}, trimtab.ToolCall{ID: text, Name: "read"},
		}}
	}
	result := func(id string) trimtab.Message {
		return trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: "r"}}}
	}
	note := trimtab.Message{Role: trimtab.RoleUser, From: "todo", Parts: []trimtab.Part{trimtab.Text{Text: "n", By: trimtab.Ours}}}
	got := sent(t, openai.Options{Model: "m"}, llm.Request{Messages: []trimtab.Message{
		trimtab.Prompt("a"), thinks("old"), result("old"), trimtab.Prompt("b"), thinks("new"), result("new"), note,
	}})
	if strings.Contains(got, `"reasoning_content":"old"`) || !strings.Contains(got, `"reasoning_content":"new"`) {
		t.Error(got)
	}
}

func TestOllamaBase(t *testing.T) {
	for in, want := range map[string]string{
		"": "http://127.0.0.1:11434", "0.0.0.0": "http://127.0.0.1:11434", ":8000": "http://127.0.0.1:8000", "box": "http://box:11434", "box:9": "http://box:9",
		"https://o.example": "https://o.example:443", "http://o.example": "http://o.example:80", "http://o.example:7/sub/": "http://o.example:7/sub", "'127.0.0.1:1'": "http://127.0.0.1:1", "[::]:5": "http://127.0.0.1:5", "[::1]:5": "http://[::1]:5",
	} {
		if got, err := openai.OllamaBase(in); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"ftp://x", "http://user:pass@x", "a b\x7f"} {
		if got, err := openai.OllamaBase(in); err == nil {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func FuzzOllamaBase(f *testing.F) {
	for _, s := range []string{"", "0.0.0.0:1", "http://[::]", "://", "a/b:c", "%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, err := openai.OllamaBase(s); err == nil && !strings.HasPrefix(got, "http") {
			t.Errorf("%q: %q", s, got)
		}
	})
}

func TestOllamaTellsItsModels(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/tags" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		_, _ = io.WriteString(w, `{"models":[{"name":"qwen3:latest"},{"name":"llama3.2:1b"},{}]}`)
	}))
	t.Cleanup(server.Close)
	got, err := openai.Ollama(t.Context(), client.New(client.Options{}), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]client.Listed{{Name: "qwen3"}, {Name: "llama3.2:1b"}}, got); diff != "" {
		t.Error(diff)
	}
}
