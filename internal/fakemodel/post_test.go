package fakemodel_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// paths are where each format is asked for a reply.
var paths = map[fakemodel.Format]string{
	fakemodel.Anthropic: "/v1/messages",
	fakemodel.Chat:      "/v1/chat/completions",
	fakemodel.Responses: "/v1/responses",
	fakemodel.Gemini:    "/v1beta/models/gemini-3.1-pro:generateContent",
}

// userHello is what hello says, in Anthropic's form.
const userHello = `{"role":"user","content":"hello"}`

// helloTools is what hello offers to Anthropic.
const helloTools = `"tools":[{"name":"Bash","input_schema":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}],`

const geminiStream = "/v1beta/models/gemini-3.1-pro:streamGenerateContent?alt=sse"

// hello asks for a reply in each format; stream is "true" or "false".
func hello(f fakemodel.Format, stream string) (path, body string) {
	switch f {
	case fakemodel.Anthropic:
		return paths[f], `{"model":"claude-opus-5-5","max_tokens":9000,"stream":` + stream + `,"thinking":{"type":"adaptive"},` + helloTools + `"messages":[` + userHello + `]}`
	case fakemodel.Chat:
		options := ""
		if stream == "true" {
			options = `"stream_options":{"include_usage":true},`
		}
		return paths[f], `{"model":"fake-model","stream":` + stream + `,` + options + `"tools":[{"type":"function","function":{"name":"bash","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}}],"messages":[{"role":"user","content":"hello"}]}`
	case fakemodel.Responses:
		return paths[f], `{"model":"gpt-5.5","stream":` + stream + `,"reasoning":{"summary":"auto"},"include":["reasoning.encrypted_content"],"tools":[{"type":"function","name":"exec_command","parameters":{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"]}},{"type":"custom","name":"apply"}],"input":[{"role":"user","content":"hello"}]}`
	}
	path = paths[f]
	if stream == "true" {
		path = geminiStream
	}
	return path, `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}},"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}]}],"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`
}

// request makes a POST with the credentials of a format.
func request(t testing.TB, url string, f fakemodel.Format, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	switch f {
	case fakemodel.Anthropic:
		r.Header.Set("X-Api-Key", "sk-test")
		r.Header.Set("Anthropic-Version", "2023-06-01")
	case fakemodel.Gemini:
		r.Header.Set("X-Goog-Api-Key", "sk-test")
	default:
		r.Header.Set("Authorization", "Bearer sk-test")
	}
	return r
}

// do sends a request and reads the whole answer.
func do(t testing.TB, r *http.Request) (status int, header http.Header, body []byte) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("read the answer after %q: %v", body, err)
	}
	return resp.StatusCode, resp.Header, body
}

// answerTo sends a request from a goroutine of its own.
func answerTo(r *http.Request) (string, error) {
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// post sends a body in a format and wants a status.
func post(t testing.TB, s *fakemodel.Server, f fakemodel.Format, path, body string, want int) []byte {
	t.Helper()
	status, _, got := do(t, request(t, s.URL+path, f, strings.NewReader(body)))
	if status != want {
		t.Fatalf("%s answered %d, want %d: %s", path, status, want, got)
	}
	return got
}

// has fails unless the text holds all the words.
func has(t testing.TB, text []byte, words ...string) {
	t.Helper()
	for _, w := range words {
		if !bytes.Contains(text, []byte(w)) {
			t.Errorf("no %q in %s", w, text)
		}
	}
}
