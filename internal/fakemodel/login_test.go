package fakemodel_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestLoginsRefuseWhatThoseServersRefuse and answer the rest as the model does.
func TestLoginsRefuseWhatThoseServersRefuse(t *testing.T) {
	const (
		responses = `{"model":"gpt-5.5","store":false,"stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`
		wrapped   = `{"model":"gemini-3.1-pro-preview","project":"p","request":{"session_id":"s","contents":[{"role":"user","parts":[{"text":"hi"}]}]}}`
	)
	account := http.Header{"Authorization": {"Bearer t"}, "Chatgpt-Account-Id": {"a"}, "Content-Type": {"application/json"}}
	token := http.Header{"Authorization": {"Bearer t"}, "Content-Type": {"application/json"}}
	for _, c := range []struct {
		path   string
		header http.Header
		body   string
		status int
		holds  string
	}{
		{"/backend-api/codex/responses", account, responses, 200, "well done"},
		{"/backend-api/codex/responses", token, responses, 401, "detail"},
		{"/backend-api/codex/responses", account, strings.Replace(responses, "false", "true", 1), 400, "Store must be set to false"},
		{"/backend-api/codex/responses", account, strings.Replace(responses, `"stream":true`, `"stream":false`, 1), 400, "Stream must be set to true"},
		{"/backend-api/codex/else", account, responses, 404, "Not Found"},
		{"/v1internal:streamGenerateContent?alt=sse", token, wrapped, 200, `data: {"response":{`},
		{"/v1internal:generateContent", token, wrapped, 200, `{"response":{`},
		{"/v1internal:generateContent", token, strings.Replace(wrapped, `"project":"p",`, "", 1), 400, "INVALID_ARGUMENT"},
		{"/v1internal:generateContent", http.Header{}, wrapped, 401, "UNAUTHENTICATED"},
		{"/v1internal:loadCodeAssist", token, "{}", 200, "cloudaicompanionProject"},
	} {
		m := fakemodel.New(fakemodel.Options{Script: fakemodel.Replies(fakemodel.Reply{Text: "well done"})})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, c.path, strings.NewReader(c.body))
		r.Header = c.header.Clone()
		w := httptest.NewRecorder()
		m.Logins().ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.holds) {
			t.Errorf("%s: %d %s, want %d with %s", c.path, w.Code, w.Body, c.status, c.holds)
		}
		if asked := len(m.Main()); (c.status == 200) != (asked == 1) && !strings.HasSuffix(c.path, "loadCodeAssist") {
			t.Errorf("%s: the model was asked %d times", c.path, asked)
		}
	}
}
