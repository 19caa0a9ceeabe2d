package fakemodel

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
)

// Logins is the model as those reach it who have logged in with an account and have no
// key: Codex with ChatGPT at /backend-api/codex, Gemini CLI with Google at /v1internal.
// What is asked there is checked as those servers check it, and passed to the model, so
// that its log and its script are the same; everything else is asked of the model as it
// came.
func (m *Model) Logins() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/backend-api/codex/", m.chatGPT)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if method, ok := strings.CutPrefix(r.URL.Path, "/v1internal:"); ok {
			m.codeAssist(w, r, method)
			return
		}
		m.ServeHTTP(w, r)
	})
	return mux
}

// chatGPT wants an account beside its token, and replies that it streams and does not keep.
func (m *Model) chatGPT(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, why string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"detail": why})
	}
	switch path := strings.TrimPrefix(r.URL.Path, "/backend-api/codex"); {
	case !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "):
		refuse(http.StatusUnauthorized, "Could not parse your authentication token. Please try signing in again.")
	case r.Header.Get("Chatgpt-Account-Id") == "":
		refuse(http.StatusUnauthorized, "No account is named")
	case path == "/models":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"models":[]}`)
	case path != "/responses":
		refuse(http.StatusNotFound, "Not Found")
	default:
		body, _, err := readBody(r, m.maxBody)
		var asked struct {
			Store  *bool `json:"store"`
			Stream bool  `json:"stream"`
		}
		if err == nil {
			err = json.Unmarshal(body, &asked)
		}
		switch {
		case err != nil:
			refuse(http.StatusBadRequest, err.Error())
		case asked.Store == nil || *asked.Store:
			refuse(http.StatusBadRequest, "Store must be set to false")
		case !asked.Stream:
			refuse(http.StatusBadRequest, "Stream must be set to true")
		default:
			m.ServeHTTP(w, inner(r, "/v1/responses", body))
		}
	}
}

// inner is a request with another path and body.
func inner(r *http.Request, path string, body []byte) *http.Request {
	next := r.Clone(r.Context())
	next.URL = &url.URL{Path: path, RawQuery: r.URL.RawQuery}
	next.Body, next.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	next.Header.Del("Content-Encoding")
	return next
}

// codeAssist wraps requests and replies of the Gemini API.
func (m *Model) codeAssist(w http.ResponseWriter, r *http.Request, method string) {
	w.Header().Set("Content-Type", "application/json")
	refuse := func(status int, word, why string) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": status, "status": word, "message": why}})
	}
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
		refuse(http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
		return
	}
	if method == "loadCodeAssist" {
		_, _ = io.WriteString(w, `{"currentTier":{"id":"standard-tier","name":"Gemini Code Assist"},"cloudaicompanionProject":"a-project"}`)
		return
	}
	if method != "generateContent" && method != "streamGenerateContent" {
		_, _ = io.WriteString(w, "{}")
		return
	}
	body, _, err := readBody(r, m.maxBody)
	var asked struct {
		Model   string          `json:"model"`
		Project string          `json:"project"`
		Request json.RawMessage `json:"request"`
	}
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil || asked.Model == "" || asked.Project == "" || len(asked.Request) == 0 {
		refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "Request contains an invalid argument.")
		return
	}
	var request map[string]json.RawMessage
	if err := json.Unmarshal(asked.Request, &request); err != nil {
		refuse(http.StatusBadRequest, "INVALID_ARGUMENT", err.Error())
		return
	}
	delete(request, "session_id") // known here and not at the API itself
	plain, _ := json.Marshal(request)
	reply := httptest.NewRecorder()
	m.ServeHTTP(reply, inner(r, "/v1beta/models/"+asked.Model+":"+method, plain))
	w.Header().Set("Content-Type", reply.Header().Get("Content-Type"))
	w.WriteHeader(reply.Code)
	if reply.Code != http.StatusOK {
		_, _ = w.Write(reply.Body.Bytes())
		return
	}
	if method == "generateContent" {
		_, _ = io.WriteString(w, `{"response":`+reply.Body.String()+`,"traceId":"t"}`)
		return
	}
	for line := range strings.Lines(reply.Body.String()) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			line = `data: {"response":` + strings.TrimSpace(data) + `,"traceId":"t"}` + "\n"
		}
		_, _ = io.WriteString(w, line)
	}
}
