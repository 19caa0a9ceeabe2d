package fakemodel_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// FuzzServe sends any body to each format. It never panics, answers 200 or a
// refusal in JSON, accepts only what encoding/json reads too, and says the same
// twice.
func FuzzServe(f *testing.F) {
	for _, body := range conversation {
		f.Add([]byte(body))
	}
	for _, body := range []string{
		"", "{}", "[]", "null", `{"messages":[null]}`, `{"messages":[[]],"model":"m","max_tokens":1}`,
		claude(userHi, useAB, said(gotA, gotB)), claude(userHi, serverUse(""), said(gotA, note)),
		`{"model":"m","input":[{"type":"reasoning"},{"type":"function_call"},{"type":"function_call_output"}]}`,
		`{"contents":[{"parts":[{"functionCall":1}]},{"role":"model","parts":[{"function_call":{}}]}],"tools":[1]}`,
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[1]}],"response_format":{"type":"json_object"}}`,
	} {
		f.Add([]byte(body))
	}
	model := fakemodel.New(fakemodel.Options{Keep: 1, MaxBody: 1 << 20})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, format := range fakemodel.Formats() {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, paths[format], strings.NewReader(string(body)))
			for _, h := range []string{"X-Api-Key", "X-Goog-Api-Key", "Anthropic-Version"} {
				r.Header.Set(h, "x")
			}
			r.Header.Set("Authorization", "Bearer x")
			model.ServeHTTP(w, r)
			if w.Code == http.StatusOK && !json.Valid(body) {
				t.Fatalf("%s accepted what is not JSON", format)
			}
			err := fakemodel.Validate(format, body)
			var refusal *fakemodel.Refusal
			if err != nil && !errors.As(err, &refusal) {
				t.Fatalf("%s: %v is no refusal", format, err)
			}
			if (err != nil) && w.Code == http.StatusOK {
				t.Fatalf("%s: the server accepted what the rules refuse: %v", format, err)
			}
		}
	})
}

// FuzzInstance makes instances of any schema: in bounded time, and always JSON.
func FuzzInstance(f *testing.F) {
	for _, s := range []string{`{"$ref":"#"}`, `{"type":["null","string"]}`, `{"allOf":[{"required":["a"]}]}`, `{"items":{"$ref":"#/items"},"minItems":3}`, `{"minLength":-1}`, `{"maxLength":-1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		if v, err := fakemodel.Instance(schema); err == nil && !json.Valid(v) {
			t.Fatalf("made %s", v)
		}
	})
}

// FuzzUnpack gives packed bodies to the server: none may take more than the
// limit or break it.
func FuzzUnpack(f *testing.F) {
	_, body := hello(fakemodel.Chat, "false")
	for name, pack := range packers {
		f.Add(name, pack(f, body))
		f.Add(name, []byte(body))
	}
	model := fakemodel.New(fakemodel.Options{Keep: 1, MaxBody: 1 << 16})
	f.Fuzz(func(t *testing.T, encoding string, body []byte) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, paths[fakemodel.Chat], strings.NewReader(string(body)))
		r.Header.Set("Authorization", "Bearer x")
		r.Header["Content-Encoding"] = []string{encoding}
		model.ServeHTTP(w, r)
		if got := model.Requests()[0]; len(got.Body) > 1<<16 {
			t.Fatalf("a body of %d bytes", len(got.Body))
		}
	})
}
