package gemini_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/client"
	"github.com/trimtab/trimtab/llm/gemini"
)

type catcher struct {
	url  string
	body []byte
}

func (c *catcher) RoundTrip(req *http.Request) (*http.Response, error) {
	c.url = req.URL.String()
	c.body, _ = io.ReadAll(req.Body)
	return nil, errors.New("caught")
}

func sent(t *testing.T, model string, messages ...trimtab.Message) (body, url string) {
	t.Helper()
	c := &catcher{}
	m, err := gemini.New(gemini.Options{Model: model, Sender: client.New(client.Options{Carrier: c, Tries: 1})})
	if err != nil {
		t.Fatal(err)
	}
	for range m.Stream(t.Context(), llm.Request{Messages: messages}) { // only what was sent counts
	}
	return string(c.body), c.url
}

func loop(model string, parts ...trimtab.Part) []trimtab.Message {
	return []trimtab.Message{
		trimtab.Prompt("x"),
		{Role: trimtab.RoleAssistant, Model: model, Parts: append(parts, trimtab.ToolCall{ID: "read", Name: "read"}, trimtab.ToolCall{ID: "c2", Name: "read"})},
		{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "read", Text: "one"}, trimtab.ToolResult{ID: "c2", Text: "two", Failed: true}}},
	}
}

func TestASignatureGoesBackOnItsPart(t *testing.T) {
	sign := trimtab.Opaque{Kind: "thoughtSignature", By: trimtab.Model, Raw: json.RawMessage(`{"thoughtSignature":"c2ln"}`)}
	thought := trimtab.Opaque{Kind: "thought", By: trimtab.Model, Raw: json.RawMessage(`{"thought":true,"text":"hm"}`)}
	body, url := sent(t, "gemini-3.1-pro-preview", loop("gemini/gemini-3.1-pro-preview", thought, sign)...)
	for _, want := range []string{
		`{"thought":true,"text":"hm"},{"functionCall":{"name":"read","args":{}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"c2","name":"read","args":{}}}`,
		`{"functionResponse":{"name":"read","response":{"output":"one"}}},{"functionResponse":{"id":"c2","name":"read","response":{"error":"two"}}}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s\nlacks\n%s", body, want)
		}
	}
	if !strings.HasSuffix(url, "/v1beta/models/gemini-3.1-pro-preview:streamGenerateContent?alt=sse") {
		t.Error(url)
	}
}

// Newer models refuse a call without a signature, and one of another model has none.
func TestACallOfAnotherModelIsMarkedAsUnsigned(t *testing.T) {
	body, _ := sent(t, "gemini-3.1-pro-preview", loop("demo")...)
	if strings.Count(body, "skip_thought_signature_validator") != 1 {
		t.Error(body)
	}
	body, _ = sent(t, "gemini-2.5-pro", loop("demo")...)
	if strings.Contains(body, "thoughtSignature") {
		t.Error(body)
	}
}

func TestThoughtsAreAskedForWhereThereAreAny(t *testing.T) {
	for model, want := range map[string]bool{"gemini-2.5-flash": true, "gemini-3-flash-preview": true, "gemini-10.1-pro": true, "gemini-2.0-flash": false, "gemma-3": false} {
		body, _ := sent(t, model, trimtab.Prompt("x"))
		if got := strings.Contains(body, `"includeThoughts":true`); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}
