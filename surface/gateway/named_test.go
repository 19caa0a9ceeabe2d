package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/gateway"
)

// TestH9_ANamedUpstreamIsAskedAsTheClientWouldAskIt: the path behind the name is
// appended as it is to the base URL that the person has, queries stay, and whatever its
// end says the format is, it is steered.
func TestH9_ANamedUpstreamIsAskedAsTheClientWouldAskIt(t *testing.T) {
	type asked struct{ uri, body string }
	var got []asked
	up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, asked{r.URL.RequestURI(), string(body)})
	}))
	defer up.Close()
	named := map[string]string{"mine": up.URL + "/team/v1/", "claude": up.URL + "/llm", "login": up.URL + "/backend-api/codex"}
	opening := []trimtab.Event{trimtab.Asked{Command: "mode", Args: []string{"planning"}, Away: true}}
	r := newRig(t, parts{opening: opening, opt: gateway.Options{Named: named}})
	const (
		chat      = `{"model":"m","messages":[{"role":"user","content":"hello there"}],"tools":[{"type":"function","function":{"name":"t"}}]}`
		responses = `{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hello there"}]}],"tools":[{"type":"function","name":"t"}]}`
		messages  = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hello there"}],"tools":[{"name":"t"}]}`
	)
	for i, c := range []struct {
		path, body, want string
		steered          bool
	}{
		{"/u/mine/chat/completions?api-version=1", chat, "/team/v1/chat/completions?api-version=1", true},
		{"/s/one/u/mine/chat/completions", chat, "/team/v1/chat/completions", true},
		{"/u/mine/v1/models", "", "/team/v1/v1/models", false},
		{"/u/login/responses", responses, "/backend-api/codex/responses", true},
		{"/u/claude/v1/messages?beta=true", messages, "/llm/v1/messages?beta=true", true},
		{"/u/claude/v1/messages/count_tokens", messages, "/llm/v1/messages/count_tokens", false},
	} {
		got = nil
		method := http.MethodPost
		if c.body == "" {
			method = http.MethodGet
		}
		a := r.do(method, c.path, http.Header{"X-Trimtab-Session": {"s" + string(rune('a'+i))}}, []byte(c.body))
		if a.status != http.StatusOK || len(got) != 1 || got[0].uri != c.want {
			t.Fatalf("%s: %d, %v, want %s", c.path, a.status, got, c.want)
		}
		if steered := strings.Contains(got[0].body, "PLANNING MODE"); steered != c.steered {
			t.Errorf("%s: steered is %v: %s", c.path, steered, got[0].body)
		}
	}
	if a := r.do(http.MethodPost, "/u/nobody/chat/completions", nil, []byte(chat)); a.status != http.StatusNotFound {
		t.Errorf("a name that nobody gave: %d", a.status)
	}
	if _, err := gateway.New(gateway.Options{Named: map[string]string{"x": "file:///etc"}}); err == nil {
		t.Error("an upstream that is no URL of a server")
	}
}

// TestH9_ALoginWithGoogleIsSteered: what Gemini CLI asks then is wrapped, and what is not
// a turn passes as it is.
func TestH9_ALoginWithGoogleIsSteered(t *testing.T) {
	var uri, body string
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		uri, body = r.URL.RequestURI(), string(raw)
		_, _ = io.WriteString(w, "data: {\"response\":{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hi\"}]},\"finishReason\":\"STOP\"}]}}\n\n")
	}))
	defer up.Close()
	opening := []trimtab.Event{trimtab.Asked{Command: "mode", Args: []string{"planning"}, Away: true}}
	r := newRig(t, parts{opening: opening, upstreams: map[string]string{"codeassist": up.URL}})
	const request = `{"model":"gemini-2.5-pro","project":"p","request":{"contents":[{"role":"user","parts":[{"text":"hello there"}]}],"tools":[{"functionDeclarations":[{"name":"t"}]}]}}`
	r.do(http.MethodPost, "/s/one/v1internal:streamGenerateContent?alt=sse", nil, []byte(request))
	if uri != "/v1internal:streamGenerateContent?alt=sse" || !strings.Contains(body, "PLANNING MODE") || !strings.HasPrefix(body, `{"model":"gemini-2.5-pro","project":"p","request":{`) || !strings.HasSuffix(body, "}]}]}}") {
		t.Errorf("%s: %s", uri, body)
	}
	r.do(http.MethodPost, "/s/one/v1internal:loadCodeAssist", nil, []byte(`{"metadata":{}}`))
	if uri != "/v1internal:loadCodeAssist" || body != `{"metadata":{}}` {
		t.Errorf("%s: %s", uri, body)
	}
	r.settle()
	if r.gate.Stats.Main.Load() != 1 {
		t.Errorf("%d main turns", r.gate.Stats.Main.Load())
	}
}
